// HTTP for the tests: over TLS as merchants use it, in plain text to the operator listener and to chromedriver, over
// the operator socket, and as raw bytes where a request must be malformed.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text.hpp"

namespace gateway::e2e {

struct endpoint {
  std::string host;
  std::uint16_t port = 0;

  /// `https://host:port` or `http://host:port`; anything after the port is ignored.
  static endpoint of_url(std::string_view url);
  std::string authority() const { return host + ':' + std::to_string(port); }
};

/// Path and query of an absolute URL.
std::string target_of_url(std::string_view url);

using header_list = std::vector<std::pair<std::string, std::string>>;

struct http_request {
  std::string method = "GET";
  std::string target = "/";
  header_list headers;
  std::string body;
};

struct reply {
  int status = 0;
  header_list headers;
  std::string body;

  /// The first header of that name, in any case.
  std::optional<std::string> header(std::string_view name) const;
  bool replayed() const { return header("Idempotent-Replayed") == "true"; }
};

/// The server refused, reset or closed the connection, or did not answer in time.
struct connection_failed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline constexpr std::chrono::seconds answer_patience = hang_timeout;

/// One kept-alive connection. It is opened on first use, and reopened if the server closed it between requests.
class https_client {
 public:
  /// Trusts that certificate alone, and checks that it names the address.
  https_client(endpoint server, std::filesystem::path trusted_certificate);
  ~https_client();
  https_client(https_client&&) noexcept;
  https_client& operator=(https_client&&) noexcept;

  /// Sets how long connecting, writing and reading may each take, for connections that are opened from now on.
  void set_patience(std::chrono::milliseconds now) { patience_ = now; }
  /// Records each request and answer for tests/openapi/validate.py; for clients of a gateway.
  https_client&& recorded() && {
    records_ = true;
    return std::move(*this);
  }
  void connect();
  bool connected() const;
  reply send(const http_request& request);
  /// Sends these bytes and reads one answer; nothing if the server closed without one.
  std::optional<reply> send_raw(std::string_view bytes);
  /// Sends these bytes and reads nothing.
  void push_raw(std::string_view bytes);
  /// Waits until the server has closed the connection; false if it has not within that time.
  bool closed_by_server(std::chrono::milliseconds within);

 private:
  struct connection;
  endpoint server_;
  std::filesystem::path trusted_certificate_;
  bool records_ = false;
  std::chrono::milliseconds patience_{answer_patience};
  std::unique_ptr<connection> open_;
};

reply plain_http(const endpoint& server, const http_request& request);
reply unix_http(const std::filesystem::path& socket, const http_request& request);

bool accepts_connections(const endpoint& server);
/// A port of 127.0.0.1 on which nothing listens now.
std::uint16_t free_port();
/// Hex SHA-256 of the certificate that the server presents, whether it is trusted or not.
std::string certificate_fingerprint(const endpoint& server);
/// Whether a TLS handshake of exactly that version (`1.1`, `1.2`, `1.3`) succeeds.
bool completes_handshake(const endpoint& server, std::string_view tls_version);

}  // namespace gateway::e2e
