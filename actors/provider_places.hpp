// How many operations may have their provider's attention at a time. A payment takes a place before anything of its
// operation is durable: past the limit nothing has happened yet, so that the client can be told to come back, where a
// call that is refused after the begin would leave an outcome that is not known.
// Concurrency: any actor may ask.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

namespace gateway::actors {

class provider_places {
 public:
  /// Held by the operation until it is over.
  using place = std::shared_ptr<const void>;

  /// Nothing if `most` are taken.
  place take(std::size_t most) const {
    if (taken_->fetch_add(1, std::memory_order_relaxed) >= most) {
      taken_->fetch_sub(1, std::memory_order_relaxed);
      return nullptr;
    }
    return {taken_.get(), [counted = taken_](const void*) { counted->fetch_sub(1, std::memory_order_relaxed); }};
  }

 private:
  std::shared_ptr<std::atomic<std::size_t>> taken_ = std::make_shared<std::atomic<std::size_t>>(0);
};

}  // namespace gateway::actors
