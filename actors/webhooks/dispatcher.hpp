// The dispatcher: which delivery is attempted when.
#pragma once

#include "delivery_worker.hpp"

namespace gateway::actors {

/// Ends by an exit message, and its workers with it. It is a core actor: if it ends by itself, the process must.
dispatcher_actor spawn_dispatcher(caf::actor_system& system, std::shared_ptr<const webhook_context> context);

}  // namespace gateway::actors
