// The gate in front of a provider: it ensures that every call is answered in time, counts the calls, and holds the
// provider's breakers.
#pragma once

#include "gateway/base/metrics.hpp"
#include "gateway/directory/provider_board.hpp"
#include "gateway/messages/actors.hpp"
#include "gateway/ports/membership.hpp"
#include "gateway/settings.hpp"

namespace gateway::actors {

/// The gate has the same interface as the provider. If the provider does not answer within settings.provider_timeout,
/// or dies, the gate answers with status unknown (or not_understood), and the reconciler asks again. A later reply is
/// dropped. A node without its lease calls no provider and answers in the same way, because another node may have
/// settled the operation. The callers bound the number of open calls (payment/provider_slots.hpp).
///
/// There is a breaker for each environment. While one is open, `board` shows the provider as unavailable, so that no
/// new operations begin there. Operations that have begun are still settled, which also shows when the provider is
/// available again. A sandbox has no breaker, because its failures are intended.
provider_actor spawn_provider_gate(caf::actor_system& system, provider_actor provider, provider_kind kind,
                                   const settings& config, metrics& meters, provider_board& board,
                                   const membership& nodes = membership::alone());

}  // namespace gateway::actors
