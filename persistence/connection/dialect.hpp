// Renders statements for the two databases.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "persistence/connection/statements.hpp"

namespace gateway::persistence {

/// MariaDB and TiDB count as mysql: only statements that all three accept are rendered.
enum class dialect : unsigned char { sqlite, mysql };

/// The shape as SQL for `rows` rows. SQLite writes one row at a time.
std::string render(dialect to, const write_shape& shape, std::size_t rows);

/// The statements of a migration. Its tokens are the types {string N}, {text} and {integer}; {clustered} at the end of
/// a table whose rows are small and stored in the primary key; {wide} at the end of a table whose rows may be long; and
/// {where …} for the condition of a partial index, left out for a database without partial indexes.
std::vector<std::string> render_migration(dialect to, std::string_view sql);

}  // namespace gateway::persistence
