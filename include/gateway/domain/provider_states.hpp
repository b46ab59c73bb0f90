// Which providers can be used at the moment in one environment.
#pragma once

#include <array>
#include <cstddef>

#include "gateway/domain/provider_kind.hpp"

namespace gateway {

enum class provider_state : unsigned char {
  absent,  ///< not configured here, or a sandbox that may not serve live payments
  away,    ///< it has failed repeatedly: its breaker is open
  ready,
};

class provider_states {
 public:
  constexpr provider_state operator[](provider_kind kind) const noexcept {
    return states_[static_cast<std::size_t>(kind)];
  }
  constexpr void set(provider_kind kind, provider_state state) noexcept {
    states_[static_cast<std::size_t>(kind)] = state;
  }

 private:
  std::array<provider_state, provider_catalogue.size()> states_{};
};

/// The state in which only the sandboxes can be used.
constexpr provider_states sandboxes_only() noexcept {
  provider_states states;
  for (const auto& row : provider_catalogue)
    if (row.sandbox) states.set(row.kind, provider_state::ready);
  return states;
}

}  // namespace gateway
