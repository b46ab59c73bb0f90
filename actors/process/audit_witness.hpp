// Writes the ends of the audit log's hash chains to the process log when they have advanced. A machine that collects
// the process log then has a copy that cannot be changed through the database.
#pragma once

#include <chrono>

#include <caf/actor_system.hpp>
#include <caf/typed_actor.hpp>

#include "gateway/base/metrics.hpp"
#include "gateway/messages/actors.hpp"

namespace gateway::actors {

/// wake_atom: from itself, to read the ends again.
using audit_witness = caf::typed_actor<caf::reacts_to<wake_atom>>;

inline constexpr std::chrono::minutes between_audit_witnesses{1};

/// Reads the ends at once and then once a minute. `counts` and `clock` must outlive it.
audit_witness spawn_audit_witness(caf::actor_system& system, store_reader archive, const wall_clock& clock,
                                  metrics& counts);

}  // namespace gateway::actors
