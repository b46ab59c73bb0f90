// The actor that owns the grants that one merchant gives to one platform in one environment, one after another.
#pragma once

#include <memory>

#include "entity/entity_context.hpp"
#include "entity/router.hpp"
#include "gateway/ports/store/answer.hpp"

namespace gateway::actors {

/// The context of a grant's actor, in addition to that of all entities.
struct grant_context : entity_context {
  directory& published;  ///< where grants are published
  const grant_encoder& encoder;
  node_keeper keeper{};  ///< set if there are other nodes: reports when a change is published everywhere
};

/// For the router, the only caller that spawns grants. Consent, a revocation without an idempotency key and view_entity
/// are answered with the binding; an exchange, and a revocation with a key, with a stored result. A missing binding is
/// problem::grant_not_found.
entity_spawner grant_spawner(std::shared_ptr<const grant_context> context);

}  // namespace gateway::actors
