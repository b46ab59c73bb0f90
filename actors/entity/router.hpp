// The actor that passes requests to the entities' actors.
#pragma once

#include <array>
#include <functional>
#include <memory>

#include "entity_context.hpp"

namespace gateway::actors {

/// Spawns the actor of an entity of one kind; the last argument is the activation's number.
using entity_spawner =
    std::function<entity_actor(caf::actor_system&, const router_actor&, const entity_key&, std::uint64_t)>;

/// Indexed by entity_kind. A kind that this gateway does not serve has none; a request for it is answered with
/// caf::error.
using entity_spawners = std::array<entity_spawner, enum_count<entity_kind>>;

/// Keeps at most settings.live_payments actors, and stops the least recently used first.
router_actor spawn_router(caf::actor_system& system, std::shared_ptr<const entity_context> context,
                          entity_spawners spawners);

}  // namespace gateway::actors
