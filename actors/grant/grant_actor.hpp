// The actor that owns the grants of one platform by one merchant in one environment, one after the other.
#pragma once

#include <memory>

#include "entity/entity_context.hpp"
#include "entity/router.hpp"
#include "gateway/answer.hpp"

namespace gateway::actors {

/// What every grant's actor works with, beside what entities share.
struct grant_context : entity_context {
  directory& published;  ///< where grants are published
  const grant_encoder& encoder;
  node_keeper keeper{};  ///< of a node among others: tells when a change is published everywhere
};

/// For the router, which alone spawns them. Consent, and a revoke without an idempotency key, are answered with the
/// binding, as is view_entity; an exchange, and a revoke with a key, with a stored result. A binding that there is not
/// is problem::grant_not_found.
entity_spawner grant_spawner(std::shared_ptr<const grant_context> context);

}  // namespace gateway::actors
