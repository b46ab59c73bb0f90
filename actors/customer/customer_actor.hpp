// The actor that owns one customer of a platform at a merchant.
#pragma once

#include <memory>

#include "entity/entity_context.hpp"
#include "entity/router.hpp"

namespace gateway::actors {

/// For the router, the only caller that spawns customers. record_customer is answered with the customer once the change
/// is durable; view_entity is answered with the customer. A missing customer is problem::customer_not_found.
entity_spawner customer_spawner(std::shared_ptr<const entity_context> context);

}  // namespace gateway::actors
