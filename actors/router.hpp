// The actor that finds the payment actors.
#pragma once

#include <memory>

#include "gateway/actors.hpp"

namespace gateway::actors {

struct payment_context;

/// Keeps at most settings.live_payments payment actors, the least recently used leaving first.
router_actor spawn_router(caf::actor_system& system, std::shared_ptr<const payment_context> context);

}  // namespace gateway::actors
