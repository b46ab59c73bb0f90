// The name of an operator in records.
#pragma once

#include <string>

#include "http/message.hpp"

namespace gateway::http {

/// The operator who is signed in to the console, or the Unix user at the other end of the operator socket; `operator`
/// if neither is known. Reads the machine's list of users, which may block briefly, so only rare commands call this.
std::string operator_name(const request& in);

}  // namespace gateway::http
