// Executes the command: a run, from its first connection to its report, a year of subscriptions, or a report of earlier
// runs.
#pragma once

#include "command_line.hpp"

namespace gateway::load {

/// All return the exit status. They throw std::invalid_argument for a wrong option, and std::runtime_error for other
/// faults.
int execute_run(const command_line& options);
int execute_subscriptions(const command_line& options);
int execute_report(const command_line& options);

}  // namespace gateway::load
