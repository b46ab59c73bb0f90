// The gate in front of a provider: every question through it is answered, and counted; it holds the provider's
// breakers.
#pragma once

#include "gateway/actors.hpp"
#include "gateway/base/metrics.hpp"
#include "gateway/membership.hpp"
#include "gateway/provider_board.hpp"
#include "gateway/settings.hpp"

namespace gateway::actors {

/// Has the interface of the provider. Where the provider does not answer within settings.provider_timeout or
/// dies, the gate answers with status unknown (or not_understood): the reconciler asks again. A reply that comes after
/// that is dropped. A node without its lease calls nobody, and so answers, too: what it was about to ask another may
/// have settled. How many calls are open is bounded by those who call (payment/provider_slots.hpp).
///
/// There is a breaker for each environment. While one is open, `board` says that the provider is away, so that nothing
/// new begins there; what has begun is settled all the same, which also shows when the provider is back. A sandbox has
/// none: its failures are asked for.
provider_actor spawn_provider_gate(caf::actor_system& system, provider_actor provider, provider_kind kind,
                                   const settings& config, metrics& meters, provider_board& board,
                                   const membership& nodes = membership::alone());

}  // namespace gateway::actors
