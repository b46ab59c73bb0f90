// Limits how many writes may wait to begin. Further writes are rejected at once, which costs almost nothing, so that
// admitted ones do not wait long under any load.
//
// The limit cannot be a constant, because commit rates differ by a factor of a hundred between disks. It is derived
// from the time that writes wait, from admission until their begin is durable: it is the number served within the
// longest wait allowed. Time spent afterwards, such as on a slow provider, is not the gateway's queue and does not
// count.
// Concurrency: any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace gateway {
class metrics;
}  // namespace gateway

namespace gateway::http {

class concurrency_limit {
 public:
  using clock = std::chrono::steady_clock;

  /// `batch`: how many writes are served at once; the limit is at least twice that, and at least 64.
  concurrency_limit(clock::duration longest_wait, std::size_t batch, std::size_t most, metrics& meters);

  class admission;
  /// Admits a write, or returns nothing if the limit is reached. Checking and counting are one atomic step.
  std::optional<admission> try_enter(clock::time_point now = clock::now());

  /// Whether the limit is reached: most writes are then rejected before anything else in them is checked.
  bool is_full() const noexcept { return waiting() >= limit(); }
  std::size_t waiting() const noexcept;
  std::size_t limit() const noexcept;

 private:
  class state;
  std::shared_ptr<state> state_;
};

/// An admitted write. It counts as waiting for as long as this lives. If it is rejected before pass_on(), it does not
/// affect the limit: it has waited for nothing, and rejected requests must not raise the limit. Must not outlive the
/// limit.
class concurrency_limit::admission {
 public:
  admission(admission&& other) noexcept;
  admission& operator=(admission&& other) noexcept;
  ~admission();

  /// Hands the admission to the actors that the write waits for. Its wait, measured from admission, lasts until the
  /// returned pointer's last copy is gone. The pointer may outlive the limit.
  std::shared_ptr<const void> pass_on() &&;

 private:
  friend concurrency_limit;
  admission(state& of, clock::time_point entered, std::uint64_t served_before) noexcept
      : of_(&of), entered_(entered), served_before_(served_before) {}

  state* of_;
  clock::time_point entered_;
  std::uint64_t served_before_;
};

}  // namespace gateway::http
