// Whether webhooks keep up with the writes that cause them, and how many writes a second may come in so that they do.
//
// A backlog alone is no reason to turn a write away: after an hour in which a destination was away it is long, and it
// shrinks beside any number of payments. A reason is that what is due has waited for long and does not get less.
// Pure: time is an argument.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "gateway/domain/time.hpp"

namespace gateway::actors {

class delivery_balance {
 public:
  using clock = std::chrono::steady_clock;

  static constexpr std::chrono::milliseconds interval{100};
  /// Up to this wait no write is turned away: bursts pass.
  static constexpr duration_ms patience{1'000};
  /// And up to this lag none is, however many wait: rates have not been seen for long enough to tell how long they
  /// will.
  static constexpr duration_ms seen_long_enough{300};
  /// Past `patience` so many times what comes in must go out.
  static constexpr double drains = 1.1;
  /// While it does not, the limit goes, every so often, to where it would have done by what was seen, but never to
  /// less than a tenth at a time: what is seen in a moment, of a store that stood still or of a start, is often too
  /// little.
  static constexpr std::chrono::milliseconds between_cuts{500};
  static constexpr double least_cut = 0.95;
  static constexpr double deepest_cut = 0.1;
  /// Only after so many intervals of which each was worse than the one before.
  static constexpr unsigned worse = 3;
  /// In each interval in which nothing waits for long the limit rises by so much, and by twice as much with each second
  /// of them: near the right limit it goes slowly, from one far too low it is away in seconds.
  static constexpr double least_rise = 0.02;
  static constexpr double steepest_rise = 0.25;
  static constexpr double least = 10;  ///< writes a second, so that it can be seen how they fare
  /// After so many intervals in which the limit turned nobody away it has done its work.
  static constexpr unsigned calm = 10;

  /// One more delivery, whose destination is well, is due.
  void came() noexcept { came_.count += 1; }
  /// And one more has gone out.
  void began() noexcept { began_.count += 1; }

  bool is_due(clock::time_point now) const noexcept { return now - looked_at_ >= interval; }
  /// `lag`: how long the oldest delivery has been due that only the gateway keeps back; `waiting`: how many such there
  /// are. `let_in` and `turned_away`: the writes, in all.
  void look(clock::time_point now, duration_ms lag, std::uint64_t waiting, std::uint64_t let_in,
            std::uint64_t turned_away) noexcept {
    const std::chrono::duration<double> passed = now - looked_at_;
    looked_at_ = now;
    const bool nothing_came = came_.count == 0;
    came_.sample(passed.count());
    const auto went_out = began_.sample(passed.count());
    writes_.count = static_cast<double>(let_in - std::exchange(let_in_, let_in));
    const auto writes = writes_.sample(passed.count());
    const bool was_needed = std::exchange(turned_away_, turned_away) != turned_away;
    const bool fills = lag > patience || will_take(waiting, went_out) > patience;
    const bool too_late = fills && lag > seen_long_enough;
    const bool less_than_before = lag < std::exchange(last_lag_, lag);
    calm_for_ = was_needed || too_late ? 0 : calm_for_ + 1;
    if (too_late || lag >= patience / 2) well_since_ = now;

    // Where nothing comes any more, or what waits gets younger, less need not come in: so it is after a store that
    // stood still.
    const auto goal = drains * came_.per_second;
    const bool gets_worse = fills && !nothing_came && !less_than_before && began_.per_second < goal;
    worse_for_ = gets_worse ? worse_for_ + 1 : 0;
    if (too_late && worse_for_ >= worse && now - cut_at_ >= between_cuts) {
      cut_at_ = now;
      const auto cut = std::clamp(began_.per_second / goal, deepest_cut, least_cut);
      limit_ = std::max(least, cut * limit_.value_or(writes));
    } else if (limit_ && !too_late && lag < patience / 2) {
      const std::chrono::duration<double> well = now - well_since_;
      *limit_ *= 1 + std::min(steepest_rise, least_rise * std::exp2(std::floor(well.count())));
      if (calm_for_ >= calm) limit_.reset();
    }
  }

  double fresh_per_second() const noexcept { return came_.per_second; }
  /// Writes a second; nothing if as many may come as will.
  std::optional<double> limit() const noexcept { return limit_; }

 private:
  /// Until the last of them goes out, as things are.
  std::chrono::duration<double> will_take(std::uint64_t waiting, double went_out) const noexcept {
    return std::chrono::duration<double>{static_cast<double>(waiting) / std::max(went_out, 1.0)};
  }

  /// A rate that forgets: half of what it says is of the last third of a second.
  struct rate {
    static constexpr double memory = 0.5;  // seconds
    double count = 0;
    double per_second = 0;

    /// What it says now, or what the last moment says, if that is more: after a pause the average is too low for a
    /// while.
    double sample(double seconds) noexcept {
      const auto last = count / seconds;
      per_second += (last - per_second) * (1 - std::exp(-seconds / memory));
      count = 0;
      return std::max(last, per_second);
    }
  };

  rate came_;
  rate began_;
  rate writes_;
  clock::time_point looked_at_{};
  clock::time_point cut_at_{};
  clock::time_point well_since_{};  ///< nothing has waited for long
  std::uint64_t let_in_ = 0;
  std::uint64_t turned_away_ = 0;
  duration_ms last_lag_{0};
  unsigned worse_for_ = 0;
  unsigned calm_for_ = 0;
  std::optional<double> limit_;
};

}  // namespace gateway::actors
