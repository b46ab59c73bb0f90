// Sends what scenarios give, when it shall leave, and measures what comes back.
//
// Open model: requests leave by a schedule. One that finds no free connection waits, and its latency counts from when
// it should have left: a server that stalls cannot slow down what is asked of it, nor hide its stall. Closed model:
// each connection asks for its next request when it has its answer; latency counts from when it left.
// Concurrency: one thread for each scenario given, each with its share of the connections and of the schedule. A scenario is
// only called by its thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
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
  std::optional<schedule> open;  ///< none: closed. Holds the warm-up
  std::uint64_t lasts_ns = schedule::no_end;  ///< closed: with the warm-up
  std::uint64_t warm_up_ns = 0;  ///< what should have left in it is not counted
  unsigned connections = 64;
  std::chrono::nanoseconds timeout =
      std::chrono::seconds{30};  ///< of waiting for a connection, and of waiting for an answer
  std::size_t most_waiting = 100'000;  ///< more requests without a free connection end the load
};

/// What one thread saw in one second.
struct load_moment {
  std::uint64_t second = 0;  ///< counted from 0, the warm-up's as well
  bool warm_up = false;
  histogram latency;
  std::uint64_t failed = 0;
  std::uint64_t in_flight = 0, waiting = 0;
  std::map<std::string, std::uint64_t> errors;  ///< since the begin
};

struct load_outcome {
  run_result measured;  ///< without the texts that say what was run, and without `checked`
  std::string fault;  ///< the load ended early, and why, in one line
  /// Of the thread that was busiest: the shares of the time in which it ran, and in which it waited for a core. Where
  /// they come near to 1, what was measured is the tool.
  double ran = 0, queued = 0;
};

/// Called by each thread once a second.
using moment_listener = std::function<void(unsigned thread, const load_moment&)>;

/// Until the schedule or the time is over, or the scenarios give nothing more, or `stop` is set; then until what is
/// under way has its answer. Throws std::runtime_error with one line if there is no connection to begin with.
load_outcome run_load(const target& to, const signer& sign, const load_plan& plan,
                      const std::vector<scenario*>& scenarios, const std::atomic<bool>& stop,
                      const moment_listener& listen = {});

/// The code of an error body, whichever of its forms it has; empty if there is none. Points into the body.
std::string_view error_code_of(std::string_view body);

}  // namespace gateway::load
