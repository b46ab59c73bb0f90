// The counts of one thread during a run.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine.hpp"
#include "histogram.hpp"
#include "request.hpp"
#include "result.hpp"

namespace gateway::load {

class tally {
 public:
  /// Seconds are numbered from `begin`, which is the end of the warm-up.
  void begin_at(clock::time_point begin) { begin_ = begin; }

  void count_intended(clock::time_point due);
  void count_lateness(clock::duration late) { lateness_.add(nanoseconds(late)); }
  void count_answer(operation kind, clock::time_point due, clock::time_point now, const answer& got);

  /// Ends the current second. `waiting` is the number of requests that wait for a connection at its end.
  void finish_second(std::uint64_t waiting);
  std::map<std::string, std::uint64_t> errors() const;

  /// Sums up the threads' tallies. Some may have finished fewer seconds than others.
  static run_result sum(const std::vector<const tally*>& all, double planned_s);

 private:
  static constexpr std::size_t most_outcomes = 200;  ///< different errors counted for one operation

  struct of_operation {
    std::array<std::array<std::uint64_t, 2>, 400> plain{};  ///< below 400: by status and whether it was replayed
    std::map<std::string, std::uint64_t, std::less<>> errors;
    histogram latency;
    std::uint64_t sent = 0;
  };

  /// The histogram of a second is kept as its counters that are not zero: some hundred of 4096.
  struct of_second {
    std::uint64_t failed = 0, waiting = 0;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> latency;
  };

  static std::uint64_t nanoseconds(clock::duration time) noexcept {
    return time.count() > 0 ? static_cast<std::uint64_t>(time.count()) : 0;
  }
  void count_error(of_operation& of, const answer& got);
  static operation_result sum_operation(const std::vector<const tally*>& all, std::size_t kind);
  static second_result sum_second(const std::vector<const tally*>& all, std::size_t second);

  clock::time_point begin_{};
  clock::time_point first_due_ = clock::time_point::max(), last_answer_{};
  std::array<of_operation, operations> operations_;
  std::map<std::string, std::string> first_ids_;
  histogram lateness_;
  std::string outcome_;  ///< reused, so that counting an error rarely allocates

  std::vector<std::uint64_t> intended_;
  std::vector<of_second> seconds_;
  of_second current_;
  histogram current_latency_;
};

}  // namespace gateway::load
