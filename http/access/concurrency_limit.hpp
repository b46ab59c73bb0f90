// How many writes may wait to begin at a time. Past it a write is refused at once, which costs next to nothing, so that
// those which are admitted do not wait for long, however many come.
//
// A fixed number cannot be right: what a store commits in a moment differs by a hundredfold between disks. So the
// number is found from how long writes wait, from their admission until their begin is durable: it is what has been
// served in the longest wait allowed. What they wait for afterwards, a slow provider, is no queue of the gateway's and
// does not count.
// Concurrency: any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>

namespace gateway {
class metrics;
}  // namespace gateway

namespace gateway::http {

class concurrency_limit {
 public:
  using clock = std::chrono::steady_clock;

  /// `batch`: how many writes are served at once; that many, twice, are never too many.
  concurrency_limit(clock::duration longest_wait, std::size_t batch, std::size_t most, metrics& meters);

  /// A write that comes now must be refused.
  bool reached() const noexcept;
  /// An admitted write waits for as long as somebody holds what this returns, who may outlive the limit.
  std::shared_ptr<const void> enter(clock::time_point now = clock::now());

  std::size_t waiting() const noexcept;
  std::size_t limit() const noexcept;

 private:
  class state;
  std::shared_ptr<state> state_;
};

}  // namespace gateway::http
