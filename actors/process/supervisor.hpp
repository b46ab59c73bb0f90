// Watches the actors that the gateway cannot run without.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "gateway/messages/actors.hpp"

namespace gateway::actors {

struct core_actor {
  std::string name;
  caf::strong_actor_ptr actor;
};

/// Calls `failed` once, with a line for the log, if one of them ends before the supervisor does. The process must then
/// end: its state is in the database, and the next start settles open operations.
caf::actor spawn_supervisor(caf::actor_system& system, std::vector<core_actor> watched,
                            std::function<void(std::string)> failed);

}  // namespace gateway::actors
