// The actor that owns one payment.
#pragma once

#include <array>
#include <memory>

#include "entity/entity_context.hpp"
#include "entity/router.hpp"
#include "gateway/answer.hpp"
#include "provider_slots.hpp"

namespace gateway::actors {

/// What every payment's actor works with, beside what entities share.
struct payment_context : entity_context {
  std::array<provider_actor, provider_catalogue.size()> providers;  ///< gates, by provider_kind
  const payment_encoder& encoder;
  std::array<provider_slots, provider_catalogue.size()> slots{};  ///< by provider_kind

  machine_timing timing() const {
    return {config.hosted_expiry, config.reconcile_first, config.reconcile_longest,
            config.provider_timeout * 2 + std::chrono::seconds{10}};
  }
};

/// For the router, which alone spawns payments.
entity_spawner payment_spawner(std::shared_ptr<const payment_context> context);

}  // namespace gateway::actors
