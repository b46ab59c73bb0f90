// A limit on the rate of new writes, for as long as what they cause is not kept up with: their webhooks would come
// later and later. Who falls behind sets it; who lets writes in asks it. It is a rate and no share of those who come:
// who is turned away and asks again at once must not get in the more often.
// Concurrency: any thread, no lock.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

#include "gateway/domain/ids.hpp"

namespace gateway {

class write_brake {
 public:
  using clock = std::chrono::steady_clock;
  /// What may come in at once after a pause.
  static constexpr std::chrono::milliseconds burst{20};

  void limit(double writes_per_second) noexcept {
    const auto apart = 1e9 / std::max(writes_per_second, 1.0);
    apart_.store(static_cast<std::int64_t>(apart), std::memory_order_relaxed);
  }
  void release() noexcept { apart_.store(0, std::memory_order_relaxed); }
  bool limits() const noexcept { return apart_.load(std::memory_order_relaxed) != 0; }

  bool lets_in(clock::time_point now) noexcept {
    const auto apart = apart_.load(std::memory_order_relaxed);
    if (apart == 0) {
      let_in_.fetch_add(1, std::memory_order_relaxed);
      return true;
    }
    const auto at = std::chrono::nanoseconds{now.time_since_epoch()}.count();
    const auto ahead = std::max<std::int64_t>(std::chrono::nanoseconds{burst}.count(), apart);
    auto taken_until = taken_until_.load(std::memory_order_relaxed);
    do {
      if (taken_until + apart > at + ahead) {
        turned_away_.fetch_add(1, std::memory_order_relaxed);
        return false;
      }
    } while (
        !taken_until_.compare_exchange_weak(taken_until, std::max(taken_until, at) + apart, std::memory_order_relaxed));
    let_in_.fetch_add(1, std::memory_order_relaxed);
    return true;
  }
  /// How many it has let in, and turned away, in all.
  std::uint64_t let_in() const noexcept { return let_in_.load(std::memory_order_relaxed); }
  std::uint64_t turned_away() const noexcept { return turned_away_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> apart_{0};        ///< nanoseconds between two writes; 0: no limit
  std::atomic<std::int64_t> taken_until_{0};  ///< up to when, on the clock, places are taken
  std::atomic<std::uint64_t> let_in_{0};
  std::atomic<std::uint64_t> turned_away_{0};
};

/// For the writes of each environment: what happens in test never slows live.
struct write_brakes {
  write_brake live;
  write_brake test;

  write_brake& of(environment env) noexcept { return env == environment::live ? live : test; }
};

}  // namespace gateway
