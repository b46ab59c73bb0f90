// Virtual time, and the scheduled events of the world outside the gateway.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "gateway/domain/time.hpp"

namespace gateway::simulation {

class virtual_time {
 public:
  time_point now() const { return now_; }
  duration_ms elapsed() const { return now_ - start; }

  void in(duration_ms delay, std::function<void()> what) { events_.emplace(now_ + delay, std::move(what)); }
  std::optional<time_point> next() const {
    return events_.empty() ? std::nullopt : std::optional{events_.begin()->first};
  }

  /// Moves to `to`, but no further than the first event.
  void advance_to(time_point to) {
    if (const auto first = next(); first && *first < to) to = *first;
    if (to > now_) now_ = to;
  }
  /// Moves by `by` at once. Events due meanwhile run late.
  void leap(duration_ms by) { now_ += by; }
  /// Runs the events that are due, by time and then in the order in which they were scheduled.
  void run_due() {
    while (!events_.empty() && events_.begin()->first <= now_) {
      auto event = events_.extract(events_.begin());
      event.mapped()();
    }
  }

 private:
  static constexpr time_point start{duration_ms{1'795'167'000'000}};
  time_point now_ = start;
  std::multimap<time_point, std::function<void()>> events_;
};

}  // namespace gateway::simulation
