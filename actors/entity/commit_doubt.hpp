// Until when a commit that got no answer may still land. The actor that asked for it may have left by then, and
// its successor read the row as it was before: so the node remembers the doubt, as one moment for all entities. Its
// memory does not grow with the trouble, and entities in doubt leave memory like any others. A process that starts is
// in doubt, too: the one before may have died with commits on their way, and the database executes what has reached it.
// Concurrency: any actor may ask and tell.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>

#include <caf/actor_clock.hpp>

namespace gateway::actors {

class commit_doubt {
 public:
  using time_point = caf::actor_clock::time_point;

  /// A commit may just have been left without an answer. Returns when it will have landed, or never will.
  time_point raise(time_point now) const {
    const auto wanted = (now + lasts).time_since_epoch().count();
    auto held = until_->load();
    while (held < wanted && !until_->compare_exchange_weak(held, wanted)) {}
    return now + lasts;
  }
  /// What the last one comes to; in the past if nothing is in doubt.
  time_point until() const { return time_point{time_point::duration{until_->load()}}; }

 private:
  static constexpr std::chrono::seconds lasts{60};
  std::shared_ptr<std::atomic<time_point::rep>> until_ = std::make_shared<std::atomic<time_point::rep>>(0);
};

}  // namespace gateway::actors
