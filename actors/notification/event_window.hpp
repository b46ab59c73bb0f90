// The part of a list of events that is read next. Providers list the newest event first, but the reader stores the time
// up to which it has read. So it reads windows of time, oldest first, each small enough for one page.
#pragma once

#include <algorithm>
#include <chrono>

#include "gateway/domain/time.hpp"

namespace gateway::actors {

class event_window {
 public:
  /// Reads [from, end). Providers count in whole seconds.
  event_window(time_point from, time_point end)
      : from_{std::chrono::floor<std::chrono::seconds>(from)},
        end_{std::max(from_, time_point{std::chrono::ceil<std::chrono::seconds>(end)})},
        until_{end_} {}

  time_point from() const noexcept { return from_; }
  time_point until() const noexcept { return until_; }
  bool empty() const noexcept { return from_ >= end_; }

  /// Halves the window, because its events do not fit one page. False: it is at its smallest, and is read page by page.
  bool narrow() noexcept {
    if (until_ - from_ <= smallest) return false;
    until_ = from_ + std::chrono::ceil<std::chrono::seconds>((until_ - from_) / 2);
    return true;
  }
  /// The events before `at` have been read. The end of the window stays the same.
  void begin_at(time_point at) noexcept { from_ = at; }
  /// The window has been read. The next one is at most twice as long.
  void advance() noexcept {
    const auto length = until_ - from_;
    from_ = until_;
    until_ = end_ - from_ <= 2 * length ? end_ : from_ + 2 * length;
  }

  static constexpr duration_ms smallest = std::chrono::minutes{1};

 private:
  time_point from_, end_, until_;
};

}  // namespace gateway::actors
