// The actor that owns one subscription.
#pragma once

#include <array>
#include <memory>

#include "entity/entity_context.hpp"
#include "entity/router.hpp"
#include "entity/timing.hpp"
#include "gateway/directory/provider_board.hpp"
#include "gateway/ports/store/answer.hpp"

namespace gateway::actors {

/// The context of a subscription's actor, in addition to that of all entities.
struct subscription_context : entity_context {
  const subscription_encoder& encoder;
  const provider_board& board;
  std::array<provider_actor, provider_catalogue.size()> providers;  ///< gates, by provider_kind

  machine_timing timing() const { return timing_of(config, nodes); }
};

/// For the router, the only caller that spawns subscriptions. A checkout and a cancel are answered with a stored
/// result. A notification is answered once it is durable and its cycle's payment has stored the charge.
/// expire_subscription_checkout and view_entity are answered with the subscription. A missing subscription is
/// problem::subscription_not_found.
entity_spawner subscription_spawner(std::shared_ptr<const subscription_context> context);

}  // namespace gateway::actors
