// The deprecation of an endpoint: it is announced in headers of every answer, and in docs/openapi.json.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "http/message.hpp"

namespace gateway::http {

struct deprecation {
  std::chrono::sys_seconds since;                  ///< new clients should not use it from then on
  std::optional<std::chrono::sys_seconds> sunset;  ///< when it is expected to stop answering; not before `since`
  std::string_view link;  ///< a page that describes the replacement: a URL, or a path of this gateway
};

/// Adds `Deprecation` (RFC 9745), `Link` to the page, and `Sunset` (RFC 8594) if the end is known.
void add_deprecation(response& out, const deprecation& what);

/// `Sun, 06 Nov 1994 08:49:37 GMT`: HTTP's date format (RFC 9110, 5.6.7).
std::string format_http_date(std::chrono::sys_seconds at);

}  // namespace gateway::http
