// The day on which a key was last used.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

#include "gateway/domain/time.hpp"

namespace gateway {

/// The days since 1970-01-01, UTC.
constexpr std::int32_t number_of_day(time_point at) noexcept {
  return static_cast<std::int32_t>(std::chrono::floor<std::chrono::days>(at.time_since_epoch()).count());
}

/// The day of a published key's last use, which is stored or will be stored soon. A copy of the key starts with the
/// same day.
class last_use {
 public:
  last_use() = default;
  explicit last_use(std::optional<std::chrono::sys_days> stored) noexcept
      : day_{stored ? static_cast<std::int32_t>(stored->time_since_epoch().count()) : never} {}
  last_use(const last_use& other) noexcept : day_{other.day_.load(std::memory_order_relaxed)} {}
  last_use& operator=(const last_use& other) noexcept {
    day_.store(other.day_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    return *this;
  }

  bool is(std::int32_t day) const noexcept { return day_.load(std::memory_order_relaxed) == day; }
  /// False if another thread has set this day.
  bool set(std::int32_t day) const noexcept { return day_.exchange(day, std::memory_order_relaxed) != day; }
  void forget() const noexcept { day_.store(never, std::memory_order_relaxed); }

 private:
  static constexpr std::int32_t never = -1;
  mutable std::atomic<std::int32_t> day_{never};
};

}  // namespace gateway
