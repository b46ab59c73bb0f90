// Where an actor runs whose work blocks its thread.
#pragma once

#include <utility>

#include <caf/actor_system.hpp>
#include <caf/spawn_options.hpp>

namespace gateway::actors {

/// In virtual time there is only the scheduler.
enum class runs_on : unsigned char { own_thread, scheduler };

template <class Behavior, class... Arguments>
auto spawn_on(runs_on where, caf::actor_system& system, Behavior behavior, Arguments&&... arguments) {
  if (where == runs_on::own_thread) return system.spawn<caf::detached>(behavior, std::forward<Arguments>(arguments)...);
  return system.spawn(behavior, std::forward<Arguments>(arguments)...);
}

}  // namespace gateway::actors
