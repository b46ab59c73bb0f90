// Sends the requests of scenarios at their time, and measures the answers.
//
// Open model: requests leave by a schedule. A request without a free connection waits, and its latency counts from the
// time at which it should have left, so that a server that stalls cannot slow down the load or hide the stall. Closed
// model: each connection sends its next request when it has its answer, and latency counts from the sending.
//
// Concurrency: one thread for each scenario, each with its share of the connections and of the schedule. A scenario is
// called by its own thread only.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "histogram.hpp"
#include "result.hpp"
#include "scenario.hpp"
#include "schedule.hpp"
#include "signer.hpp"
#include "target.hpp"

namespace gateway::load {

struct load_plan {
  std::optional<schedule> open;  ///< none: the closed model. Includes the warm-up
  std::uint64_t lasts_ns = schedule::no_end;  ///< of the closed model, with the warm-up
  std::uint64_t warm_up_ns = 0;  ///< requests due in it are not counted
  unsigned connections = 64;
  std::chrono::nanoseconds timeout =
      std::chrono::seconds{30};  ///< of waiting for a connection, and of waiting for an answer
  std::size_t most_waiting = 100'000;  ///< more requests without a free connection end the load
};

/// What one thread measured in one second.
struct load_moment {
  std::uint64_t second = 0;  ///< from 0; seconds of the warm-up count as well
  bool warm_up = false;
  histogram latency;
  std::uint64_t failed = 0;
  std::uint64_t in_flight = 0, waiting = 0;
  std::map<std::string, std::uint64_t> errors;  ///< since the begin of the run
};

struct load_outcome {
  run_result measured;  ///< without the texts that say what was run, and without `checked`
  std::string fault;  ///< the load ended early, and why, in one line
  /// The shares of the time in which the busiest thread ran, and in which it waited for a core. If their sum is near 1,
  /// the tool itself limited what was measured.
  double ran = 0, queued = 0;
};

/// Called by each thread once a second.
using moment_listener = std::function<void(unsigned thread, const load_moment&)>;

/// The connections are spread evenly over the targets, which are one service: every request is signed for the first.
/// Runs until the schedule or the time is over, the scenarios give no more requests, or `stop` is set; then until every
/// request in flight has its answer. Throws std::runtime_error with one line if no connection can be opened at the
/// start.
load_outcome run_load(std::span<const target> to, const signer& sign, const load_plan& plan,
                      const std::vector<scenario*>& scenarios, const std::atomic<bool>& stop,
                      const moment_listener& listen = {});

/// The code in an error body, in any of the documented forms; empty if there is none. Points into the body.
std::string_view error_code_of(std::string_view body);

}  // namespace gateway::load
