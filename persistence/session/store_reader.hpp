// The actor behind one reading connection.
#pragma once

#include <caf/actor_system.hpp>

#include "gateway/messages/actors.hpp"
#include "persistence/session/database_session.hpp"
#include "persistence/tables/event_log.hpp"

namespace gateway::persistence {

/// Detached. A reader of the log of events shares `events` with the writers.
store_reader spawn_store_reader(caf::actor_system& system, const store_location& where,
                                std::shared_ptr<store_health> health, std::shared_ptr<event_log> events = {});

}  // namespace gateway::persistence
