// An operator's settings of a provider in one environment: its keys, its secrets, its address. Each provider defines
// which names there are (gateway/ports/provider_adapter.hpp).
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gateway {

/// Settings by name, without repeats. They include secrets: sealed at rest, never logged, never shown again.
struct provider_settings {
  std::vector<std::pair<std::string, std::string>> values;

  /// Empty if the setting is absent.
  std::string_view find(std::string_view name) const noexcept {
    const auto at = std::ranges::find(values, name, [](const auto& each) -> std::string_view { return each.first; });
    return at == values.end() ? std::string_view{} : std::string_view{at->second};
  }

  bool operator==(const provider_settings&) const = default;
};

}  // namespace gateway
