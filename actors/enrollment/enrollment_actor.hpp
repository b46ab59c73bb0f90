// The actor that owns the sandbox's side of one subscription: its clock, its cycles, and its unsent notifications.
#pragma once

#include <memory>

#include "entity/entity_context.hpp"
#include "entity/router.hpp"

namespace gateway::actors {

/// For the router, the only caller that spawns enrollments. Every command is answered with the row. Paying and
/// advancing the clock are answered after the notifications were sent, as far as possible. A missing enrollment is
/// problem::subscription_not_found.
entity_spawner enrollment_spawner(std::shared_ptr<const entity_context> context);

}  // namespace gateway::actors
