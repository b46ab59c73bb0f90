// Whether the wall clock is to be trusted with what cannot be taken back: purging idempotency keys, expiring checkouts.
// Pure: both clocks' times are arguments.
//
// While the process runs, the monotonic clock bears the wall clock out: both advance together. At its start there is
// only the last time that the database has seen, and that leaves open whether a clock far ahead is wrong or the gateway
// was down for as long. Then, and after a jump, the clock has to run steadily for a while before it is trusted again.
//
// The monotonic clock is std::chrono::steady_clock, which on Linux (CLOCK_MONOTONIC) is slewed by NTP like the wall
// clock, is never set, and stands still while the machine is suspended. So a resumed machine counts as one whose clock
// has jumped. CLOCK_BOOTTIME would count the time of the suspension, but it takes it from the same hardware clock as
// the wall clock does, and would bear out whatever that says.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

#include "gateway/domain/time.hpp"

namespace gateway {

class clock_guard {
 public:
  using monotonic_time = std::chrono::steady_clock::time_point;

  /// A step this large is no jump. Leap seconds and NTP's small steps pass; and what is kept for hours or for days
  /// loses a minute at most.
  static constexpr duration_ms tolerance = std::chrono::minutes{1};
  /// Beside the tolerance the wall clock may drift from the monotonic one by a thousandth, 86 s a day. NTP slews by
  /// half of that at most, where it slews the wall clock only. What drifts faster jumps in small steps.
  static constexpr int drift = 1'000;
  /// A start this long after the last time seen is an ordinary restart, and the clock is trusted. A wrong clock gains
  /// no more than that.
  static constexpr duration_ms longest_restart = std::chrono::hours{1};
  /// How long a clock that was not borne out has to run steadily. Time synchronisation corrects a clock within seconds
  /// or minutes of a boot, chrony after three measurements; and nothing suffers if what is due happens ten minutes
  /// late.
  static constexpr duration_ms probation = std::chrono::minutes{10};

  enum class change {
    none,
    jumped,  ///< trusted no longer, or still not: it has jumped by `by`
    unproven,  ///< the first look, and the database has never seen a time
    trusted_again,  ///< it is back where it was expected, or has run steadily
  };
  struct verdict {
    bool trusted = false;
    change what = change::none;
    duration_ms by{0};  ///< of a jump: positive if the clock is ahead of what was expected
  };

  /// `last_seen`: what the database says; nothing if it has not been written yet.
  explicit clock_guard(std::optional<time_point> last_seen) : last_seen_{last_seen} {}

  /// Both clocks' times at one moment.
  verdict look(time_point wall, monotonic_time monotonic) {
    const auto offset = std::chrono::floor<duration_ms>(wall.time_since_epoch() - monotonic.time_since_epoch());
    if (!started_) return start(offset, monotonic);
    if (!trusted_) return look_again(offset, monotonic);
    if (!expected_->holds(offset)) return suspect(offset, monotonic, offset - expected_->middle);
    follow(offset, monotonic);
    return {true, change::none};
  }

 private:
  /// What the wall clock may be ahead of the monotonic one. All that the guard knows of time is in this difference: it
  /// stays the same while both advance together.
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

  /// Drift moves what is expected, and only as fast as a clock may drift: many small steps add up to a jump.
  void follow(duration_ms offset, monotonic_time monotonic) {
    const auto passed = monotonic - followed_at_;
    if (passed < std::chrono::seconds{1}) return;  // too short for a whole millisecond of drift
    const auto most = std::chrono::floor<duration_ms>(passed / drift);
    expected_->middle += std::clamp(offset - expected_->middle, -most, most);
    followed_at_ = monotonic;
  }

  std::optional<time_point> last_seen_;
  bool started_ = false;
  bool trusted_ = false;
  std::optional<range> expected_;  ///< by what is known from before a jump, or from the database
  range steady_;  ///< while not trusted: since the last jump
  monotonic_time steady_since_{};
  monotonic_time followed_at_{};
};

}  // namespace gateway
