// The actor that owns one payment.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "commit_doubt.hpp"
#include "gateway/actors.hpp"
#include "gateway/base/metrics.hpp"
#include "gateway/delivery_numbers.hpp"
#include "gateway/directory.hpp"
#include "gateway/settings.hpp"
#include "provider_places.hpp"

namespace gateway::actors {

/// What every payment actor works with. Made once by the composition root; outlives them all.
struct payment_context {
  store_handles store;
  std::array<provider_actor, provider_catalogue.size()> providers;  ///< gates, by provider_kind
  const directory& merchants;
  const wall_clock& clock;
  const result_encoder& encoder;
  const settings& config;
  metrics& meters;
  dispatcher_actor dispatcher;
  delivery_numbers& numbers;
  std::array<provider_places, provider_catalogue.size()> places{};  ///< by provider_kind
  commit_doubt doubt{};

  machine_timing timing() const {
    return {config.hosted_expiry, config.reconcile_first, config.reconcile_longest,
            config.provider_timeout * 2 + std::chrono::seconds{10}};
  }
};

/// Spawned by the router only. Tells `router` with (passivate_atom, key, activation) when it has ended.
payment_actor spawn_payment(caf::actor_system& system, std::shared_ptr<const payment_context> context,
                            router_actor router, const payment_key& key, std::uint64_t activation);

}  // namespace gateway::actors
