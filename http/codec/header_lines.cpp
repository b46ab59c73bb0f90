// request_reader ensures that lines end in CR LF, that none is folded, and that names are tokens (RFC 9112).
#include "header_lines.hpp"

#include "gateway/domain/text.hpp"

namespace gateway::http {
std::optional<std::string_view> first_header(std::string_view head, std::string_view name) noexcept {
  constexpr std::string_view line_end = "\r\n";
  // The request line comes first.
  for (auto at = head.find(line_end); at != head.npos; at = head.find(line_end, at)) {
    at += line_end.size();
    const auto line = head.substr(at, head.find(line_end, at) - at);
    const auto colon = line.find(':');
    if (colon != line.npos && equal_ignoring_case(line.substr(0, colon), name)) return trimmed(line.substr(colon + 1));
  }
  return std::nullopt;
}

}  // namespace gateway::http
