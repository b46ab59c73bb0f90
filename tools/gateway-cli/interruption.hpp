// Waits that SIGINT and SIGTERM end, for the commands that follow events until they are stopped.
#pragma once

#include <chrono>
#include <functional>

namespace gateway::cli {

/// From now on the first SIGINT or SIGTERM ends waits, and a second one ends the program.
void catch_interrupts();
bool interrupted() noexcept;

/// Ends a wait of another thread early, so that its condition is tested again.
void wake_waiting() noexcept;
/// Waits until the condition is true. False if it was interrupted, or the time is over.
bool wait_until(std::chrono::steady_clock::time_point deadline, const std::function<bool()>& condition);
/// False if it was interrupted.
bool pause_for(std::chrono::milliseconds time);

}  // namespace gateway::cli
