// Host and port of a URL, taken from its text: Boost.URL 1.81 takes `127.0.0.1.evil.example` for an address with the
// path
// `.evil.example`, so its own answers tell neither whom a request would reach nor where a browser would go.
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>

namespace gateway::http {

struct url_authority {
  std::string_view host;  ///< as written; an IPv6 address with its brackets
  std::string_view port;  ///< as written; empty if there is none
  std::string_view rest;  ///< path, query and fragment
};

/// Of a URL that has `//` and no user information; nothing if what follows the host is no port.
inline std::optional<url_authority> read_authority(std::string_view url) {
  const auto begin = url.find("://");
  if (begin == url.npos) return std::nullopt;
  const auto after_scheme = url.substr(begin + 3);
  const auto authority = after_scheme.substr(0, after_scheme.find_first_of("/?#"));
  const auto host_end =
      authority.starts_with('[') ? authority.find(']') + 1 : std::min(authority.find(':'), authority.size());
  const auto after_host = authority.substr(host_end);
  if (!after_host.empty() && after_host.front() != ':') return std::nullopt;
  const auto port = after_host.empty() ? after_host : after_host.substr(1);
  return url_authority{authority.substr(0, host_end), port, after_scheme.substr(authority.size())};
}

}  // namespace gateway::http
