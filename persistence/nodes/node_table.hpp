// Reads and changes of the table of nodes, for a node's keeper. The connection is one opened with access::keep. Each
// function is one transaction and throws database_error.
#pragma once

#include <chrono>
#include <string>

#include "gateway/domain/node.hpp"
#include "gateway/ports/store/store.hpp"
#include "gateway/settings.hpp"
#include "persistence/connection/connection.hpp"
#include "persistence/nodes/node_rows.hpp"

namespace gateway::persistence {

node_sight look_at_nodes(db_connection& db);

/// Takes the name for a starting process and returns its incarnation. Waits for at most one lease, because a node that
/// crashed under the same name still holds it until then. Throws std::runtime_error with one line if a live node has
/// the name, or a gateway that serves alone has the database.
std::string take_name(db_connection& db, const settings& s);

/// Writes the row; false if it no longer belongs to this process.
bool renew(db_connection& db, const node_row& mine);
/// As renew(), and adds to the directory's log that the node joins or leaves.
bool renew_and_announce(db_connection& db, const node_row& mine);
void leave(db_connection& db, const node_row& mine);
/// Marks the node as gone. Changes nothing if the row has changed since it was read.
void give_up(db_connection& db, const node_row& dead);
/// False if there is no such node or it is gone.
bool ask_to_drain(db_connection& db, const std::string& name);
/// Deletes the log's entries before this number, which all live nodes published long ago.
void trim_log(db_connection& db, std::int64_t before);
/// Whether a gateway that serves alone holds the database's lock.
bool is_held_by_one(db_connection& db);
/// Waits up to one lease for a gateway that serves alone to end, and throws std::runtime_error with one line if it does
/// not.
void require_not_held_by_one(db_connection& db);

/// For a gateway that serves alone and holds the database's lock: throws std::runtime_error with one line if a node is
/// live, and marks the others as gone. `db`: opened for writing.
void require_no_nodes(db_connection& db);

}  // namespace gateway::persistence
