// Serialises a response into one buffer, so that it is sent in one write and, over TLS, in one record.
#pragma once

#include <string>
#include <string_view>

#include "http/message.hpp"

namespace gateway::http {

/// What the connection adds to a response.
struct framing {
  std::string_view request_id;
  bool keep_alive = true;
  bool http_1_0 = false;  ///< a kept connection needs an explicit `Connection: keep-alive`
  bool secure = true;     ///< over TLS: adds Strict-Transport-Security
  bool without_body = false;  ///< the request was a HEAD
  trace_id trace{};           ///< for log lines
};

/// Whether a streamed body follows the header.
bool is_streamed(const response& what, const framing& how) noexcept;

/// Replaces the contents of `out`. For a streamed response, writes its header only. An HTTP/1.0 client reads the body
/// up to the end of the connection, which must therefore not be kept; other clients get chunks.
void write_response(std::string& out, const response& what, const framing& how);

/// Replaces the contents of `out` by a piece of a streamed body. The piece must not be empty: an empty chunk ends the
/// body.
void write_chunk(std::string& out, std::string_view bytes, bool http_1_0);
/// The bytes that end a streamed body; empty for an HTTP/1.0 client.
std::string_view last_chunk(bool http_1_0) noexcept;

}  // namespace gateway::http
