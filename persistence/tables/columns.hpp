// A table's columns, stated once. The file of a table has a function
//
//   template <class Columns, class Row>
//   void thing_columns(Columns& v, Row& row)
//
// with one line for each column: its name and the value of the row, in the order in which they are written and read.
// The statements, the cells of a row and the value that is read back all come from it
// (docs/decisions/0049-a-tables-columns-stand-once.md). A line is one of
//
//   v.given("payment_id", …)  part of the key that each read already has: it is written, and not read
//   v.key("kind", …)          part of the key
//   v.fixed("created_at", …)  written by the insert only
//   v("state", …)             also written by a change of the row
//
// Further arguments, such as bounds, are for get() in values.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "persistence/connection/connection.hpp"
#include "persistence/connection/statements.hpp"
#include "persistence/tables/values.hpp"

namespace gateway::persistence {

/// Appends a row's cells.
class column_writer {
 public:
  enum class cells : bool { of_row, of_change };

  explicit column_writer(row_buffer& to, cells which = cells::of_row) noexcept
      : to_(to), fixed_(which == cells::of_row) {}

  template <class Value, class... More>
  void given(const char*, Value&& value, const More&...) {
    put(to_, std::forward<Value>(value));
  }
  template <class Value, class... More>
  void key(const char*, Value&& value, const More&...) {
    put(to_, std::forward<Value>(value));
  }
  template <class Value, class... More>
  void fixed(const char*, Value&& value, const More&...) {
    if (fixed_) put(to_, std::forward<Value>(value));
  }
  template <class Value, class... More>
  void operator()(const char*, Value&& value, const More&...) {
    put(to_, std::forward<Value>(value));
  }
  /// An optional part of a row, which has `width` columns: NULL without the part, otherwise those that `each` states.
  template <class Part, class Each>
  void part(const std::optional<Part>& value, std::size_t width, const char*, Each each) {
    if (value)
      each(*value);
    else
      for (std::size_t i = 0; i < width; ++i) to_.null();
  }
  void must(bool, const char*) const noexcept {}

 private:
  row_buffer& to_;
  bool fixed_;
};

/// Reads a row of a statement that selects `{columns}`. Throws corrupt_row.
class column_reader {
 public:
  explicit column_reader(const result_row& row) noexcept : in_(row) {}

  template <class Value, class... More>
  void given(const char*, Value&&, const More&...) const noexcept {}
  template <class Value, class... More>
  void key(const char* name, Value&& value, const More&... more) {
    get(in_, value, name, more...);
  }
  template <class Value, class... More>
  void fixed(const char* name, Value&& value, const More&... more) {
    get(in_, value, name, more...);
  }
  template <class Value, class... More>
  void operator()(const char* name, Value&& value, const More&... more) {
    get(in_, value, name, more...);
  }
  template <class Part, class Each>
  void part(std::optional<Part>& value, std::size_t width, const char* otherwise, Each each) {
    if (in_.is_null()) {
      for (std::size_t i = 0; i < width; ++i)
        if (!in_.skip_null()) throw corrupt_row(otherwise);
    } else {
      each(value.emplace());
    }
  }
  void must(bool holds, const char* otherwise) const {
    if (!holds) throw corrupt_row(otherwise);
  }

  /// The columns that a statement selects besides the table's.
  cursor& rest() noexcept { return in_; }

 private:
  cursor in_;
};

/// Collects the columns' names.
class column_names {
 public:
  enum class role : unsigned char { given, key, fixed, changing };
  struct column {
    std::string_view name;
    role what = role::changing;
    std::string_view stand_in{};  ///< a literal for a fixed column that is NOT NULL
  };

  template <class... Value>
  void given(const char* name, const Value&...) {
    add(name, role::given);
  }
  template <class... Value>
  void key(const char* name, const Value&...) {
    add(name, role::key);
  }
  template <class Value, class... More>
  void fixed(const char* name, const Value&, const More&...) {
    constexpr bool is_number = std::is_arithmetic_v<Value> || std::is_same_v<Value, time_point>;
    constexpr bool is_nullable = requires { Value::nullable; };
    add(name, role::fixed, is_number ? "0" : is_nullable ? "" : "''");
  }
  template <class... Value>
  void operator()(const char* name, const Value&...) {
    add(name, role::changing);
  }
  template <class Part, class Each>
  void part(const std::optional<Part>&, std::size_t, const char*, Each each) {
    Part there;
    each(there);
  }
  void must(bool, const char*) const noexcept {}

  const std::vector<column>& all() const noexcept { return all_; }

 private:
  void add(const char* name, role what, const char* stand_in = "");

  std::vector<column> all_;
};

/// A table and the statements that write its rows, made from the lines of its columns once at start.
class table_columns {
 public:
  /// `lines` calls the table's thing_columns() with any row.
  table_columns(std::string_view table, void (*lines)(column_names&));
  table_columns(const table_columns&) = delete;
  table_columns& operator=(const table_columns&) = delete;

  write_shape insert() const noexcept;
  /// Inserts the row, or replaces what may change in it.
  write_shape put() const noexcept;
  /// Inserts the row, or adds to the columns that may change.
  write_shape add() const noexcept;
  /// Changes a row that satisfies the guard (write_shape::guard), which begins with the last column that changes.
  /// Throws std::logic_error for another guard.
  write_shape update(std::string_view guard = "version = {new} - 1", bool another_unique_key = false) const;

  /// The columns that a read selects, each with the prefix.
  std::string selected(std::string_view prefix = {}) const;
  unsigned selected_count() const noexcept { return static_cast<unsigned>(selected_.size()); }

 private:
  std::string_view table_;
  std::size_t keys_ = 0;
  std::vector<std::string_view> written_, changed_, changing_, selected_;
  std::string unused_columns_, unused_values_;
};

/// A statement of a raw literal, whose line breaks and indentation become single spaces. `{columns}` is what a read of
/// the table selects, and `{columns d}` the same of the table's alias d. `{by NAME}` prescribes an index. `{a|b}` is a
/// for SQLite and b for MySQL.
statement sql(std::string_view text);
statement sql(std::string_view text, const table_columns& of);
/// For a statement that the databases write differently.
statement sql(std::string_view sqlite, std::string_view mysql);
statement sql(std::string_view sqlite, std::string_view mysql, const table_columns& of);

// ---- reads --------------------------------------------------------------------------------------

inline constexpr auto no_bound = std::numeric_limits<std::int64_t>::max();

inline std::int64_t bound(const std::optional<time_point>& at, std::int64_t otherwise) {
  return at ? to_unix_ms(*at) : otherwise;
}

/// Appends all rows that one statement finds.
template <class Row>
void read_into(db_connection& db, const statement& sql, std::span<const cell> parameters, std::vector<Row>& rows,
               Row (*from)(const result_row&)) {
  db.read(sql, parameters, [&](const result_row& row) { rows.push_back(from(row)); });
}

/// The entity that a statement finds by its key.
template <class From>
std::optional<entity_row> read_entity(db_connection& db, const statement& sql, const entity_key& key, From from) {
  const cell of[] = {std::string_view{key.merchant.value}, to_string(key.env), std::string_view{key.id}};
  std::optional<entity_row> found;
  db.read(sql, of, [&](const result_row& row) {
    auto read = from(row);
    found = std::make_shared<const decltype(read)>(std::move(read));
  });
  return found;
}

}  // namespace gateway::persistence
