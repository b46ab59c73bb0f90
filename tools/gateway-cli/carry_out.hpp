// Carries out a command line.
#pragma once

#include <istream>
#include <ostream>

#include "access.hpp"
#include "command_line.hpp"

namespace gateway::cli {

/// Returns the exit status. `input` is standard input.
int carry_out(command_line command, const environment_reader& environment, std::istream& input, std::ostream& out,
              std::ostream& err);

}  // namespace gateway::cli
