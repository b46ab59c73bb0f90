// Who an operator is, as records name them.
#pragma once

#include <string>

#include "http/message.hpp"

namespace gateway::http {

/// The Unix user at the other end of the operator socket; `operator` if the user is not known, as on the console.
/// Reads the machine's list of users, which may block for a moment: for commands that are rare.
std::string operator_name(const request& in);

}  // namespace gateway::http
