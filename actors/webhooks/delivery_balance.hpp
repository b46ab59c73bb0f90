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
  /// Of what goes out: the first limit. A write causes about one delivery; how many really, the next steps find.
  static constexpr double first_limit = 0.85;
  /// While it does not suffice it goes, every so often, to where it would have done by what was seen, but never by more
  /// than half at a time.
  static constexpr std::chrono::milliseconds between_cuts{500};
  static constexpr double least_cut = 0.95;
  static constexpr double deepest_cut = 0.5;
  static constexpr double higher = 1.02;  ///< each interval in which nothing waits for long
  static constexpr double least = 10;  ///< writes a second, so that it can be seen how they fare
  /// After so many intervals in which the limit turned nobody away it has done its work.
  static constexpr unsigned calm = 10;

  /// One more delivery, whose destination is well, is due.
  void came() noexcept { came_.count += 1; }
  /// And one more has gone out.
  void began() noexcept { began_.count += 1; }

  bool is_due(clock::time_point now) const noexcept { return now - looked_at_ >= interval; }
  /// `lag`: how long the oldest delivery has been due that only the gateway keeps back; `waiting`: how many such there
  /// are. `turned_away`: by the limit, in all.
  void look(clock::time_point now, duration_ms lag, std::uint64_t waiting, std::uint64_t turned_away) noexcept {
    const std::chrono::duration<double> passed = now - looked_at_;
    looked_at_ = now;
    came_.sample(passed.count());
    began_.sample(passed.count());
    const bool was_needed = std::exchange(turned_away_, turned_away) != turned_away;
    const bool too_late = lag > patience || (lag > seen_long_enough && will_take(waiting) > patience);
    calm_for_ = was_needed || too_late ? 0 : calm_for_ + 1;
    if (too_late) {
      const auto goal = drains * came_.per_second;
      if (began_.per_second >= goal || now - cut_at_ < between_cuts) return;
      cut_at_ = now;
      const auto cut = std::clamp(began_.per_second / goal, deepest_cut, least_cut);
      limit_ = std::max(least, limit_ ? *limit_ * cut : began_.per_second * first_limit);
    } else if (limit_ && lag < patience / 2) {
      *limit_ *= higher;
      if (calm_for_ >= calm) limit_.reset();
    }
  }

  double fresh_per_second() const noexcept { return came_.per_second; }
  /// Writes a second; nothing if as many may come as will.
  std::optional<double> limit() const noexcept { return limit_; }

 private:
  /// Until the last of them goes out, as things are.
  std::chrono::duration<double> will_take(std::uint64_t waiting) const noexcept {
    return std::chrono::duration<double>{static_cast<double>(waiting) / std::max(began_.per_second, 1.0)};
  }

  /// A rate that forgets: half of what it says is of the last third of a second.
  struct rate {
    static constexpr double memory = 0.5;  // seconds
    double count = 0;
    double per_second = 0;

    void sample(double seconds) noexcept {
      per_second += (count / seconds - per_second) * (1 - std::exp(-seconds / memory));
      count = 0;
    }
  };

  rate came_;
  rate began_;
  clock::time_point looked_at_{};
  clock::time_point cut_at_{};
  std::uint64_t turned_away_ = 0;
  unsigned calm_for_ = 0;
  std::optional<double> limit_;
};

}  // namespace gateway::actors
