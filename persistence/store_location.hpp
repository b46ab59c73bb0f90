// The location of the store, from --store and --data-dir.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "gateway/membership.hpp"
#include "gateway/settings.hpp"
#include "persistence/connection.hpp"

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

  std::vector<database_host> hosts;  ///< mysql; of several, all are one database
  /// Which of the hosts the process uses, as long as it can: the one to which the last connection was made. Shared by
  /// all copies.
  std::shared_ptr<std::atomic<std::size_t>> last_good = std::make_shared<std::atomic<std::size_t>>(0);
  std::string socket;  ///< a path; empty: TCP
  std::string user;
  std::string password;
  std::string database;
  std::string
      ssl_ca;  ///< PEM file; if given, TLS is required. Else only hosts of this machine, unless the URL says more
  /// Names this process to the database's lock (docs/decisions/0022-one-gateway-holds-a-lock-on-its-database.md): 32
  /// hex digits. Connections that write take part in it. Empty: they do not, as those of tools and tests.
  std::string process;
  /// Of a node among others: what its connections write is committed only while it has its lease. Outlives them. Null:
  /// there is no lease.
  const membership* node = nullptr;
  /// Of a process with the lock: a node that is there has come since, while this process had lost the lock.
  bool has_looked_for_nodes = false;

  /// The location without the password, for logs and errors.
  std::string shown() const;
};

/// Throws std::runtime_error with one line that names what is wrong with the URL.
store_location locate_store(const settings& s);

enum class access : unsigned char {
  read,  ///< every read sees what is committed when it begins
  write,  ///< transactions
  migrate,  ///< as write, but without a time limit for the change of a large table
  keep,  ///< as write, without a lock and with short time limits: for a node's lease
};

/// Throws database_error `unreachable`, or `locked_out` with a text that names who has the database.
std::unique_ptr<db_connection> connect(const store_location& where, access how);

}  // namespace gateway::persistence
