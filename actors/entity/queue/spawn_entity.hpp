// How an entity's actor starts and ends, the same for every kind.
#pragma once

#include <functional>
#include <memory>

#include "entity/router.hpp"
#include "entity_queue.hpp"

namespace gateway::actors {

/// Creates an entity. Called within its actor.
using entity_maker = std::function<std::unique_ptr<entity_queue>()>;

/// For the router. When an actor has ended, the router receives (passivate_atom, key, activation).
entity_spawner spawner_of(entity_maker make);

}  // namespace gateway::actors
