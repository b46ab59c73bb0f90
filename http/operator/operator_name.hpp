// Who an operator is, as records name them.
#pragma once

#include <string>

#include "http/message.hpp"

namespace gateway::http {

/// The operator who is signed in to the console, or the Unix user at the other end of the operator socket; `operator`
/// if the user is not known. Reads the machine's list of users, which may block for a moment: for commands that are
/// rare.
std::string operator_name(const request& in);

}  // namespace gateway::http
