// The actor that owns one payment.
#pragma once

#include <array>
#include <memory>

#include "entity/entity_context.hpp"
#include "entity/router.hpp"
#include "entity/timing.hpp"
#include "gateway/directory/provider_board.hpp"
#include "gateway/ports/store/answer.hpp"
#include "provider_slots.hpp"

namespace gateway::actors {

/// The context of a payment's actor, in addition to that of all entities.
struct payment_context : entity_context {
  std::array<provider_actor, provider_catalogue.size()> providers;  ///< gates, by provider_kind
  const payment_encoder& encoder;
  const provider_board& board;
  provider_slots slots{config.provider_in_flight};

  machine_timing timing() const { return timing_of(config, nodes); }
};

/// For the router, the only caller that spawns payments.
entity_spawner payment_spawner(std::shared_ptr<const payment_context> context);

}  // namespace gateway::actors
