// What comes of looking at an operator's command.
#pragma once

#include <functional>
#include <string>
#include <variant>

#include "gateway/directory_commands.hpp"
#include "gateway/store.hpp"

namespace gateway::actors {

/// What a command makes durable, and what is then changed, published and answered.
struct plan {
  unit_of_work unit;
  std::function<operator_result()> apply;  ///< once the unit is committed
  std::string when_duplicate;              ///< the operator's words where the store has something in the way
  std::function<plan()> another{};         ///< another one for that case: names are drawn again; empty: the words
};

/// All is as the command would make it: nothing is stored, and this answered.
struct unchanged {
  operator_result told;
};

using planned = std::variant<plan, unchanged, operator_problem>;

}  // namespace gateway::actors
