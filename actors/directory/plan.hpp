// The plan of an operator's command.
#pragma once

#include <functional>
#include <string>
#include <variant>

#include "gateway/directory/commands.hpp"
#include "gateway/ports/store/unit_of_work.hpp"

namespace gateway::actors {

/// What a command makes durable, and what is then changed, published and answered.
struct plan {
  unit_of_work unit;
  std::function<operator_result()> apply;  ///< once the unit is committed
  std::string when_duplicate;              ///< the problem's text if a stored record conflicts with the unit
  /// Makes a new plan for that case, with new random ids. Empty: the command is answered with the problem.
  std::function<plan()> another{};
};

/// Everything is already as requested: nothing is stored, and `result` is answered.
struct unchanged {
  operator_result result;
};

using planned = std::variant<plan, unchanged, operator_problem>;

}  // namespace gateway::actors
