// The actor that hashes passwords.
#pragma once

#include <cstddef>

#include "gateway/messages/actors.hpp"
#include "process/runs_on.hpp"

namespace gateway::actors {

/// Detached, so that no other actor waits for the hashing. The passwords of strangers and of known requesters are
/// hashed alternately while both wait; among strangers the networks take turns, among known requesters the accounts. At
/// most `most_waiting` of each kind wait, which is some seconds of work: at most two for one account, and at most a
/// quarter for the operator or for one network. If a queue is full, a requester (an account or a network) without a
/// waiting password displaces the newest password of the requester with the most.
password_hasher spawn_password_hasher(caf::actor_system& system, std::size_t most_waiting = 64,
                                      runs_on where = runs_on::own_thread);

}  // namespace gateway::actors
