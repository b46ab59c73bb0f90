#include "gateway/domain/operator_role.hpp"

#include <algorithm>

#include "text.hpp"

namespace gateway {

std::string operator_key_of(std::string_view name) {
  std::string key{name};
  std::ranges::transform(key, key.begin(), to_lower);
  return key;
}

bool is_operator_name(std::string_view name) {
  if (name.empty() || name.size() > most_operator_name || name.front() == ' ' || name.back() == ' ') return false;
  const bool visible = std::ranges::all_of(name, [](char each) { return each >= ' ' && each <= '~'; });
  return visible && operator_key_of(name) != "gateway";
}

}  // namespace gateway
