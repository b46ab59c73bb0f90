// The thread of an actor whose work blocks.
#pragma once

#include <utility>

#include <caf/actor_system.hpp>
#include <caf/spawn_options.hpp>

namespace gateway::actors {

/// Tests in virtual time use the scheduler only.
enum class runs_on : unsigned char { own_thread, scheduler };

template <class Behavior, class... Arguments>
auto spawn_on(runs_on where, caf::actor_system& system, Behavior behavior, Arguments&&... arguments) {
  if (where == runs_on::own_thread) return system.spawn<caf::detached>(behavior, std::forward<Arguments>(arguments)...);
  return system.spawn(behavior, std::forward<Arguments>(arguments)...);
}

}  // namespace gateway::actors
