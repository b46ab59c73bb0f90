// How SQLite's write-ahead log is written: the pages of a commit at once.
//
// SQLite writes each page of a commit to the log in two pieces, a header of 24 bytes and the page, and only then syncs
// the log. The calls are most of what a small commit costs beside the sync itself. This file system of SQLite's
// (sqlite.org/vfs.html) is the system's own, but keeps what is appended to a log until it is synced or read, and then
// writes it in one piece.
//
// What SQLite relies on stays: other connections read no page before the sync of its commit has ended (synchronous =
// FULL), and a write that fails fails that sync, so that the transaction is rolled back. What the failed write has left
// in the file is no different from what it leaves without this: pages beyond the end of the log.
#pragma once

namespace gateway::persistence {

/// Registers it with SQLite at the first call. Returns the name to open a database with. Any thread.
const char* log_vfs_name();

}  // namespace gateway::persistence
