// request_reader ensures that lines end in CR LF, that none is folded, and that names are tokens (RFC 9112).
#include "header_lines.hpp"

#include <algorithm>

namespace gateway::http {
namespace {

constexpr char in_lower_case(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_name(std::string_view one, std::string_view other) noexcept {
  return std::ranges::equal(one, other, {}, in_lower_case, in_lower_case);
}

std::string_view without_blanks_around(std::string_view text) noexcept {
  const auto begin = text.find_first_not_of(" \t");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

}  // namespace

std::optional<std::string_view> first_header(std::string_view head, std::string_view name) noexcept {
  constexpr std::string_view line_end = "\r\n";
  // The request line comes first.
  for (auto at = head.find(line_end); at != head.npos; at = head.find(line_end, at)) {
    at += line_end.size();
    const auto line = head.substr(at, head.find(line_end, at) - at);
    const auto colon = line.find(':');
    if (colon != line.npos && is_name(line.substr(0, colon), name))
      return without_blanks_around(line.substr(colon + 1));
  }
  return std::nullopt;
}

}  // namespace gateway::http
