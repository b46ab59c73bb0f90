// A circuit breaker for a peer: a webhook destination or a payment provider. Pure: time is an argument.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

#include "gateway/domain/time.hpp"

namespace gateway::actors {

/// Opens when every attempt has failed for a while, and then permits an occasional probe to find out whether the peer
/// is available again.
class breaker {
 public:
  enum class state : unsigned char { closed, open, probing };

  state current() const noexcept { return state_; }

  bool permits(time_point now) const noexcept {
    return state_ == state::closed || (state_ == state::open && now >= probe_at_);
  }
  /// When the next probe is permitted; nullopt unless the breaker is open.
  std::optional<time_point> probe_at() const noexcept {
    return state_ == state::open ? std::optional{probe_at_} : std::nullopt;
  }

  void on_sent() noexcept {
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
  /// Call if an attempt ended without showing whether the peer is available.
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

}  // namespace gateway::actors
