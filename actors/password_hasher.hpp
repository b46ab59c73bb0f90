// The actor that hashes passwords.
#pragma once

#include <cstddef>

#include "gateway/actors.hpp"
#include "runs_on.hpp"

namespace gateway::actors {

/// Detached: whoever asks goes on meanwhile. Strangers' passwords and those of who is known are taken in turns while
/// both wait; among strangers their networks take turns, among the known their accounts. Of either at most
/// `most_waiting` wait, some seconds of work: two of an account, a quarter of the operator's and of one network. A full
/// queue takes the first of a name that has none waiting in place of the newest of the name that has most.
password_hasher spawn_password_hasher(caf::actor_system& system, std::size_t most_waiting = 64,
                                      runs_on where = runs_on::own_thread);

}  // namespace gateway::actors
