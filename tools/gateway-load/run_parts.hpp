// The parts that all commands which load a gateway share.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/result.hpp"
#include "workload/receiver.hpp"

namespace gateway::load {

/// After this call the first SIGINT or SIGTERM sets interrupted(), which ends the load early; the second one ends the
/// program.
void catch_interrupts();
std::atomic<bool>& interrupted() noexcept;

/// Files are written at the end of a run. One that cannot be written is reported before the run begins, as
/// std::invalid_argument.
void check_writable(const std::filesystem::path& file);
/// Raises the limit of open files, because each connection is one. Throws std::invalid_argument if that is not allowed.
void allow_files(unsigned connections);

std::string random_name();
std::string now_text();
void print_error(const std::string& what);
void write_page(const std::vector<run_result>& runs, const std::string& title, const std::filesystem::path& to);

struct outputs {
  std::filesystem::path json, html;  ///< empty: not written
};
/// Prints the run and writes its files.
void report(const run_result& run, const outputs& to);

/// Waits until this many events have arrived, or until none has arrived for a long time.
void wait_for_events(const receiver& from, std::uint64_t expected, const std::atomic<bool>& stop);

}  // namespace gateway::load
