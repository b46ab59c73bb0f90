// Reads from a database what a backup's manifest says of it, and checks that its rows add up.
#pragma once

#include <string>
#include <vector>

#include "persistence/backup/backup.hpp"
#include "persistence/connection/connection.hpp"

namespace gateway::persistence {

backup_contents read_contents(db_connection& db);

/// The ledger's sums that are not zero, and what is wrong with the chains of the audit log, one line each.
std::vector<std::string> faults_in_records(db_connection& db, const backup_contents& contents);

}  // namespace gateway::persistence
