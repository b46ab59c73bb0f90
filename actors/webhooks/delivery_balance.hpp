// Whether webhooks keep up with the writes that cause them, and the limit on writes per second if they do not.
//
// A backlog alone is no reason to refuse a write: a destination that was unreachable for an hour has a long backlog,
// which shrinks whatever the number of payments. Writes are limited when due deliveries have waited for long and their
// number does not fall. Pure: time is an argument.
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
  /// Up to this wait no write is refused, so that bursts pass.
  static constexpr duration_ms patience{1'000};
  /// Up to this lag no write is refused, however many deliveries wait: the measured rates are too recent to predict the
  /// wait.
  static constexpr duration_ms seen_long_enough{300};
  /// Past `patience`, deliveries must go out at this multiple of the rate at which they become due.
  static constexpr double drains = 1.1;
  /// Otherwise the limit is cut, at most once per this interval, in proportion to the measured shortfall, but never
  /// below a tenth at a time: rates measured just after a start, or after a stall of the store, are often too low.
  static constexpr std::chrono::milliseconds between_cuts{500};
  static constexpr double least_cut = 0.95;
  static constexpr double deepest_cut = 0.1;
  /// A cut needs this many intervals in a row in which deliveries fell further behind.
  static constexpr unsigned worse = 3;
  /// In each interval without long waits the limit rises by this fraction, which doubles with each second without them.
  /// So the limit rises slowly near the right value, and within seconds from one that is far too low.
  static constexpr double least_rise = 0.02;
  static constexpr double steepest_rise = 0.25;
  static constexpr double least = 10;  ///< writes a second; a limit of 0 would leave nothing to measure
  /// After this many intervals without a refusal the limit is removed.
  static constexpr unsigned calm = 10;

  /// Records that one more delivery is due whose destination is well (destination_lane::well).
  void on_due() noexcept { due_.count += 1; }
  /// Records that one more delivery was sent.
  void on_sent() noexcept { sent_.count += 1; }

  bool is_due(clock::time_point now) const noexcept { return now - sampled_at_ >= interval; }
  /// `lag`: how long the oldest delivery that waits for the gateway alone has been due; `waiting`: the number of such
  /// deliveries. `admitted` and `refused`: total counts of admitted and refused writes.
  void sample(clock::time_point now, duration_ms lag, std::uint64_t waiting, std::uint64_t admitted,
              std::uint64_t refused) noexcept {
    const std::chrono::duration<double> passed = now - sampled_at_;
    sampled_at_ = now;
    const bool nothing_due = due_.count == 0;
    due_.sample(passed.count());
    const auto went_out = sent_.sample(passed.count());
    writes_.count = static_cast<double>(admitted - std::exchange(admitted_, admitted));
    const auto writes = writes_.sample(passed.count());
    const bool was_needed = std::exchange(refused_, refused) != refused;
    const bool fills = lag > patience || will_take(waiting, went_out) > patience;
    const bool too_late = fills && lag > seen_long_enough;
    const bool less_than_before = lag < std::exchange(last_lag_, lag);
    calm_for_ = was_needed || too_late ? 0 : calm_for_ + 1;
    if (too_late || lag >= patience / 2) well_since_ = now;

    // If no new deliveries come, or the oldest waiting one gets younger, the limit need not be cut. That is the case
    // after a stall of the store.
    const auto goal = drains * due_.per_second;
    const bool gets_worse = fills && !nothing_due && !less_than_before && sent_.per_second < goal;
    worse_for_ = gets_worse ? worse_for_ + 1 : 0;
    if (too_late && worse_for_ >= worse && now - cut_at_ >= between_cuts) {
      cut_at_ = now;
      const auto cut = std::clamp(sent_.per_second / goal, deepest_cut, least_cut);
      limit_ = std::max(least, cut * limit_.value_or(writes));
    } else if (limit_ && !too_late && lag < patience / 2) {
      const std::chrono::duration<double> well = now - well_since_;
      *limit_ *= 1 + std::min(steepest_rise, least_rise * std::exp2(std::floor(well.count())));
      if (calm_for_ >= calm) limit_.reset();
    }
  }

  double fresh_per_second() const noexcept { return due_.per_second; }
  /// Writes a second; empty: no limit.
  std::optional<double> limit() const noexcept { return limit_; }

 private:
  /// The time until the last of `waiting` is sent, at the current rate.
  std::chrono::duration<double> will_take(std::uint64_t waiting, double went_out) const noexcept {
    return std::chrono::duration<double>{static_cast<double>(waiting) / std::max(went_out, 1.0)};
  }

  /// Moving average, half-life 0.35 s.
  struct rate {
    static constexpr double memory = 0.5;  // seconds
    double count = 0;
    double per_second = 0;

    /// Returns the average or the latest rate, whichever is higher: after a pause the average is too low for a while.
    double sample(double seconds) noexcept {
      const auto last = count / seconds;
      per_second += (last - per_second) * (1 - std::exp(-seconds / memory));
      count = 0;
      return std::max(last, per_second);
    }
  };

  rate due_;
  rate sent_;
  rate writes_;
  clock::time_point sampled_at_{};
  clock::time_point cut_at_{};
  clock::time_point well_since_{};  ///< no delivery has waited for long since then
  std::uint64_t admitted_ = 0;
  std::uint64_t refused_ = 0;
  duration_ms last_lag_{0};
  unsigned worse_for_ = 0;
  unsigned calm_for_ = 0;
  std::optional<double> limit_;
};

}  // namespace gateway::actors
