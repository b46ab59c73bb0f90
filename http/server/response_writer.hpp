// A response as bytes: one buffer, so that it leaves in one write and, over TLS, in one record.
#pragma once

#include <string>
#include <string_view>

#include "http/message.hpp"

namespace gateway::http {

/// What the connection adds to a response.
struct framing {
  std::string_view request_id;
  bool keep_alive = true;
  bool http_1_0 = false;  ///< such a client must be told that the connection stays
  bool secure = true;     ///< over TLS: adds Strict-Transport-Security
  bool without_body = false;  ///< the request was a HEAD
  trace_id trace{};           ///< for log lines
};

/// Whether a body that is made while it is sent follows the header.
bool is_streamed(const response& what, const framing& how) noexcept;

/// Replaces what is in `out`. Of a streamed response, writes its header: a client of HTTP/1.0 reads the body up to the
/// end of the connection, which must not be kept; others get chunks.
void write_response(std::string& out, const response& what, const framing& how);

/// Replaces what is in `out` by a piece of a streamed body, which must not be empty: that would be its end.
void write_chunk(std::string& out, std::string_view bytes, bool http_1_0);
/// What says that a streamed body is whole. Nothing to a client of HTTP/1.0.
std::string_view last_chunk(bool http_1_0) noexcept;

}  // namespace gateway::http
