// Limits the rate of new writes while the gateway falls behind with the webhooks that they cause; without the limit the
// webhooks' delay would keep growing. The part that falls behind sets the limit; the part that admits writes checks it.
// It limits the rate and does not admit a share of the requests, because with a share a client that retries at once
// would get more writes admitted. Concurrency: any thread, no lock.
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
  /// After a pause, as many writes as the limit permits in this time may be admitted at once.
  static constexpr std::chrono::milliseconds burst{20};

  void limit(double writes_per_second) noexcept {
    const auto apart = 1e9 / std::max(writes_per_second, 1.0);
    apart_.store(static_cast<std::int64_t>(apart), std::memory_order_relaxed);
  }
  void release() noexcept { apart_.store(0, std::memory_order_relaxed); }
  bool limits() const noexcept { return apart_.load(std::memory_order_relaxed) != 0; }

  bool admits(clock::time_point now) noexcept {
    const auto apart = apart_.load(std::memory_order_relaxed);
    if (apart == 0) {
      admitted_.fetch_add(1, std::memory_order_relaxed);
      return true;
    }
    const auto at = std::chrono::nanoseconds{now.time_since_epoch()}.count();
    const auto ahead = std::max<std::int64_t>(std::chrono::nanoseconds{burst}.count(), apart);
    auto taken_until = taken_until_.load(std::memory_order_relaxed);
    do {
      if (taken_until + apart > at + ahead) {
        refused_.fetch_add(1, std::memory_order_relaxed);
        return false;
      }
    } while (
        !taken_until_.compare_exchange_weak(taken_until, std::max(taken_until, at) + apart, std::memory_order_relaxed));
    admitted_.fetch_add(1, std::memory_order_relaxed);
    return true;
  }
  /// How many writes have been admitted and rejected in all.
  std::uint64_t admitted() const noexcept { return admitted_.load(std::memory_order_relaxed); }
  std::uint64_t refused() const noexcept { return refused_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> apart_{0};  ///< nanoseconds between two writes; 0: no limit
  std::atomic<std::int64_t> taken_until_{0};  ///< the time on the clock up to which slots are taken
  std::atomic<std::uint64_t> admitted_{0};
  std::atomic<std::uint64_t> refused_{0};
};

/// One brake for each environment, so that test traffic never slows live writes.
struct write_brakes {
  write_brake live;
  write_brake test;

  write_brake& of(environment env) noexcept { return env == environment::live ? live : test; }
};

}  // namespace gateway
