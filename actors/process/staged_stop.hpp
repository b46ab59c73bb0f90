// Ends the composition root's actors within a bounded time. Each is sent an exit message, and killed if it has not
// ended in time. An actor that is stuck in a handler does not end at all: its name is recorded, and the process must
// end without it. Use it on a thread that belongs to no actor.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include <caf/actor_system.hpp>
#include <caf/fwd.hpp>
#include <caf/scoped_actor.hpp>

namespace gateway::actors {

class staged_stop {
 public:
  using duration = std::chrono::milliseconds;

  /// `longest` is the time for all actors together, and `grace` for all that are killed. `system` must outlive this.
  staged_stop(caf::actor_system& system, duration longest, duration grace);

  /// Returns when the actor has ended, or its time is over.
  void end(std::string_view name, const caf::strong_actor_ptr& actor);

  /// Waits in the same way for actors that others have spawned. An actor system waits for its actors without a limit:
  /// destroy it only if this returns true.
  bool all_have_ended();

  /// The names of the actors that did not end.
  const std::vector<std::string>& left_behind() const noexcept { return left_behind_; }

 private:
  bool ends_until(const caf::strong_actor_ptr& actor, std::chrono::steady_clock::time_point deadline);

  caf::actor_system& system_;
  const std::chrono::steady_clock::time_point deadline_;
  const duration grace_;
  std::vector<std::string> left_behind_;
};

}  // namespace gateway::actors
