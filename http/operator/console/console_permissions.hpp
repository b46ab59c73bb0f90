// What each role may do on the console. Nothing else decides this.
#pragma once

#include <cstddef>

#include "gateway/domain/operator_role.hpp"

namespace gateway::http {

enum class console_permission : unsigned char {
  look,
  act_on_deliveries,
  act_on_payments,
  change_destinations,
  change_platforms,
  drain_nodes,
  manage_operators,  ///< the last: console_permission_count counts up to it
};
inline constexpr std::size_t console_permission_count =
    static_cast<std::size_t>(console_permission::manage_operators) + 1;

bool may(operator_role who, console_permission what) noexcept;

}  // namespace gateway::http
