// How an entity's actor comes and goes, the same for every kind.
#pragma once

#include <functional>
#include <memory>

#include "entity/router.hpp"
#include "entity_queue.hpp"

namespace gateway::actors {

/// Makes an entity. Called in its actor.
using entity_maker = std::function<std::unique_ptr<entity_queue>()>;

/// For the router. An actor that has ended is told to it with (passivate_atom, key, activation).
entity_spawner spawner_of(entity_maker make);

}  // namespace gateway::actors
