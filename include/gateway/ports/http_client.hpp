// Port: HTTP calls to webhook receivers and payment providers. http/ implements it.
//
// The outcome of a call is an answer or a failure. A failure states whether the other side may have seen the request: a
// payment call that was never sent has failed, but a call that may have been sent has an unknown outcome.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "gateway/domain/text.hpp"

namespace gateway {

enum class http_method : unsigned char { get, post, delete_ };

struct http_request {
  http_method method = http_method::get;
  std::string url;
  std::string tenant{};  ///< the party that chose the host: tenants share the threads that resolve names
  std::vector<std::pair<std::string, std::string>> headers;  ///< besides Host, Content-Length and the client's own
  std::string body;
  /// For the name lookup, the connection and the TLS handshake, including the wait while all connections are in use.
  std::chrono::milliseconds connect_timeout{5'000};
  std::chrono::milliseconds answer_timeout{10'000};  ///< from the first byte sent to the last received
  std::size_t most_body_bytes = 64 * 1024;  ///< of the answer: a longer body is cut
  /// Whether the request is sent once more, on a fresh connection, if a reused connection breaks before the first byte
  /// of an answer. The other side may have acted on it already, so this is for requests that are safe to repeat.
  bool repeatable = false;
};

/// An answer's header fields in order, in one string.
class http_fields {
 public:
  void reserve(std::size_t bytes) { lines_.reserve(bytes); }
  /// Neither may hold a line end.
  void add(std::string_view name, std::string_view value) {
    lines_.append(name).append(1, ':').append(value).append(1, '\n');
  }
  /// The first field of that name, case-insensitive.
  std::optional<std::string_view> find(std::string_view name) const noexcept {
    for (std::string_view rest = lines_; !rest.empty(); rest.remove_prefix(rest.find('\n') + 1)) {
      const auto line = rest.substr(0, rest.find('\n'));
      const auto end = line.find(':');
      if (equal_ignoring_case(line.substr(0, end), name)) return line.substr(end + 1);
    }
    return std::nullopt;
  }

 private:
  std::string lines_;  ///< each `name:value\n`
};

struct http_answer {
  std::uint16_t status = 0;
  http_fields headers;  ///< at most 16 KiB: an answer with more is a failure
  std::string body;
  bool cut = false;  ///< the body was longer than most_body_bytes
  bool resent = false;  ///< a repeatable request was sent twice; this is the second one's answer
};

enum class http_fault : unsigned char {
  bad_request,  ///< a header cannot be sent, because it would end too early or begin another one
  bad_address,  ///< the URL cannot be parsed, or its form is not supported
  forbidden_address,  ///< the name resolves only to addresses that this client may not send to
  lookup_failed,  ///< the name does not resolve
  connect_failed,
  connect_timeout,  ///< no connection in time, including name lookup and TLS handshake
  tls_failed,  ///< the handshake failed, or the certificate is not trusted
  send_failed,  ///< the connection broke while the request was sent
  broken,  ///< the connection ended before the answer did
  answer_timeout,  ///< connected, but no whole answer in time
  garbage,  ///< not HTTP
  too_large,  ///< the answer's header or framing exceeds the limits
  overloaded,  ///< too many calls are under way
  stopping,  ///< the client is stopping
  internal,  ///< an internal error, described in the log
};

struct http_failure {
  http_fault what = http_fault::internal;
  /// The other side may have seen part of the request: true once its first byte was handed to a connection.
  bool sent = false;

  bool operator==(const http_failure&) const = default;
};

using http_outcome = std::variant<http_answer, http_failure>;

/// Concurrency: any thread may call it. `done` is called exactly once, on a thread of the client, never from within the
/// call. It blocks the client's other work, so it must only pass on the result and return. It may call the client, but
/// must not destroy it. Destroying a client ends the requests that are under way, and waits until every `done` was
/// called.
class http_client {
 public:
  virtual ~http_client() = default;

  /// Always ends: by an answer, or within the request's connect and answer timeouts. Redirects are not followed.
  virtual void send(http_request request, std::function<void(http_outcome)> done) = 0;

  /// Checks whether the URL may be sent to: its form, and the addresses that its name resolves to now, looked up for
  /// `tenant`. `done` receives nullopt, or the reason against it, as a text for an operator.
  virtual void check(std::string url, std::string tenant, std::chrono::milliseconds within,
                     std::function<void(std::optional<std::string>)> done) = 0;
};

}  // namespace gateway
