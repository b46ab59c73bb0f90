// Commits many units of work in one transaction. A unit that fails does not make the others fail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gateway/ports/store/store.hpp"
#include "persistence/connection/connection.hpp"

namespace gateway::persistence {

/// Commits the units in their order, and returns an outcome for each. Adds to daily totals in `lane`, and links entries
/// of the audit log to that lane's chain: two connections that commit at the same time use different lanes, or one
/// waits for the other. Throws database_error when the database fails. Nothing is committed then, unless the answer to
/// the COMMIT was lost.
std::vector<commit_outcome> commit_units(db_connection& db, std::span<const unit_of_work> units, std::int64_t lane = 0);

}  // namespace gateway::persistence
