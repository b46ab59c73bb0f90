// How much a destination is trusted with: how many attempts at once, and whether any at all.
// Pure: time is an argument.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "gateway/domain/time.hpp"
#include "gateway/domain/webhook.hpp"

namespace gateway::actors {

/// Opens for a destination that has answered nothing but failures for a while, then lets one attempt at a time through
/// to see whether it is back. What waits meanwhile loses none of its attempts.
class breaker {
 public:
  enum class state : unsigned char { closed, open, probing };

  state now_is() const noexcept { return state_; }

  bool permits(time_point now) const noexcept {
    return state_ == state::closed || (state_ == state::open && now >= probe_at_);
  }
  /// When it will permit a probe; nothing unless it is open.
  std::optional<time_point> probe_at() const noexcept {
    return state_ == state::open ? std::optional{probe_at_} : std::nullopt;
  }

  void began() noexcept {
    if (state_ == state::open) state_ = state::probing;
  }
  void succeeded() noexcept { *this = breaker{}; }
  void failed(time_point now) noexcept {
    if (failures_++ == 0) first_failure_ = now;
    if (state_ == state::probing) {
      pause_ = std::min(pause_ * 2, longest_pause);
      open(now);
    } else if (state_ == state::closed && failures_ >= least_failures && now - first_failure_ >= least_span) {
      open(now);
    }
  }
  /// An attempt ended without telling anything about the destination.
  void abandoned(time_point now) noexcept {
    if (state_ == state::probing) open(now);
  }

  static constexpr unsigned least_failures = 10;
  static constexpr duration_ms least_span = std::chrono::seconds{5};
  static constexpr duration_ms first_pause = std::chrono::seconds{1};
  static constexpr duration_ms longest_pause = std::chrono::seconds{60};

 private:
  void open(time_point now) noexcept {
    state_ = state::open;
    probe_at_ = now + pause_;
  }

  state state_ = state::closed;
  unsigned failures_ = 0;  ///< in a row
  time_point first_failure_{};
  time_point probe_at_{};
  duration_ms pause_ = first_pause;
};

/// How many attempts at once: few for a stranger, more while its answers come as fast as they ever did, fewer when they
/// slow down, half for each sign of distress. So one that begins to hang holds few workers, one that is far away gets
/// many, and what is due in masses queues where it costs nothing: in the table, not in front of the destination or of
/// this machine.
class attempt_window {
 public:
  explicit attempt_window(std::size_t most) noexcept
      : most_(std::max<std::size_t>(1, most)), size_(std::min(first, most_)) {}

  std::size_t size() const noexcept { return size_; }
  /// Fewer than a stranger gets: it fails, or did a moment ago.
  bool distressed() const noexcept { return size_ < std::min(first, most_); }

  void ended(attempt_result result, std::uint16_t status, std::uint32_t took_ms) noexcept {
    if (result == attempt_result::delivered) {
      if (--until_forgotten_ == 0) fastest_ms_ = took_ms, until_forgotten_ = remembered;
      fastest_ms_ = std::min(fastest_ms_, took_ms);
      if (took_ms <= slow_factor * fastest_ms_ + grace_ms) {
        size_ = std::min(size_ + 1, most_);
      } else if (size_ > first) {
        size_ -= 1;
      }
    } else if (result != attempt_result::rejected || status == 429 || status >= 500) {
      size_ = std::max<std::size_t>(1, size_ / 2);
    }
  }

 private:
  static constexpr std::size_t first = 8;  ///< and never fewer for being slow: answers that vary are no distress
  static constexpr std::uint32_t slow_factor = 8;
  static constexpr std::uint32_t grace_ms = 10;
  static constexpr unsigned remembered =
      1'000;  ///< successes, after which it is found out anew how fast the fastest is

  std::size_t most_;
  std::size_t size_;
  std::uint32_t fastest_ms_ = std::numeric_limits<std::uint32_t>::max() / 4;
  unsigned until_forgotten_ = remembered;
};

}  // namespace gateway::actors
