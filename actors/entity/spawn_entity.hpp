// How an entity's actor comes and goes, the same for every kind.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/send.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "gateway/actors.hpp"

namespace gateway::actors {

template <class Entity, class Context>
entity_actor::behavior_type entity_behavior(entity_actor::stateful_pointer<Entity> self,
                                            std::shared_ptr<const Context> context, router_actor router,
                                            entity_key key) {
  self->state.start(self, std::move(context), std::move(router), key);
  return {
      [self](entity_request& request) { return self->state.accept(request); },
      [self](passivate_atom) { self->state.passivate(); },
      [self](wake_atom) { self->state.look_again(); },
  };
}

/// Tells `router` with (passivate_atom, key, activation) when it has ended.
template <class Entity, class Context>
entity_actor spawn_entity(caf::actor_system& system, std::shared_ptr<const Context> context, router_actor router,
                          const entity_key& key, std::uint64_t activation) {
  auto actor = system.spawn<caf::lazy_init>(entity_behavior<Entity, Context>, std::move(context), router, key);
  caf::actor_cast<caf::abstract_actor*>(actor)->attach_functor(
      [router = std::move(router), key, activation](const caf::error&) {
        caf::anon_send(router, passivate_atom::value, key, activation);
      });
  return actor;
}

}  // namespace gateway::actors
