// The actor that settles what is due: operations left open, unknown outcomes, abandoned hosted sessions.
#pragma once

#include "clock_watch.hpp"
#include "gateway/actors.hpp"
#include "gateway/membership.hpp"
#include "gateway/settings.hpp"

namespace gateway::actors {

/// Looks at the store every settings.reconcile_interval (the first time at once, also for what a crash has
/// left open and is due only later) and asks the router to settle each entity that is due. Once a minute it purges
/// idempotency keys older than settings.idempotency_kept, all that there are. While the clock is not trusted it
/// purges nothing and looks for open operations only. A trusted time it writes to the database, twice a minute. Of
/// several nodes each settles what it owns, and one purges and writes the time.
reconciler_actor spawn_reconciler(caf::actor_system& system, store_handles store, router_actor router,
                                  const wall_clock& clock, clock_watch& watch, const settings& config,
                                  const membership& nodes = membership::alone());

}  // namespace gateway::actors
