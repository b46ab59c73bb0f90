// Migrates a database to this program's schema.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "persistence/connection/connection.hpp"

namespace gateway::persistence {

struct migration {
  std::int64_t version;
  std::string_view name;
  std::string_view sql;  ///< statements that end in `;`, with the tokens of dialect.hpp
};

/// Embedded at build time, in order.
std::span<const migration> known_migrations() noexcept;

/// Applies the missing migrations, one process at a time. Throws std::runtime_error if the database's schema is newer
/// than `known`, and database_error if the database fails.
void migrate(db_connection& db, std::span<const migration> known = known_migrations());

}  // namespace gateway::persistence
