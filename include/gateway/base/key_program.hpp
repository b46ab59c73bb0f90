// Runs the operator's program that prints the master keys.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace gateway {

/// Runs `command`: without arguments if it is the path of a program, otherwise as a line for /bin/sh. Stores the output
/// in `into`, whose memory the caller wipes. Its standard error is the gateway's. Throws master_key_error if the
/// program cannot be started, does not end in time, ends with another status than 0, or prints more than `most`.
void output_of_program(const std::string& command, std::chrono::milliseconds patience, std::size_t most,
                       std::string& into);

}  // namespace gateway
