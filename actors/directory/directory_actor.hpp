// The actor that owns merchants, keys, users, connections, routes, destinations, platforms and what is configured of
// providers. It publishes grants as the store has them when a merchant is first asked for; after that their own actors
// do.
#pragma once

#include <prometheus/gauge.h>

#include "gateway/actors.hpp"
#include "gateway/base/crypto.hpp"
#include "gateway/directory.hpp"
#include "runs_on.hpp"

namespace gateway::actors {

/// What the directory works with. What it refers to outlives it.
struct directory_context {
  store_handles store;
  password_hasher hasher;
  directory& published;
  const crypto::master_key& keys;
  const wall_clock& clock;
  prometheus::Gauge& known_merchants;
  /// Of a node among others: who tells when a change is published everywhere. Null where the gateway serves alone.
  node_keeper keeper{};
};

/// Detached: it opens the secrets of what it reads, and no payment should wait for that of other merchants.
directory_actor spawn_directory(caf::actor_system& system, directory_context context,
                                runs_on where = runs_on::own_thread);

}  // namespace gateway::actors
