// What callers are told of an endpoint that is to go: in headers of its every answer, and in docs/openapi.json.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "http/message.hpp"

namespace gateway::http {

struct deprecation {
  std::chrono::sys_seconds since;                  ///< from when on nobody should begin to use it
  std::optional<std::chrono::sys_seconds> sunset;  ///< when it is expected to answer no more; not before `since`
  std::string_view link;                           ///< a page that says what to do instead: a URL, or a path of ours
};

/// `Deprecation` (RFC 9745), `Link` to the page, and `Sunset` (RFC 8594) where the end is known.
void add_deprecation(response& out, const deprecation& what);

/// `Sun, 06 Nov 1994 08:49:37 GMT`: the form in which HTTP writes a time (RFC 9110, 5.6.7).
std::string format_http_date(std::chrono::sys_seconds at);

}  // namespace gateway::http
