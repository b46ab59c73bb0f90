// The actor that owns merchants, keys, users, connections and routes.
#pragma once

#include "gateway/actors.hpp"
#include "gateway/crypto.hpp"
#include "gateway/directory.hpp"

namespace gateway::actors {

/// Detached: hashing a password takes its time. `published`, `keys` and `clock` outlive it.
directory_actor spawn_directory(caf::actor_system& system, store_handles store, directory& published, const crypto::master_key& keys,
                                const wall_clock& clock);

}  // namespace gateway::actors
