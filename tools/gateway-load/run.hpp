// One run from its first connection to its report.
#pragma once

#include "command_line.hpp"

namespace gateway::load {

/// The exit status. Throws std::invalid_argument for what is wrong with what was typed, std::runtime_error for the
/// rest.
int carry_out_run(const command_line& typed);
int carry_out_report(const command_line& typed);

}  // namespace gateway::load
