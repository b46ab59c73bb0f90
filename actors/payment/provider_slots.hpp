// How many operations may be with their provider at a time. An operation takes a slot before anything of it is durable:
// past the limit nothing has happened yet, so the client can be told to come back. A call that was turned away after
// the begin would leave an outcome that is not known.
// Concurrency: any actor may ask.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

namespace gateway::actors {

class provider_slots {
 public:
  /// Held by the operation until it is over.
  using slot = std::shared_ptr<const void>;

  /// Nothing if `most` are taken.
  slot take(std::size_t most) const {
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
