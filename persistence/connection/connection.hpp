// The interface of a database connection. mysql/ and sqlite/ implement it. Nothing else in the gateway includes a
// driver, except that session/ looks up the texts of SQLite's error codes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>

#include "persistence/connection/dialect.hpp"
#include "persistence/connection/statements.hpp"

namespace gateway::persistence {

/// A value for a statement. Text is borrowed and must outlive the call.
using cell = std::variant<std::monostate, std::int64_t, std::string_view>;

/// The result of writing rows. Unless it is `done`, some rows may have been written, and the caller rolls back.
enum class write_result : unsigned char {
  done,
  duplicate,  ///< a key is taken
  missed,     ///< a guarded update found no row that satisfies its guard
  rejected,   ///< a value broke a constraint of the schema
};

/// A failure of the database, not of single rows. Drivers' exceptions become this one, and database_session::run
/// catches it.
class database_error : public std::runtime_error {
 public:
  enum class kind : unsigned char {
    busy,         ///< deadlock or lock wait: nothing happened, the transaction may run again
    gone,         ///< the connection broke before a commit was sent: nothing happened
    failed,       ///< any other failure; if a commit failed, it may have happened
    unreachable,  ///< no connection could be opened
    locked_out,   ///< another process has the database, and this one must not write
  };

  database_error(kind what, int code, const std::string& text)
      : std::runtime_error(text), what_kind(what), driver_code(code) {}

  kind what_kind;
  int driver_code;  ///< the driver's number, which is logged because texts may quote data
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
  /// The database's name and version, for the operator.
  virtual std::string engine() const = 0;

  virtual void begin() = 0;
  virtual void commit() = 0;
  virtual void rollback() noexcept = 0;

  /// Runs a statement without parameters, such as a savepoint or a schema change.
  virtual void execute(const std::string& sql) = 0;
  /// Writes rows of one shape. `cells` holds the rows one after the other. Prepared statements are kept.
  virtual write_result write(const write_shape& shape, std::span<const cell> cells) = 0;
  /// Runs one statement that changes rows, and returns how many it changed.
  virtual std::uint64_t change(const statement& sql, std::span<const cell> parameters) = 0;
  virtual void read(const statement& sql, std::span<const cell> parameters, const row_handler& each) = 0;

  /// The thread that uses the connection from now on calls this once, whether or not it opened the connection. From
  /// then on the owner calls confirm_lock() at least every few seconds.
  virtual void serve() {}
  /// Throws `gone` if this process no longer has the database's lock or has lost the connection. Nothing has happened
  /// then, and a new connection takes the lock again unless another process has it. No-op for the embedded store: the
  /// operator socket in its data directory keeps a second process out.
  virtual void confirm_lock() {}

  /// Whether the process has moved to another host of the database since this connection was opened. Its own host may
  /// never answer, so it is replaced before it is used again.
  virtual bool is_left_behind() const noexcept { return false; }

  /// Maintenance between commits, such as a checkpoint, while no unit waits for its outcome. Does not fail.
  virtual void maintain() noexcept {}

  /// Removes the remains of replaced and deleted rows from the database's files. False: not done here because the
  /// server does so itself, or it failed.
  virtual bool clear_free_pages() { return false; }

  /// Locks other processes out for the length of a migration.
  virtual void lock_schema() = 0;
  virtual void unlock_schema(bool keep) = 0;
  /// Whether a schema statement failed because an earlier start, which did not finish, has already executed it.
  virtual bool is_already_there(const database_error& error) const noexcept = 0;

 protected:
  db_connection() = default;
  db_connection(const db_connection&) = delete;
  db_connection& operator=(const db_connection&) = delete;
};

}  // namespace gateway::persistence
