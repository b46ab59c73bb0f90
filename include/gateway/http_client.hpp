// Port: HTTP calls to others: the receivers of webhooks, payment providers. The room that speaks HTTP implements it.
//
// What a call has come to is an answer or a failure. A failure says whether the other side may have seen the request:
// where money moves, one that never left has failed, and the outcome of one that may have left is unknown.
#pragma once

#include <algorithm>
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

namespace gateway {

enum class http_method : unsigned char { get, post, delete_ };

struct http_request {
  http_method method = http_method::get;
  std::string url;
  std::string tenant{};  ///< who chose the host: tenants share the threads that look names up
  std::vector<std::pair<std::string, std::string>> headers;  ///< beside Host, Content-Length and those of the client
  std::string body;
  /// Of the name lookup, the connection and the TLS handshake, and of the wait while all connections are in use.
  std::chrono::milliseconds connect_timeout{5'000};
  std::chrono::milliseconds answer_timeout{10'000};  ///< from the first byte sent to the last received
  std::size_t most_body_bytes = 64 * 1024;           ///< of the answer: a longer body is cut
  /// Whether it is sent once more, on a fresh connection, if a kept one breaks before the first byte of an answer. The
  /// other side may have acted on it already: for requests that do no more when they come twice.
  bool repeatable = false;
};

/// An answer's header fields in their order, in one piece of memory.
class http_fields {
 public:
  void reserve(std::size_t bytes) { lines_.reserve(bytes); }
  /// Neither holds a line end.
  void add(std::string_view name, std::string_view value) {
    lines_.append(name).append(1, ':').append(value).append(1, '\n');
  }
  /// The first of that name; upper and lower case are the same.
  std::optional<std::string_view> find(std::string_view name) const noexcept {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    for (std::string_view rest = lines_; !rest.empty(); rest.remove_prefix(rest.find('\n') + 1)) {
      const auto line = rest.substr(0, rest.find('\n'));
      const auto end = line.find(':');
      if (std::ranges::equal(line.substr(0, end), name, {}, lower, lower)) return line.substr(end + 1);
    }
    return std::nullopt;
  }

 private:
  std::string lines_;  ///< each `name:value\n`
};

struct http_answer {
  std::uint16_t status = 0;
  http_fields headers;  ///< 16 KiB at most: of an answer with more there is a failure
  std::string body;
  bool cut = false;  ///< the body goes on after that
  bool resent = false;  ///< a repeatable request was sent twice, and this answers the second
};

enum class http_fault : unsigned char {
  bad_request,  ///< a header cannot be sent: it would end too early, or begin something else
  bad_address,  ///< the URL cannot be read, or is of a form that this client does not send to
  forbidden_address,  ///< the name leads only to addresses that this client may not send to
  lookup_failed,  ///< the name leads nowhere
  connect_failed,
  connect_timeout,  ///< no connection in time, name lookup and TLS handshake included
  tls_failed,  ///< the handshake failed, or the certificate is not to be trusted
  send_failed,  ///< the connection broke while the request was sent
  broken,  ///< the connection ended before the answer did
  answer_timeout,  ///< connected, and no whole answer in time
  garbage,  ///< not HTTP
  too_large,  ///< the answer's header, or what frames its body, is past all limits
  overloaded,  ///< more is under way than the client may have
  stopping,  ///< the client has ended
  internal,  ///< it is in the log
};

struct http_failure {
  http_fault what = http_fault::internal;
  /// The other side may have seen some of it: true from the moment at which its first byte was given to a connection.
  bool sent = false;

  bool operator==(const http_failure&) const = default;
};

using http_outcome = std::variant<http_answer, http_failure>;

/// Concurrency: any thread may call it. A `done` is called exactly once, on a thread of the client, never from within
/// the call. Everything of that client waits for it meanwhile, so it passes on what it is told and returns; it may call
/// the client, and must not destroy it. The end of a client ends what is under way, and waits until all are told.
class http_client {
 public:
  virtual ~http_client() = default;

  /// Always ends: by an answer, or within the request's connect and answer timeouts. No redirect is followed.
  virtual void send(http_request request, std::function<void(http_outcome)> done) = 0;

  /// Whether anything may be sent there: the form of the URL, and where its name leads now, looked up for `tenant`.
  /// `done` gets nothing, or why not, in words for an operator.
  virtual void check(std::string url, std::string tenant, std::chrono::milliseconds within,
                     std::function<void(std::optional<std::string>)> done) = 0;
};

}  // namespace gateway
