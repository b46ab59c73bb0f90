// The actor that hashes passwords.
#pragma once

#include <cstddef>

#include "gateway/actors.hpp"
#include "runs_on.hpp"

namespace gateway::actors {

/// Detached: whoever asks goes on meanwhile. Strangers' passwords are taken in the order in which they came, and so are
/// those of who is known; while both wait, in turns. Past `most_waiting` of either, some seconds of work, no more are
/// taken, nor past a quarter of that for one account.
password_hasher spawn_password_hasher(caf::actor_system& system, std::size_t most_waiting = 64,
                                      runs_on where = runs_on::own_thread);

}  // namespace gateway::actors
