#include "gateway/domain/scopes.hpp"

namespace gateway {

std::optional<scope_set> parse_scopes(std::string_view text) {
  scope_set set;
  while (!text.empty()) {
    const auto end = text.find(' ');
    const auto name = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    if (name.empty()) continue;
    bool known = false;
    for (const auto& row : scope_names)
      if (row.name == name) {
        set.add(row.value);
        known = true;
      }
    if (!known) return std::nullopt;
  }
  if (set.bits == 0) return std::nullopt;
  return set;
}

std::string to_string(scope_set set) {
  std::string text;
  for (const auto& row : scope_names)
    if (set.bits & static_cast<std::uint32_t>(row.value)) {
      if (!text.empty()) text += ' ';
      text += row.name;
    }
  return text;
}

}  // namespace gateway
