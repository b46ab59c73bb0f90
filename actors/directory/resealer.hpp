// The actor that reseals, under the current master key, what older keys have sealed.
#pragma once

#include "gateway/base/keyring.hpp"
#include "gateway/messages/actors.hpp"
#include "gateway/ports/membership.hpp"

namespace gateway::actors {

/// What it works with. Everything referred to must outlive it.
struct resealer_context {
  store_handles store;
  directory_actor operators;
  const crypto::keyring& keys;
  const membership& nodes = membership::alone();
};

/// wake_atom, from itself: takes the next step.
using resealer = caf::typed_actor<caf::reacts_to<wake_atom>>;

/// Works on the node that owns the maintenance, in steps of few rows, each of which is one claim: a text that has
/// changed meanwhile stays as it is. Nothing is remembered between starts, because the rows say what is left. It also
/// ends a rotation whose node died after it had offered the new key.
resealer spawn_resealer(caf::actor_system& system, resealer_context context);

}  // namespace gateway::actors
