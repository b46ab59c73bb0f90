// The actor that hashes passwords.
#pragma once

#include <cstddef>

#include "gateway/actors.hpp"
#include "runs_on.hpp"

namespace gateway::actors {

/// Detached: whoever asks goes on meanwhile. Passwords are taken in the order in which they came; past `most_waiting`,
/// some seconds of work, no more are.
password_hasher spawn_password_hasher(caf::actor_system& system, std::size_t most_waiting = 64,
                                      runs_on where = runs_on::own_thread);

}  // namespace gateway::actors
