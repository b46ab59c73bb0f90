// When a destination that answers 410 is taken at its word. Pure: time is an argument.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "gateway/domain/time.hpp"
#include "gateway/domain/webhook.hpp"

namespace gateway::actors {

/// The answers 410 that a destination has given in a row, to several deliveries and for some time: a deployment that
/// goes wrong for a moment, or one delivery that it does not want, must not cut a merchant off from all events.
class gone_streak {
 public:
  static constexpr std::size_t deliveries = 3;
  static constexpr duration_ms span = std::chrono::minutes{1};

  /// True: it wants no more.
  bool ended(attempt_result result, std::int64_t delivery, time_point now) noexcept {
    if (result != attempt_result::gone) {
      *this = gone_streak{};
      return false;
    }
    if (count_ == 0) since_ = now;
    const auto known = numbers_.begin() + static_cast<std::ptrdiff_t>(count_);
    if (count_ < deliveries && std::find(numbers_.begin(), known, delivery) == known) numbers_[count_++] = delivery;
    return count_ == deliveries && now - since_ >= span;
  }

 private:
  std::array<std::int64_t, deliveries> numbers_{};
  std::size_t count_ = 0;
  time_point since_{};
};

}  // namespace gateway::actors
