// The table of nodes, as a node's keeper uses it. Of a connection opened with access::keep; each function is one
// transaction, and throws database_error.
#pragma once

#include <chrono>
#include <string>

#include "gateway/domain/node.hpp"
#include "gateway/settings.hpp"
#include "gateway/store.hpp"
#include "persistence/connection.hpp"
#include "persistence/node_rows.hpp"

namespace gateway::persistence {

node_sight look_at_nodes(db_connection& db);

/// Takes the name for a process that starts, once no live node has it: whoever crashed under it is waited for, at most
/// a lease. Throws std::runtime_error, with one line, if a live node has the name, or a gateway that serves alone the
/// database. Answers the incarnation.
std::string take_name(db_connection& db, const settings& s);

/// The row changes; false if it is no longer this process's.
bool renew(db_connection& db, const node_row& mine);
/// The same, and it is in the log that the node has come, or goes.
bool renew_and_tell(db_connection& db, const node_row& mine);
void leave(db_connection& db, const node_row& mine);
/// Nothing if it has changed since.
void give_up(db_connection& db, const node_row& dead);
/// False if there is no such node, or it is gone.
bool ask_to_drain(db_connection& db, const std::string& name);
/// What all have published long ago need not be told any more.
void trim_log(db_connection& db, std::int64_t before);
/// Whether a gateway that serves alone has the database.
bool is_held_by_one(db_connection& db);
/// Waits a moment for its end, and throws std::runtime_error, with one line, if it does not come.
void require_not_held_by_one(db_connection& db);

/// For a gateway that serves alone, which holds its lock: throws std::runtime_error, with one line, if a node lives.
/// Those that do not are given up. `db`: opened for writing.
void require_no_nodes(db_connection& db);

}  // namespace gateway::persistence
