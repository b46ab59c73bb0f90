// How many attempts a destination may have in progress at once. Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "gateway/domain/webhook.hpp"

namespace gateway::actors {

/// The limit on concurrent attempts of a destination. It starts small, grows while answers come about as fast as the
/// fastest seen, shrinks when they slow down, and halves on each failure that indicates overload. So a destination that
/// stops answering occupies few workers, and a distant but fast one gets many. A backlog waits in the table, where it
/// costs nothing, and does not overload the destination or this machine. The limit does not grow if each attempt holds
/// a worker for long, even if every attempt succeeds.
class attempt_window {
 public:
  explicit attempt_window(std::size_t most) noexcept
      : most_(std::max<std::size_t>(1, most)), size_(std::min(first, most_)) {}

  std::size_t size() const noexcept { return size_; }
  /// The limit is below its initial size: the destination fails, or did a moment ago.
  bool distressed() const noexcept { return size_ < std::min(first, most_); }

  void ended(attempt_result result, std::uint16_t status, std::uint32_t took_ms) noexcept {
    if (result == attempt_result::delivered) {
      if (--until_forgotten_ == 0) fastest_ms_ = took_ms, until_forgotten_ = remembered;
      fastest_ms_ = std::min(fastest_ms_, took_ms);
      if (took_ms <= slow_factor * fastest_ms_ + grace_ms) {
        size_ = std::max(size_, std::min(size_ + 1, most_for(took_ms)));
      } else if (size_ > first) {
        size_ -= 1;
      }
    } else if (result != attempt_result::rejected || status == 429 || status >= 500) {
      size_ = std::max<std::size_t>(1, size_ / 2);
    }
  }

 private:
  /// For answers that take longer than a second, the limit is reduced so that they hold workers for as long in total as
  /// `most` attempts of one second.
  std::size_t most_for(std::uint32_t took_ms) const noexcept {
    return std::max(std::min(first, most_), most_ * usual_ms / std::max(took_ms, usual_ms));
  }

  static constexpr std::uint32_t usual_ms = 1'000;
  static constexpr std::size_t first = 8;  ///< slow answers alone never reduce it below this, because answer times vary
  static constexpr std::uint32_t slow_factor = 8;
  static constexpr std::uint32_t grace_ms = 10;
  static constexpr unsigned remembered = 1'000;  ///< successes after which the fastest answer is measured again

  std::size_t most_;
  std::size_t size_;
  std::uint32_t fastest_ms_ = std::numeric_limits<std::uint32_t>::max() / 4;
  unsigned until_forgotten_ = remembered;
};

}  // namespace gateway::actors
