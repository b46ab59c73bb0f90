// How many writes may wait to begin at a time. Past it a write is rejected at once, which costs next to nothing, so
// that those which are admitted do not wait for long, however many come.
//
// A fixed number cannot be right: what a store commits in a moment differs by a hundredfold between disks. So the
// number is found from how long writes wait, from their admission until their begin is durable: it is what has been
// served in the longest wait allowed. What they wait for afterwards, a slow provider, is no queue of the gateway's and
// does not count.
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

  /// `batch`: how many writes are served at once; that many, twice, are never too many.
  concurrency_limit(clock::duration longest_wait, std::size_t batch, std::size_t most, metrics& meters);

  class admission;
  /// Lets a write in, or nothing where as many wait as may: the check and what it checks for are one step.
  std::optional<admission> try_enter(clock::time_point now = clock::now());

  /// Whether as many wait as may: then most are turned away before anything else of them is looked at.
  bool is_full() const noexcept { return waiting() >= limit(); }
  std::size_t waiting() const noexcept;
  std::size_t limit() const noexcept;

 private:
  class state;
  std::shared_ptr<state> state_;
};

/// A write that has been let in. It counts among those that wait for as long as this lives. One that is turned away
/// before it is passed on leaves no trace: it has waited for nothing, and whoever signs wrongly must not raise the
/// limit. Must not outlive the limit.
class concurrency_limit::admission {
 public:
  admission(admission&& other) noexcept;
  admission& operator=(admission&& other) noexcept;
  ~admission();

  /// To those whom it waits for. Its wait, measured from its entry, lasts for as long as somebody holds what this
  /// returns, who may outlive the limit.
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
