// The location of the store, from --store and --data-dir.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "gateway/ports/membership.hpp"
#include "gateway/settings.hpp"
#include "persistence/connection/connection.hpp"

namespace gateway::persistence {

struct database_host {
  std::string name;
  std::uint16_t port = 3306;

  /// `name:port`
  std::string shown() const;
};

struct store_location {
  dialect language = dialect::sqlite;

  std::filesystem::path file;  ///< sqlite

  std::vector<database_host> hosts;  ///< mysql; several hosts serve one database
  /// The index of the host that the process prefers: the one to which the last connection was made. Shared by all
  /// copies.
  std::shared_ptr<std::atomic<std::size_t>> last_good = std::make_shared<std::atomic<std::size_t>>(0);
  std::string socket;  ///< a path; empty: TCP
  std::string user;
  std::string password;
  std::string database;
  std::string ssl_ca;  ///< PEM file; if set, TLS is required. If empty, hosts must be local, unless ssl-mode=disabled
  /// Identifies this process to the database's lock (docs/decisions/0022-one-gateway-holds-a-lock-on-its-database.md):
  /// 32 hex digits. Connections that write take the lock. Empty: they do not, for tools and tests.
  std::string process;
  /// For a node among others: its connections commit only while it has its lease. Outlives them. Null: no lease is
  /// needed.
  const membership* node = nullptr;
  /// For a process with the lock: it has already looked for live nodes. A live node that it finds later joined while it
  /// had lost the lock.
  bool has_looked_for_nodes = false;
  /// For TiDB, which takes a second to report that a lock is taken: whether a connection of this process holds it.
  /// Shared by all copies.
  std::shared_ptr<std::atomic<bool>> lock_is_held = std::make_shared<std::atomic<bool>>(false);

  /// The location without the password, for logs and errors.
  std::string shown() const;
};

/// Throws std::runtime_error with one line that names what is wrong with the URL.
store_location locate_store(const settings& s);

enum class access : unsigned char {
  read,  ///< every read sees what is committed when it begins
  write,  ///< transactions
  migrate,  ///< as write, but without a time limit for the change of a large table
  keep,  ///< as write, but without the lock and with short time limits: for a node's lease
};

/// Throws database_error `unreachable`, or `locked_out` with a text that names the process that has the database.
std::unique_ptr<db_connection> connect(const store_location& where, access how);

}  // namespace gateway::persistence
