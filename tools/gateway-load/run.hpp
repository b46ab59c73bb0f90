// Executes what the command line asks for: a run, from its first connection to its report, or a report of earlier runs.
#pragma once

#include "command_line.hpp"

namespace gateway::load {

/// Both return the exit status. They throw std::invalid_argument for a wrong option, and std::runtime_error for other
/// faults.
int execute_run(const command_line& options);
int execute_report(const command_line& options);

}  // namespace gateway::load
