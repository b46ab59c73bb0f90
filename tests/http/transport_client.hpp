// A small blocking HTTP client that may break any rule: sends raw bytes, returns parsed responses.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "../base/hang_timeout.hpp"

struct ssl_st;
struct ssl_ctx_st;

namespace gateway::http::testing {

struct reply {
  int status = 0;
  std::map<std::string, std::string> headers;  ///< names in lower case
  std::string body;

  std::string header(const std::string& name) const {
    const auto at = headers.find(name);
    return at == headers.end() ? std::string{} : at->second;
  }
};

class client {
 public:
  struct tls_options {
    int most_version = 0;        ///< OpenSSL's number; 0: the newest
    std::string_view protocols;  ///< ALPN, in wire form
    std::string_view first{};    ///< sent before the handshake
    std::size_t piece = 0;       ///< bytes of `first` sent at a time; 0: all at once
  };

  /// Connects by TLS to 127.0.0.1. handshake_done() says whether the handshake succeeded.
  explicit client(std::uint16_t port) : client(port, tls_options{}) {}
  client(std::uint16_t port, tls_options options);
  /// Connects without TLS.
  static client plain(std::uint16_t port);
  static client over(const std::filesystem::path& unix_socket);
  client(client&& other) noexcept;
  ~client();

  bool handshake_done() const { return shaken_; }
  std::string subject() const;
  std::string fingerprint() const;  ///< of the server's certificate
  std::string chosen_protocol() const;
  /// Whether the server has sent it a ticket with which to resume its session.
  bool has_ticket() const;

  /// Sets how long each wait may last instead of the hang timeout.
  void patience(std::chrono::milliseconds time);
  /// False if the peer has closed.
  bool send(std::string_view bytes);
  /// Nothing if the connection ended or no response arrived in time.
  std::optional<reply> receive(bool without_body = false);
  std::optional<reply> ask(std::string_view bytes) {
    send(bytes);
    return receive();
  }
  /// Whether the connection ends without another byte.
  bool ends();
  /// The bytes received until the connection ends or no more arrive in time.
  struct rest {
    std::string bytes;
    bool in_order = false;  ///< it ended without an error: over TLS with a close_notify
  };
  rest receive_all();
  int fd() const { return fd_; }

 private:
  explicit client(int fd) : fd_(fd) {}
  bool fill();
  std::optional<std::string> take_line();

  int fd_ = -1;
  std::unique_ptr<ssl_ctx_st, void (*)(ssl_ctx_st*)> context_{nullptr, nullptr};
  std::unique_ptr<ssl_st, void (*)(ssl_st*)> ssl_{nullptr, nullptr};
  bool shaken_ = false;
  std::string buffer_;
};

/// A request without a body.
std::string get(std::string_view target, std::string_view more_headers = {});
/// A request with a body and its length.
std::string post(std::string_view target, std::string_view body, std::string_view more_headers = {});

}  // namespace gateway::http::testing
