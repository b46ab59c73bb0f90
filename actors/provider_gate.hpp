// The gate in front of a provider: every call through it is answered, and counted.
#pragma once

#include "gateway/actors.hpp"
#include "gateway/base/metrics.hpp"
#include "gateway/settings.hpp"

namespace gateway::actors {

/// Has the interface of the provider. Where the provider does not answer within settings.provider_timeout or
/// dies, the gate answers with status unknown: the reconciler asks again. A reply that comes after that is dropped.
/// How many calls are open is bounded by those who call (payment/provider_slots.hpp).
provider_actor spawn_provider_gate(caf::actor_system& system, provider_actor provider, provider_kind kind,
                                   const settings& config, metrics& meters);

}  // namespace gateway::actors
