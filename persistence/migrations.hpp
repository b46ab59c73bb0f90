// Brings a database to the schema that this binary knows.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "persistence/connection.hpp"

namespace gateway::persistence {

struct migration {
  std::int64_t version;
  std::string_view name;
  std::string_view sql;  ///< statements that end in `;`, with the tokens of dialect.hpp
};

/// Embedded at build time, in order.
std::span<const migration> known_migrations() noexcept;

/// Applies what is missing, alone: concurrent starts wait for each other. A database with a newer schema
/// than `known` throws std::runtime_error; trouble with the database throws database_error.
void migrate(db_connection& db, std::span<const migration> known = known_migrations());

}  // namespace gateway::persistence
