// Writes the pages of a commit to SQLite's write-ahead log in one piece.
//
// SQLite writes each page of a commit to the log in two pieces, a header of 24 bytes and the page, and only then syncs
// the log. The calls are most of what a small commit costs beside the sync itself. This VFS (sqlite.org/vfs.html) is
// SQLite's default one, but keeps what is appended to a log until it is synced or read, and then writes it in one
// piece.
//
// SQLite's assumptions still hold: other connections read no page before the sync of its commit has ended (synchronous
// = FULL), and a write that fails fails that sync, so that the transaction is rolled back. A failed write leaves the
// same in the file as without this VFS: pages beyond the end of the log.
#pragma once

namespace gateway::persistence {

/// Returns the name of the VFS to open a database with. The first call registers it. Any thread.
const char* log_vfs_name();

}  // namespace gateway::persistence
