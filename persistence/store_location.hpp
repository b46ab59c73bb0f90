// Where the store is, read from --store and --data-dir.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "gateway/settings.hpp"
#include "persistence/connection.hpp"

namespace gateway::persistence {

struct store_location {
  dialect language = dialect::sqlite;

  std::filesystem::path file;  ///< sqlite

  std::string host;  ///< mysql
  std::uint16_t port = 3306;
  std::string socket;  ///< a path; empty: TCP
  std::string user;
  std::string password;
  std::string database;
  std::string ssl_ca;  ///< PEM file; given: TLS or nothing

  /// For logs and errors: without the password.
  std::string shown() const;
};

/// Throws std::runtime_error with one line that names what is wrong with the URL.
store_location locate_store(const settings& s);

enum class access : unsigned char {
  read,   ///< every read sees what is committed at its moment
  write,  ///< transactions
  migrate,  ///< as write; a statement may take as long as a large table needs
};

/// Throws database_error `unreachable`.
std::unique_ptr<db_connection> connect(const store_location& where, access how);

}  // namespace gateway::persistence
