// The store's reads. Each but the directory's is one statement, so it sees one moment. Throw database_error and
// corrupt_row.
#pragma once

#include "gateway/store.hpp"
#include "persistence/connection.hpp"

namespace gateway::persistence {

entity_lookup run(db_connection& db, const find_entity& what);
command_lookup run(db_connection& db, const find_command& what);
timeline_lookup run(db_connection& db, const find_timeline& what);
due_lookup run(db_connection& db, const find_due& what);
directory_lookup run(db_connection& db, const find_directory& what);
due_deliveries_lookup run(db_connection& db, const find_due_deliveries& what);
backlog_lookup run(db_connection& db, const find_backlog& what);
deliveries_lookup run(db_connection& db, const find_deliveries& what);
events_lookup run(db_connection& db, const find_events& what);

// These write: they need a connection opened for it.
purge_result run(db_connection& db, const purge_commands& what);
redeliver_rows_result run(db_connection& db, const redeliver_rows& what);

std::optional<std::string> read_meta(db_connection& db, std::string_view name);
/// False if the name has a value already: that one stays.
bool put_meta_if_absent(db_connection& db, std::string_view name, std::string_view value);
/// Proves that this connection can commit.
void probe_write(db_connection& db);

}  // namespace gateway::persistence
