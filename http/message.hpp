// A request and a response as the routes see them: no socket, no parser, no Beast.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "gateway/base/trace_context.hpp"
#include "gateway/ports/store/answer.hpp"
#include "status.hpp"

namespace gateway::http {

struct error_row;

/// Views into the session's buffers: valid until the response has been written.
struct request {
  std::string_view method;
  std::string_view path;    ///< without the query; percent-escapes as sent
  std::string_view query;   ///< without the question mark; empty if there is none
  std::string_view head;    ///< the request line and the headers, as received
  std::string_view body;
  std::string_view request_id;  ///< req_<id>, made by the session
  std::string_view remote_address;  ///< the other end of the connection: an IP address without its port
  std::optional<std::uint64_t> address_number;  ///< the rate limit counts the address under it; nothing: not limited
  std::optional<std::uint32_t> peer_uid{};  ///< on the operator socket: the Unix user at the other end
  std::string_view console_operator{};  ///< the operator whose console button sent this command
  trace_context trace{};  ///< the parent of this request's spans; set by the session
  bool has_query = false;

  // Headers that a route reads; nothing if absent. If one is sent twice, `repeated` is set.
  std::optional<std::string_view> key_id;           ///< X-Service-Key-Id
  std::optional<std::string_view> timestamp;        ///< X-Service-Timestamp
  std::optional<std::string_view> signature;        ///< X-Service-Signature
  std::optional<std::string_view> service_merchant; ///< Service-Merchant
  std::optional<std::string_view> idempotency_key;  ///< Idempotency-Key
  std::optional<std::string_view> content_type;
  std::optional<std::string_view> cookie;
  bool repeated = false;  ///< one of the headers above, except cookie and Idempotency-Key, was sent twice
  bool repeated_idempotency_key = false;
  std::string_view traceparent;  ///< empty if absent or repeated
};

/// Makes the next piece of a streamed body, some 64 KiB at a time; nothing at its end. It is called again only when the
/// previous piece has been written, and not after the client has disconnected. An exception resets the connection, so
/// that the client cannot take a partial body for the whole. A lambda with captures must not be a coroutine itself: it
/// calls one.
using chunk_source = std::function<boost::asio::awaitable<std::optional<std::string>>()>;

/// The merchant and the payment of a request, for its log line; empty if it has none.
struct request_subject {
  std::string merchant;
  std::string payment;
};

struct page_error_row;

struct response {
  int status = status::ok;
  std::string_view content_type = "application/json";
  std::string body;
  answer_ptr stored;  ///< if set, its status and body are sent instead, without a copy
  std::vector<std::pair<std::string_view, std::string>> headers;  ///< besides Request-Id and Cache-Control
  chunk_source next_chunk = {};  ///< if set, it makes the body; not called for a HEAD
  const error_row* error = nullptr;  ///< if set, the server adds the error's `docs_url` to the body (add_docs_url)
  const page_error_row* error_page = nullptr;  ///< the body is this error's page
  std::string_view route = "unmatched";  ///< pattern for metrics and logs, never a raw path
  std::shared_ptr<const request_subject> about = {};  ///< for the log; null: no subject, or requests are not logged

  int sent_status() const noexcept { return stored ? stored->status : status; }
  std::string_view sent_body() const noexcept {
    return stored ? std::string_view{stored->body} : std::string_view{body};
  }
};

}  // namespace gateway::http
