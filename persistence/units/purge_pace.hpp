// How fast a writer deletes old idempotency keys between its batches. Uses no clock and no database, so that it can be
// tested.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace gateway::persistence {

/// How many idempotency keys the writers of a store have taken. All writers add to it; the one that purges reads it.
using keys_taken = std::atomic<std::uint64_t>;

/// For each key that is taken, two old ones may be deleted. The purge therefore keeps up at any rate of writes, and a
/// backlog shrinks however long writes wait. Keys are deleted in steps of one transaction each: large enough to be
/// worth a flush of the disk, and no larger than twice a batch. While no write waits, further steps take a tenth of the
/// time, so that few writes have to wait for one.
class purge_pace {
 public:
  using instant = std::chrono::steady_clock::time_point;

  /// The fewest keys that a step may delete.
  static constexpr std::size_t small_step = 64;
  /// A further step waits this many times as long as the step before it took.
  static constexpr int rest = 9;

  explicit purge_pace(std::size_t batch_units) : large_step_(std::max(2 * batch_units, small_step)) {}

  /// Starts a purge. Keys that were taken earlier do not count, because the last purge left nothing to delete.
  void begin(std::uint64_t taken) noexcept { deleted_for_ = 2 * taken; }

  /// How many keys the next step may delete; 0 if it must wait.
  std::size_t next_step(std::uint64_t taken, bool writes_wait, instant now) const noexcept {
    if (const auto due = earned(taken); due >= small_step) return std::min(due, large_step_);
    return !writes_wait && now >= rests_until_ ? small_step : 0;
  }

  void stepped(std::uint64_t deleted, std::uint64_t taken, instant began, instant ended) noexcept {
    const std::uint64_t before = earned(taken);
    deleted_for_ = 2 * taken - (before - std::min(before, deleted));
    rests_until_ = ended + rest * (ended - began);
  }

  /// When the next step is due while no write waits.
  instant due(std::uint64_t taken, instant now) const noexcept {
    return earned(taken) >= small_step ? now : rests_until_;
  }

 private:
  /// How many keys may be deleted for those that were taken. Capped at eight large steps, saved up while steps wait.
  std::size_t earned(std::uint64_t taken) const noexcept {
    return static_cast<std::size_t>(std::min<std::uint64_t>(2 * taken - deleted_for_, 8 * large_step_));
  }

  std::size_t large_step_;
  std::uint64_t deleted_for_ = 0;  // twice the number of keys taken for which old ones have been deleted
  instant rests_until_{};
};

}  // namespace gateway::persistence
