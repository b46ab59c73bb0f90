// Generates the numbers of deliveries.
#pragma once

#include <atomic>
#include <cstdint>

#include "gateway/domain/time.hpp"

namespace gateway {

/// Numbers that rise with time, never repeat in one process, and fit a JSON number (below 2^53) until the year 2095:
/// milliseconds since 2026, then 12 bits. Two processes can draw the same one in the same millisecond; the store's
/// unique key then refuses the second, and its owner draws again.
class delivery_numbers {
 public:
  /// `salt`: any number that differs between processes.
  explicit delivery_numbers(std::uint32_t salt = 0) noexcept : salt_(salt % per_millisecond) {}

  std::int64_t next(time_point now) noexcept {
    const auto earliest = (to_unix_ms(now) - epoch_ms) * per_millisecond + salt_;
    auto last = last_.load(std::memory_order_relaxed);
    std::int64_t mine;
    do mine = last < earliest ? earliest : last + 1;
    while (!last_.compare_exchange_weak(last, mine, std::memory_order_relaxed));
    return mine;
  }

  /// The least number that can be drawn at that time or later.
  static std::int64_t first_at(time_point at) noexcept { return (to_unix_ms(at) - epoch_ms) * per_millisecond; }

  /// The earliest time at which this number can have been drawn.
  static time_point drawn_at(std::int64_t number) noexcept { return from_unix_ms(number / per_millisecond + epoch_ms); }

 private:
  static constexpr std::int64_t epoch_ms = 1'767'225'600'000;  ///< 2026-01-01T00:00:00Z
  static constexpr std::int64_t per_millisecond = 4096;

  const std::int64_t salt_;
  std::atomic<std::int64_t> last_{0};
};

}  // namespace gateway
