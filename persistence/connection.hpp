// One database connection, as this room needs it. mysql/ and sqlite/ implement it; nothing else in the
// gateway sees a driver.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>

#include "persistence/dialect.hpp"
#include "persistence/statements.hpp"

namespace gateway::persistence {

/// One value on its way into a statement. Text is borrowed: it must outlive the call.
using cell = std::variant<std::monostate, std::int64_t, std::string_view>;

/// What became of written rows. Anything but `done` may have written some: the caller rolls back.
enum class write_result : unsigned char {
  done,
  duplicate,  ///< a key is taken
  missed,     ///< a guarded update did not find its row as it must stand
  rejected,   ///< a value broke a constraint of the schema
};

/// Trouble with the database as a whole. Drivers' exceptions become this one, and it ends in database_session::run.
class database_error : public std::runtime_error {
 public:
  enum class kind : unsigned char {
    busy,         ///< deadlock or lock wait: nothing happened, the transaction may run again
    gone,         ///< the connection broke before a commit was sent: nothing happened
    failed,       ///< anything else; of a commit: it may have happened
    unreachable,  ///< no connection could be made
  };

  database_error(kind what, int code, const std::string& text)
      : std::runtime_error(text), what_kind(what), driver_code(code) {}

  kind what_kind;
  int driver_code;  ///< the driver's number, for the log: texts may quote data
};

/// The current row of a read. Valid during the callback only.
class result_row {
 public:
  virtual ~result_row() = default;
  virtual bool is_null(unsigned column) const = 0;
  virtual std::int64_t integer(unsigned column) const = 0;
  virtual std::string text(unsigned column) const = 0;
};

using row_handler = std::function<void(const result_row&)>;

class db_connection {
 public:
  virtual ~db_connection() = default;

  virtual dialect language() const noexcept = 0;

  virtual void begin() = 0;
  virtual void commit() = 0;
  virtual void rollback() noexcept = 0;

  /// Runs text without parameters: savepoints, schema changes.
  virtual void execute(const std::string& sql) = 0;
  /// Writes rows of one shape; `cells` holds them one after the other. Statements are prepared once and kept.
  virtual write_result write(const write_shape& shape, std::span<const cell> cells) = 0;
  /// One statement that changes rows; answers how many.
  virtual std::uint64_t change(const statement& sql, std::span<const cell> parameters) = 0;
  virtual void read(const statement& sql, std::span<const cell> parameters, const row_handler& each) = 0;

  /// What the database wants done between commits, while nobody waits for one. May do nothing; does not fail.
  virtual void tend() noexcept {}

  /// Holds off other processes for the length of a migration.
  virtual void lock_schema() = 0;
  virtual void unlock_schema(bool keep) = 0;
  /// Of a schema statement: the object exists since an earlier start that did not finish.
  virtual bool is_already_there(const database_error& error) const noexcept = 0;

 protected:
  db_connection() = default;
  db_connection(const db_connection&) = delete;
  db_connection& operator=(const db_connection&) = delete;
};

}  // namespace gateway::persistence
