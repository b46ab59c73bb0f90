// How the two databases say the same thing.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "persistence/statements.hpp"

namespace gateway::persistence {

/// MariaDB speaks mysql here, too: only what both accept is rendered.
enum class dialect : unsigned char { sqlite, mysql };

/// The shape as SQL for `rows` rows. SQLite writes one row at a time.
std::string render(dialect to, const write_shape& shape, std::size_t rows);

/// A migration's statements, one by one. Tokens: {string N}, {text}, {integer}; {clustered} and {wide} end a table,
/// small rows that live in their primary key and rows that may be long; {where …} narrows an index where the database
/// can.
std::vector<std::string> render_migration(dialect to, std::string_view sql);

}  // namespace gateway::persistence
