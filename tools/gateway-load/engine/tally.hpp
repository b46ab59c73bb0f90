// What one thread counts while it runs.
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
  /// Times are counted from `begin`: of what is counted, after the warm-up.
  void begin_at(clock::time_point begin) { begin_ = begin; }

  void intend(clock::time_point due);
  void left(clock::duration late) { lateness_.add(nanoseconds(late)); }
  void hear(operation kind, clock::time_point due, clock::time_point now, const answer& got);

  /// The second is over that this begins.
  void finish_second(std::uint64_t waiting);
  std::map<std::string, std::uint64_t> errors() const;

  /// Sums up threads. All of them finished the same seconds, or fewer.
  static run_result sum(const std::vector<const tally*>& all, double planned_s);

 private:
  static constexpr std::size_t most_outcomes = 200;  ///< kinds of errors, of one operation

  struct of_operation {
    std::array<std::array<std::uint64_t, 2>, 400> plain{};  ///< below 400: by status and whether it was replayed
    std::map<std::string, std::uint64_t, std::less<>> errors;
    histogram latency;
    std::uint64_t sent = 0;
  };

  /// The histogram of a second is kept as what is in it: some hundred of 4096 counters.
  struct of_second {
    std::uint64_t failed = 0, waiting = 0;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> latency;
  };

  static std::uint64_t nanoseconds(clock::duration time) noexcept {
    return time.count() > 0 ? static_cast<std::uint64_t>(time.count()) : 0;
  }
  void count_error(of_operation& of, const answer& got);

  clock::time_point begin_{};
  clock::time_point first_due_ = clock::time_point::max(), last_answer_{};
  std::array<of_operation, operations> operations_;
  std::map<std::string, std::string> first_ids_;
  histogram lateness_;
  std::string outcome_;  ///< room to put one together

  std::vector<std::uint64_t> intended_;
  std::vector<of_second> seconds_;
  of_second current_;
  histogram current_latency_;
};

}  // namespace gateway::load
