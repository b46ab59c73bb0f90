#include "persistence/connection/dialect.hpp"

#include <stdexcept>

namespace gateway::persistence {

namespace {

std::string joined(std::span<const std::string_view> names) {
  std::string text;
  for (const auto name : names) {
    if (!text.empty()) text += ", ";
    text += name;
  }
  return text;
}

std::string with_new(std::string_view guard, std::string_view replacement) {
  std::string text{guard};
  constexpr std::string_view token = "{new}";
  if (const auto at = text.find(token); at != std::string::npos) text.replace(at, token.size(), replacement);
  return text;
}

/// `(?, ?, …, 0, '')` for each row. Each row ends with `literals`.
std::string value_rows(std::size_t columns, std::string_view literals, std::size_t rows) {
  std::string one = "(";
  for (std::size_t i = 0; i < columns; ++i) one += i == 0 ? "?" : ", ?";
  if (!literals.empty()) (one += ", ") += literals;
  one += ')';
  std::string text;
  for (std::size_t i = 0; i < rows; ++i) {
    if (i != 0) text += ", ";
    text += one;
  }
  return text;
}

std::string insert_sql(const write_shape& shape, std::size_t rows) {
  std::string columns = joined(shape.columns);
  if (!shape.unused_columns.empty()) (columns += ", ") += shape.unused_columns;
  return "INSERT INTO " + std::string{shape.table} + " (" + columns + ") VALUES " +
         value_rows(shape.columns.size(), shape.unused_values, rows);
}

/// The assignment to a column of an existing row.
std::string replacement(const write_shape& shape, const std::string& column, const std::string& incoming) {
  const auto sum = shape.what == write_shape::form::add ? column + " + " : std::string{};
  return column + " = " + sum + incoming;
}

std::string sqlite_upsert(const write_shape& shape) {
  std::string sql =
      insert_sql(shape, 1) + " ON CONFLICT (" + joined(shape.columns.first(shape.keys)) + ") DO UPDATE SET ";
  for (std::size_t i = 0; i < shape.replaced.size(); ++i) {
    if (i != 0) sql += ", ";
    const std::string name{shape.replaced[i]};
    sql += replacement(shape, name, "excluded." + name);
  }
  return sql;
}

std::string mysql_upsert(const write_shape& shape, std::size_t rows) {
  std::string sql = insert_sql(shape, rows) + " ON DUPLICATE KEY UPDATE ";
  for (std::size_t i = 0; i < shape.replaced.size(); ++i) {
    if (i != 0) sql += ", ";
    const std::string name{shape.replaced[i]};
    sql += replacement(shape, name, "VALUES(" + name + ")");
  }
  return sql;
}

/// Parameters are numbered, so that a row's cells keep the order of its columns.
std::string sqlite_guarded_update(const write_shape& shape) {
  std::string sql = "UPDATE " + std::string{shape.table} + " SET ";
  for (std::size_t i = shape.keys; i < shape.columns.size(); ++i) {
    if (i != shape.keys) sql += ", ";
    sql += std::string{shape.columns[i]} + " = ?" + std::to_string(i + 1);
  }
  sql += " WHERE ";
  for (std::size_t i = 0; i < shape.keys; ++i)
    sql += std::string{shape.columns[i]} + " = ?" + std::to_string(i + 1) + " AND ";
  return sql + with_new(shape.guard, "?" + std::to_string(shape.columns.size()));
}

/// No UPDATE that sets many rows to different values, each with a guard, is fast in both MySQL and MariaDB. This form
/// is. The server counts 2 for a row that changed, 1 for one that did not exist, and 0 for one whose guard failed.
/// Assignments run from left to right, so the column that the guard reads comes last.
std::string mysql_guarded_update(const write_shape& shape, std::size_t rows) {
  const std::string last{shape.columns.back()};
  std::string guard = with_new(shape.guard, "VALUES(" + last + ")");
  if (shape.another_unique_key)
    for (const auto key : shape.columns.first(shape.keys))
      guard = std::string{key} + " = VALUES(" + std::string{key} + ") AND " + guard;
  std::string sql = insert_sql(shape, rows) + " ON DUPLICATE KEY UPDATE ";
  for (std::size_t i = shape.keys; i < shape.columns.size(); ++i) {
    if (i != shape.keys) sql += ", ";
    const std::string name{shape.columns[i]};
    sql += name + " = IF(" + guard + ", VALUES(" + name + "), " + name + ")";
  }
  return sql;
}

std::string token_sql(dialect to, std::string_view token) {
  const bool mysql = to == dialect::mysql;
  if (token.starts_with("string ")) return mysql ? "VARCHAR(" + std::string{token.substr(7)} + ")" : "TEXT";
  if (token == "text") return mysql ? "MEDIUMTEXT" : "TEXT";
  if (token == "integer") return mysql ? "BIGINT" : "INTEGER";
  if (token.starts_with("where ")) return mysql ? "" : std::string{"WHERE "} + std::string{token.substr(6)};
  if (token == "clustered" || token == "wide") {
    if (mysql) return "ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin ROW_FORMAT=DYNAMIC";
    return token == "clustered" ? "STRICT, WITHOUT ROWID" : "STRICT";
  }
  throw std::logic_error("unknown token in a migration: " + std::string{token});
}

/// `{for sqlite}` and `{for mysql}` begin a part for one database only, and `{for both}` ends it.
std::string render_tokens(dialect to, std::string_view sql) {
  std::string text;
  bool meant = true;
  while (!sql.empty()) {
    const auto open = sql.find('{');
    if (meant) text += sql.substr(0, open);
    if (open == std::string_view::npos) break;
    const auto close = sql.find('}', open);
    if (close == std::string_view::npos) throw std::logic_error("a migration's token does not end");
    const auto token = sql.substr(open + 1, close - open - 1);
    if (token == "for sqlite" || token == "for mysql" || token == "for both")
      meant = token == "for both" || (token == "for mysql") == (to == dialect::mysql);
    else if (meant)
      text += token_sql(to, token);
    sql.remove_prefix(close + 1);
  }
  return text;
}

std::string without_comments(std::string_view sql) {
  std::string text;
  while (!sql.empty()) {
    const auto end = sql.find('\n');
    const auto line = sql.substr(0, end);
    if (!line.starts_with("--")) (text += line) += '\n';
    if (end == std::string_view::npos) break;
    sql.remove_prefix(end + 1);
  }
  return text;
}

}  // namespace

std::string render(dialect to, const write_shape& shape, std::size_t rows) {
  const bool mysql = to == dialect::mysql;
  if (!mysql && rows != 1) throw std::logic_error("SQLite writes one row at a time");
  switch (shape.what) {
    case write_shape::form::upsert:
    case write_shape::form::add: return mysql ? mysql_upsert(shape, rows) : sqlite_upsert(shape);
    case write_shape::form::guarded_update:
      return mysql ? mysql_guarded_update(shape, rows) : sqlite_guarded_update(shape);
    case write_shape::form::insert: break;
  }
  return insert_sql(shape, rows);
}

std::vector<std::string> render_migration(dialect to, std::string_view sql) {
  const auto text = render_tokens(to, without_comments(sql));
  std::vector<std::string> all;
  for (std::size_t from = 0; from < text.size();) {
    const auto end = text.find(';', from);
    if (end == std::string::npos) break;
    const auto start = text.find_first_not_of(" \n", from);
    if (start < end) all.push_back(text.substr(start, end - start));
    from = end + 1;
  }
  return all;
}

}  // namespace gateway::persistence
