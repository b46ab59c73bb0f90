// The dispatcher: decides when each delivery is attempted.
#pragma once

#include "delivery_worker.hpp"

namespace gateway::actors {

/// Ends on an exit message, and ends its workers then. It is a core actor: if it ends by itself, the process must end.
dispatcher_actor spawn_dispatcher(caf::actor_system& system, std::shared_ptr<const webhook_context> context);

}  // namespace gateway::actors
