// The actor that reseals texts that were sealed under older master keys.
#pragma once

#include "gateway/base/keyring.hpp"
#include "gateway/messages/actors.hpp"
#include "gateway/ports/membership.hpp"

namespace gateway::actors {

/// What the resealer uses. Everything referred to must outlive it.
struct resealer_context {
  store_handles store;
  directory_actor operators;
  const crypto::keyring& keys;
  const membership& nodes = membership::alone();
};

/// wake_atom, from itself: takes the next step.
using resealer = caf::typed_actor<caf::reacts_to<wake_atom>>;

/// Works on the node that owns the maintenance, in steps of few rows. Each row is claimed, so a text that was changed
/// meanwhile stays unchanged. It keeps no state between starts: it finds the remaining texts in the rows. It also
/// completes or cancels a rotation of the master key that was interrupted after the new key was offered to all nodes.
resealer spawn_resealer(caf::actor_system& system, resealer_context context);

}  // namespace gateway::actors
