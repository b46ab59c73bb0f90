// The time until which an unanswered commit may still take effect. The actor that sent the commit may have ended by
// then, and its successor may have read the row as it was before the commit. So the node keeps this time, as one value
// for all entities: its size does not grow with the number of failures, and entities with an unanswered commit can be
// stopped like any others. A process also starts in doubt: the previous process may have died with commits in flight,
// which the database may still execute. Concurrency: any actor may call both functions.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>

#include <caf/actor_clock.hpp>

namespace gateway::actors {

class commit_doubt {
 public:
  using time_point = caf::actor_clock::time_point;

  /// Records that a commit may just have been left without an answer. Returns the time after which it can no longer
  /// take effect.
  time_point raise(time_point now) const {
    const auto wanted = (now + lasts).time_since_epoch().count();
    auto held = until_->load();
    while (held < wanted && !until_->compare_exchange_weak(held, wanted)) {}
    return now + lasts;
  }
  /// The latest time that raise() returned; in the past if no commit is in doubt.
  time_point until() const { return time_point{time_point::duration{until_->load()}}; }

 private:
  static constexpr std::chrono::seconds lasts{60};
  std::shared_ptr<std::atomic<time_point::rep>> until_ = std::make_shared<std::atomic<time_point::rep>>(0);
};

}  // namespace gateway::actors
