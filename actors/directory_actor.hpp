// The actor that owns merchants, keys, users, connections, routes and destinations.
#pragma once

#include "gateway/actors.hpp"
#include "gateway/base/crypto.hpp"
#include "gateway/directory.hpp"

namespace gateway::actors {

/// A merchant's, in one mode.
inline constexpr std::size_t most_destinations = 32;

/// Derived, so that two nodes that set the same destination at a time set one.
destination_id destination_id_of(destination_kind kind, const std::string& owner, environment env,
                                 const std::string& url);

/// Detached: hashing a password takes its time. `published`, `keys` and `clock` outlive it.
directory_actor spawn_directory(caf::actor_system& system, store_handles store, directory& published,
                                const crypto::master_key& keys, const wall_clock& clock);

}  // namespace gateway::actors
