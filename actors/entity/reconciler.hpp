// The actor that settles what is due: operations left open, unknown outcomes, abandoned hosted sessions.
#pragma once

#include "gateway/base/write_gate.hpp"
#include "gateway/messages/actors.hpp"
#include "gateway/ports/membership.hpp"
#include "gateway/settings.hpp"
#include "process/clock_watch.hpp"

namespace gateway::actors {

/// Reads the store every settings.reconcile_interval and asks the router to settle each entity that is due. The first
/// read is immediate and includes operations that a crash left open and that are due only later. Once a minute the
/// reconciler purges what is older than the settings keep it: idempotency keys, notifications, events, deliveries,
/// payments that have ended, and entries of the audit log. While the clock is trusted, it writes the time to the
/// database twice a minute; while it is not, it purges nothing and looks for open operations only. Each node settles
/// the entities that it owns, and one node purges and writes the time. While the gate is closed, only notifications are
/// settled, and nothing is purged.
reconciler_actor spawn_reconciler(caf::actor_system& system, store_handles store, router_actor router,
                                  const wall_clock& clock, clock_watch& watch, const settings& config,
                                  const membership& nodes = membership::alone(),
                                  const write_gate& gate = write_gate::always_open());

}  // namespace gateway::actors
