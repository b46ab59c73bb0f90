// When a destination that answers 410 is disabled. Pure: time is an argument.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "gateway/domain/time.hpp"
#include "gateway/domain/webhook.hpp"

namespace gateway::actors {

/// Counts consecutive answers 410 of a destination. They must concern several deliveries and span some time: a brief
/// fault of a deployment, or one delivery that the destination rejects, must not cut a merchant off from all events.
class gone_streak {
 public:
  static constexpr std::size_t deliveries = 3;
  static constexpr duration_ms span = std::chrono::minutes{1};

  /// Returns whether to disable the destination.
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
