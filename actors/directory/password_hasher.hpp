// The actor that hashes passwords.
#pragma once

#include <cstddef>

#include "gateway/messages/actors.hpp"
#include "process/runs_on.hpp"

namespace gateway::actors {

/// Detached, so that no other actor waits for the hashing. While both wait, strangers' and known requesters' passwords
/// alternate; among strangers the networks take turns, among known requesters the accounts. At most `most_waiting` of
/// each kind wait, which is some seconds of work. Of these at most two are for one account, and at most a quarter for
/// the operator or for one network. In a full queue a name without a waiting password replaces the newest one of the
/// name that has most.
password_hasher spawn_password_hasher(caf::actor_system& system, std::size_t most_waiting = 64,
                                      runs_on where = runs_on::own_thread);

}  // namespace gateway::actors
