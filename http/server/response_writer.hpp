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
};

/// Replaces what is in `out`.
void write_response(std::string& out, const response& what, const framing& how);

}  // namespace gateway::http
