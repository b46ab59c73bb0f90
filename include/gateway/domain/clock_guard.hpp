// Whether the wall clock may be trusted for irreversible steps: purging idempotency keys, expiring checkouts.
// Pure: both clocks' times are arguments.
//
// While the process runs, the monotonic clock confirms the wall clock: both advance together. At start there is only
// the last time stored in the database, which cannot show whether a clock far ahead is wrong or the gateway was down
// for that long. Then, and after a jump, the clock must run steadily for a while before it is trusted again.
//
// The monotonic clock is std::chrono::steady_clock, which on Linux (CLOCK_MONOTONIC) is slewed by NTP like the wall
// clock, is never set, and stops while the machine is suspended. So after a resume the wall clock counts as having
// jumped. CLOCK_BOOTTIME includes the time of the suspension, but takes it from the same hardware clock as the wall
// clock, so it would confirm a wrong hardware clock.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

#include "gateway/domain/time.hpp"

namespace gateway {

class clock_guard {
 public:
  using monotonic_time = std::chrono::steady_clock::time_point;

  /// A smaller step is not a jump. Leap seconds and NTP's small steps pass, and data kept for hours or days loses a
  /// minute at most.
  static constexpr duration_ms tolerance = std::chrono::minutes{1};
  /// In addition to the tolerance the wall clock may drift from the monotonic one by a thousandth, 86 s a day. NTP
  /// slews by at most half of that, if it slews the wall clock only. Faster drift counts as a jump in small steps.
  static constexpr int drift = 1'000;
  /// At a start the clock is trusted if it shows at most this much more than the last time seen: an ordinary restart.
  /// A wrong clock gains at most this much.
  static constexpr duration_ms longest_restart = std::chrono::hours{1};
  /// How long an unconfirmed clock must run steadily. Time synchronisation corrects a clock within seconds or minutes
  /// of a boot, chrony after three measurements, and a delay of ten minutes for what is due does no harm.
  static constexpr duration_ms probation = std::chrono::minutes{10};

  enum class change {
    none,
    jumped,  ///< not trusted, from now on or still: it has jumped by `by`
    unproven,  ///< the first reading, and the database has never stored a time
    trusted_again,  ///< it is back at the expected time, or has run steadily
  };
  struct verdict {
    bool trusted = false;
    change what = change::none;
    duration_ms by{0};  ///< of a jump: positive if the clock is ahead of the expected time
  };

  /// `last_seen`: the time stored in the database; nothing if none has been stored yet.
  explicit clock_guard(std::optional<time_point> last_seen) : last_seen_{last_seen} {}

  /// Takes both clocks' times at one moment.
  verdict look(time_point wall, monotonic_time monotonic) {
    const auto offset = std::chrono::floor<duration_ms>(wall.time_since_epoch() - monotonic.time_since_epoch());
    if (!started_) return start(offset, monotonic);
    if (!trusted_) return look_again(offset, monotonic);
    if (!expected_->holds(offset)) return suspect(offset, monotonic, offset - expected_->middle);
    follow(offset, monotonic);
    return {true, change::none};
  }

 private:
  /// Bounds for how far the wall clock is ahead of the monotonic one. The guard works on this difference only: it stays
  /// constant while both clocks advance together.
  struct range {
    duration_ms middle{0};
    duration_ms behind = tolerance;
    duration_ms ahead = tolerance;

    bool holds(duration_ms offset) const noexcept { return offset >= middle - behind && offset <= middle + ahead; }
  };

  verdict start(duration_ms offset, monotonic_time monotonic) {
    started_ = true;
    if (!last_seen_) {
      suspect(offset, monotonic, duration_ms{0});
      return {false, change::unproven};
    }
    const auto seen = std::chrono::floor<duration_ms>(last_seen_->time_since_epoch() - monotonic.time_since_epoch());
    expected_ = range{seen, tolerance, longest_restart};
    if (!expected_->holds(offset)) return suspect(offset, monotonic, offset - seen);
    trust(offset, monotonic);
    return {true, change::none};
  }

  verdict look_again(duration_ms offset, monotonic_time monotonic) {
    const auto step = offset - steady_.middle;
    const bool back = expected_ && expected_->holds(offset);
    const bool steady = steady_.holds(offset);
    if (back || (steady && monotonic - steady_since_ >= probation)) {
      trust(offset, monotonic);
      return {true, change::trusted_again};
    }
    if (!steady) return suspect(offset, monotonic, step);
    return {false, change::none};
  }

  verdict suspect(duration_ms offset, monotonic_time monotonic, duration_ms by) {
    trusted_ = false;
    steady_ = range{offset};
    steady_since_ = monotonic;
    return {false, change::jumped, by};
  }

  void trust(duration_ms offset, monotonic_time monotonic) {
    trusted_ = true;
    expected_ = range{offset};
    followed_at_ = monotonic;
  }

  /// Drift moves the expected offset only as fast as a clock may drift, so that many small steps add up to a jump.
  void follow(duration_ms offset, monotonic_time monotonic) {
    const auto passed = monotonic - followed_at_;
    if (passed < std::chrono::seconds{1}) return;  // less than a millisecond of drift
    const auto most = std::chrono::floor<duration_ms>(passed / drift);
    expected_->middle += std::clamp(offset - expected_->middle, -most, most);
    followed_at_ = monotonic;
  }

  std::optional<time_point> last_seen_;
  bool started_ = false;
  bool trusted_ = false;
  std::optional<range> expected_;  ///< from before a jump, or from the database
  range steady_;  ///< while not trusted: since the last jump
  monotonic_time steady_since_{};
  monotonic_time followed_at_{};
};

}  // namespace gateway
