#include "console_permissions.hpp"

#include <iterator>

namespace gateway::http {
namespace {

struct permission_row {
  console_permission what;
  bool support, viewer;
};

/// An admin may do everything.
constexpr permission_row permission_table[] = {
    {console_permission::look, true, true},
    {console_permission::act_on_deliveries, true, false},
    {console_permission::act_on_payments, true, false},
    {console_permission::change_destinations, false, false},
    {console_permission::change_platforms, false, false},
    {console_permission::drain_nodes, false, false},
    {console_permission::manage_operators, false, false},
};
static_assert(std::size(permission_table) == console_permission_count);
static_assert(
    [] {
      for (std::size_t i = 0; i < console_permission_count; ++i)
        if (permission_table[i].what != static_cast<console_permission>(i)) return false;
      return true;
    }(),
    "each row stands at its permission");

}  // namespace

bool may(operator_role who, console_permission what) noexcept {
  const auto& row = permission_table[static_cast<std::size_t>(what)];
  switch (who) {
    case operator_role::admin: return true;
    case operator_role::support: return row.support;
    case operator_role::viewer: return row.viewer;
  }
  return false;
}

}  // namespace gateway::http
