// Runs the operator's program that prints the master keys.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace gateway {

/// Runs the program without arguments if `command` is the path of one, and else as a line for /bin/sh. Puts what it
/// prints into `into`, whose memory the caller wipes. Its standard error is the gateway's. Throws master_key_error if
/// the program cannot be started, does not end in time, ends with another status than 0, or prints more than `most`.
void output_of_program(const std::string& command, std::chrono::milliseconds patience, std::size_t most,
                       std::string& into);

}  // namespace gateway
