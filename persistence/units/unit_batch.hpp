// Commits many units of work in one transaction. A unit that fails does not make the others fail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gateway/ports/store/store.hpp"
#include "persistence/connection/connection.hpp"
#include "persistence/tables/event_log.hpp"

namespace gateway::persistence {

/// Whether a unit that inserts a payment with the id of a purged one is refused. Such ids are looked up only where
/// payments are purged.
enum class purged_ids : bool { unknown, refused };

/// Commits the units in their order, and returns an outcome for each. Adds to daily totals in `lane`, and links entries
/// of the audit log to that lane's chain: two connections that commit at the same time use different lanes, or one
/// waits for the other. `events` is the connection's lane in the log of events. Throws database_error when the database
/// fails. Nothing is committed then, unless the answer to the COMMIT was lost.
std::vector<commit_outcome> commit_units(db_connection& db, std::span<const unit_of_work> units, std::int64_t lane,
                                         event_lane& events, purged_ids purged = purged_ids::unknown);
/// For a connection that commits once: its lane in the log of events ends with the call.
std::vector<commit_outcome> commit_units(db_connection& db, std::span<const unit_of_work> units, std::int64_t lane = 0,
                                         purged_ids purged = purged_ids::unknown);

}  // namespace gateway::persistence
