#include "spawn_entity.hpp"

#include <cstdint>
#include <utility>

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/send.hpp>
#include <caf/stateful_actor.hpp>

namespace gateway::actors {

namespace {

struct live_entity {
  const char* name = "entity";
  std::unique_ptr<entity_queue> entity{};
};

entity_actor::behavior_type entity_behavior(entity_actor::stateful_pointer<live_entity> self,
                                            const std::shared_ptr<const entity_maker>& make, const router_actor& router,
                                            const entity_key& key) {
  self->state.entity = (*make)();
  auto* entity = self->state.entity.get();
  self->state.name = entity->name();
  entity->start(self, router, key);
  return {
      [entity](entity_request& request) { return entity->accept(request); },
      [entity](passivate_atom) { entity->passivate(); },
      [entity](wake_atom) { entity->on_wake(); },
  };
}

}  // namespace

entity_spawner spawner_of(entity_maker make) {
  return [make = std::make_shared<const entity_maker>(std::move(make))](
             caf::actor_system& system, const router_actor& router, const entity_key& key, std::uint64_t activation) {
    auto actor = system.spawn<caf::lazy_init>(entity_behavior, make, router, key);
    caf::actor_cast<caf::abstract_actor*>(actor)->attach_functor([router, key, activation](const caf::error&) {
      caf::anon_send(router, passivate_atom::value, key, activation);
    });
    return actor;
  };
}

}  // namespace gateway::actors
