// What the errors of MySQL, MariaDB, Galera and TiDB mean, in one table.
#pragma once

#include <array>

#include "persistence/connection/connection.hpp"

namespace gateway::persistence {

enum mysql_error : int {
  er_table_exists = 1050,
  er_server_shutdown = 1053,
  er_bad_field = 1054,
  er_dup_fieldname = 1060,
  er_dup_keyname = 1061,
  er_dup_entry = 1062,
  er_cant_drop = 1091,
  er_unknown_error = 1105,
  er_no_such_table = 1146,
  er_unknown_command = 1047,
  er_error_during_commit = 1180,
  er_unknown_system_variable = 1193,
  er_lock_wait_timeout = 1205,
  er_lock_deadlock = 1213,
  er_option_prevents_statement = 1290,
  er_query_interrupted = 1317,
  er_wrong_value = 1366,
  er_statement_limit = 1461,
  er_needs_reprepare = 1615,
  er_read_only_mode = 1836,
  er_connection_killed = 1927,
  er_check_mysql = 3819,
  er_no_such_check = 3821,
  er_no_such_constraint = 3940,
  tidb_cannot_retry_for_update = 8002,
  tidb_conflict_in_server = 8005,
  tidb_retryable = 8022,
  er_entry_too_large = 8025,
  tidb_schema_expired = 8027,
  tidb_schema_changed = 8028,
  tidb_pd_timeout = 9001,
  tidb_storage_timeout = 9002,
  tidb_storage_busy = 9003,
  tidb_resolve_lock_timeout = 9004,
  tidb_region_unavailable = 9005,
  tidb_write_conflict = 9007,
  cr_connection_error = 2002,
  cr_server_gone = 2006,
  cr_server_lost = 2013,
};

struct mysql_error_meaning {
  int code;
  database_error::kind in_statement;  ///< of any statement but COMMIT
  database_error::kind at_commit;
};

/// When a statement fails, nothing is committed yet, and the transaction is repeated: on this connection (`busy`) or on
/// another one, perhaps to another host (`gone`). When COMMIT fails, it is repeated only if it is certain that nothing
/// happened; otherwise the outcome is unknown (`failed`), and the unit is never repeated here.
inline constexpr std::array mysql_error_meanings{
    // InnoDB's deadlock, and Galera's lost certification: another host has committed a conflicting transaction. At
    // COMMIT the server has rolled back.
    mysql_error_meaning{er_lock_deadlock, database_error::kind::busy, database_error::kind::busy},
    // Another transaction holds the row, or this host took too long to apply what others had committed
    // (wsrep_sync_wait). A COMMIT waits for neither: if it ever reports this error, its outcome is unknown.
    mysql_error_meaning{er_lock_wait_timeout, database_error::kind::busy, database_error::kind::failed},
    // KILL QUERY, or an applied write set that took the lock.
    mysql_error_meaning{er_query_interrupted, database_error::kind::busy, database_error::kind::failed},
    // A table was flushed or altered faster than the server could prepare the statement again, or the server holds
    // max_prepared_stmt_count statements. The statement was not executed. A COMMIT is not a prepared statement: if it
    // ever reports one of these errors, its outcome is unknown.
    mysql_error_meaning{er_needs_reprepare, database_error::kind::busy, database_error::kind::failed},
    mysql_error_meaning{er_statement_limit, database_error::kind::busy, database_error::kind::failed},
    // "WSREP has not yet prepared node for application use": the host is not in the primary component, and rejects
    // statements, COMMIT too, before it executes them.
    mysql_error_meaning{er_unknown_command, database_error::kind::gone, database_error::kind::gone},
    // The server has become read-only. A COMMIT is rolled back then.
    mysql_error_meaning{er_option_prevents_statement, database_error::kind::gone, database_error::kind::gone},
    mysql_error_meaning{er_read_only_mode, database_error::kind::gone, database_error::kind::gone},
    // The host left the primary component while it committed: the others may have received the commit.
    mysql_error_meaning{er_error_during_commit, database_error::kind::failed, database_error::kind::failed},
    // The connection broke. At COMMIT the answer was lost.
    mysql_error_meaning{er_server_shutdown, database_error::kind::gone, database_error::kind::failed},
    mysql_error_meaning{er_connection_killed, database_error::kind::gone, database_error::kind::failed},
    mysql_error_meaning{cr_server_gone, database_error::kind::gone, database_error::kind::failed},
    mysql_error_meaning{cr_server_lost, database_error::kind::gone, database_error::kind::failed},
    // TiDB, https://docs.pingcap.com/tidb/stable/error-codes. Another transaction has written the row, or the schema
    // has changed meanwhile: the transaction is rolled back, also at COMMIT, and may be repeated as a whole. Where TiDB
    // cannot know whether a COMMIT happened, it reports none of these errors, but closes the connection.
    mysql_error_meaning{tidb_cannot_retry_for_update, database_error::kind::busy, database_error::kind::busy},
    mysql_error_meaning{tidb_conflict_in_server, database_error::kind::busy, database_error::kind::busy},
    mysql_error_meaning{tidb_retryable, database_error::kind::busy, database_error::kind::busy},
    mysql_error_meaning{tidb_schema_changed, database_error::kind::busy, database_error::kind::busy},
    mysql_error_meaning{tidb_write_conflict, database_error::kind::busy, database_error::kind::busy},
    // The storage is overloaded, or the locks of another transaction are not removed in time. The documentation does
    // not state the outcome of a COMMIT.
    mysql_error_meaning{tidb_storage_busy, database_error::kind::busy, database_error::kind::failed},
    mysql_error_meaning{tidb_resolve_lock_timeout, database_error::kind::busy, database_error::kind::failed},
    // Errors without a number of their own, such as some waits for a row that took too long.
    mysql_error_meaning{er_unknown_error, database_error::kind::busy, database_error::kind::failed},
    // A part of the storage does not answer this server, or the server has lost the others: another host may reach it.
    // At COMMIT the storage may have executed what it did not answer (https://github.com/pingcap/tidb/issues/21355).
    mysql_error_meaning{tidb_schema_expired, database_error::kind::gone, database_error::kind::failed},
    mysql_error_meaning{tidb_pd_timeout, database_error::kind::gone, database_error::kind::failed},
    mysql_error_meaning{tidb_storage_timeout, database_error::kind::gone, database_error::kind::failed},
    mysql_error_meaning{tidb_region_unavailable, database_error::kind::gone, database_error::kind::failed},
};

/// Whether this connection's prepared statements may be the cause, and must be closed before the transaction is
/// repeated: a stale one may fail each time, and they count towards the server's limit.
constexpr bool is_about_prepared_statements(int code) noexcept {
  return code == er_needs_reprepare || code == er_statement_limit;
}

/// Any other error is `failed`.
constexpr mysql_error_meaning meaning_of(int code) noexcept {
  for (const auto& row : mysql_error_meanings)
    if (row.code == code) return row;
  return {code, database_error::kind::failed, database_error::kind::failed};
}

}  // namespace gateway::persistence
