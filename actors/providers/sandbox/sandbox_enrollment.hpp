// The actor that owns the sandbox's side of one subscription: its clock, its cycles, and what it has to tell.
#pragma once

#include <memory>

#include "entity/entity_context.hpp"
#include "entity/router.hpp"

namespace gateway::actors {

/// For the router, which alone spawns them. Every command is answered with the row: paying and moving once the
/// subscription has been told, as far as it could be. One that there is not is problem::subscription_not_found.
entity_spawner enrollment_spawner(std::shared_ptr<const entity_context> context);

}  // namespace gateway::actors
