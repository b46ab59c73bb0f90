// Stores the days on which keys were used (gateway/directory/key_uses.hpp), so that no request waits for it. A process
// that crashes loses the uses of its last half minute; the next use of such a key is stored again.
#pragma once

#include <caf/actor_system.hpp>
#include <caf/typed_actor.hpp>

#include "gateway/directory/directory.hpp"
#include "gateway/messages/actors.hpp"
#include "process/clock_watch.hpp"

namespace gateway::actors {

/// On drain_atom it stores the waiting uses, and then answers.
using key_use_writer = caf::typed_actor<caf::reacts_to<wake_atom>, caf::replies_to<drain_atom>::with<bool>>;

/// Everything referred to must outlive it. It stores no uses while the clock is not trusted.
key_use_writer spawn_key_use_writer(caf::actor_system& system, store_writer recorder, directory& published,
                                    clock_watch& watch);

}  // namespace gateway::actors
