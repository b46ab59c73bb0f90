// The actor that owns one customer of a platform at a merchant.
#pragma once

#include <memory>

#include "entity/entity_context.hpp"
#include "entity/router.hpp"

namespace gateway::actors {

/// For the router, which alone spawns them. record_customer is answered with the customer, once it is durable, as is
/// view_entity. One that is not there is problem::customer_not_found.
entity_spawner customer_spawner(std::shared_ptr<const entity_context> context);

}  // namespace gateway::actors
