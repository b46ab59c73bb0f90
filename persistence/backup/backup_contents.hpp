// Reads what a backup's manifest states about a database, and checks its ledger and its audit log.
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
