#include "persistence/connection/mysql/mysql_connection.hpp"
#include "persistence/connection/sqlite/sqlite_connection.hpp"
#include "persistence/connection/store_location.hpp"

namespace gateway::persistence {

std::unique_ptr<db_connection> connect(const store_location& where, access how) {
  if (where.language == dialect::mysql) return std::make_unique<mysql_connection>(where, how);
  return std::make_unique<sqlite_connection>(where, how);
}

}  // namespace gateway::persistence
