#include "persistence/mysql/mysql_connection.hpp"

#include <cppconn/connection.h>
#include <cppconn/datatype.h>
#include <cppconn/driver.h>
#include <cppconn/exception.h>
#include <cppconn/prepared_statement.h>
#include <cppconn/resultset.h>
#include <cppconn/statement.h>
#include <mysql_driver.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace gateway::persistence {

namespace {

constexpr int connect_timeout_s = 3;
constexpr int answer_timeout_s = 10;
constexpr int lease_timeout_s = 2;        // a lease that cannot be renewed is soon over
constexpr int migration_timeout_s = 86'400;  // the change of a large table may take hours
constexpr int lock_wait_s = 5;  // below answer_timeout_s, so that a lock wait ends with its own error

/// The server ends a connection in service that has been idle for this long, and with it the process's lock: a machine
/// that has vanished cannot tell the server that its connections are gone.
constexpr int vanished_after_s = 60;

/// Names of locks are global to the server, at most 64 characters long, and their case does not matter: the database's
/// name stands in them as a hash. The second lock tells whose connection holds the first.
constexpr std::string_view database_lock = "CONCAT('gateway-database:', MD5(DATABASE()))";
std::string process_lock(const std::string& process) { return "'gateway-process:" + process + "'"; }

/// How many of `rows` the next statement writes. Each statement costs a round trip, so up to 16 rows are written by
/// one. Above that only a few sizes are used, because the server keeps a prepared statement for each.
constexpr std::size_t rows_at_once(std::size_t rows) noexcept {
  constexpr std::size_t every_count_to = 16;
  if (rows <= every_count_to) return rows;
  std::size_t fits = every_count_to;
  for (const std::size_t count : {24, 32, 48, 64, 96, 128})
    if (count <= rows) fits = count;
  return fits;
}

enum : int {  // the errors that are told apart here
  er_dup_keyname = 1061,
  er_dup_fieldname = 1060,
  er_bad_field = 1054,
  er_table_exists = 1050,
  er_dup_entry = 1062,
  er_lock_wait_timeout = 1205,
  er_lock_deadlock = 1213,
  er_wrong_value = 1366,
  er_server_shutdown = 1053,
  er_connection_killed = 1927,
  cr_server_gone = 2006,
  cr_server_lost = 2013,
  er_check_mysql = 3819,
  er_unknown_system_variable = 1193,
};

sql::mysql::MySQL_Driver& driver() {
  static auto* const fetched = sql::mysql::get_mysql_driver_instance();
  return *fetched;
}

/// The client library keeps state for each thread that uses it.
void attach_thread() {
  struct attachment {
    attachment() { driver().threadInit(); }
    ~attachment() { driver().threadEnd(); }
  };
  thread_local const attachment here;
}

database_error::kind kind_of(const sql::SQLException& e) noexcept {
  switch (e.getErrorCode()) {
    case er_lock_deadlock:
    case er_lock_wait_timeout: return database_error::kind::busy;
    case cr_server_gone:
    case cr_server_lost:
    case er_server_shutdown:
    case er_connection_killed: return database_error::kind::gone;
    default: return database_error::kind::failed;
  }
}

/// Runs calls of the driver and converts its exceptions to database_error.
template <class Work>
auto translated(Work work) {
  try {
    return work();
  } catch (const sql::SQLException& e) {
    throw database_error(kind_of(e), e.getErrorCode(), e.what());
  }
}

/// Whether a value is at fault (SQL state classes 22 and 23) and not the database.
bool is_about_a_value(const sql::SQLException& e) {
  const auto& state = e.getSQLState();
  return state.starts_with("22") || state.starts_with("23") || e.getErrorCode() == er_check_mysql ||
         e.getErrorCode() == er_wrong_value;
}

class mysql_row final : public result_row {
 public:
  explicit mysql_row(const sql::ResultSet& rows) noexcept : rows_(rows) {}
  bool is_null(unsigned column) const override { return rows_.isNull(column + 1); }
  std::int64_t integer(unsigned column) const override { return rows_.getInt64(column + 1); }
  std::string text(unsigned column) const override { return rows_.getString(column + 1).asStdString(); }

 private:
  const sql::ResultSet& rows_;
};

}  // namespace

mysql_connection::mysql_connection(const store_location& where, access how) {
  attach_thread();
  try {
    open(where, how);
  } catch (const sql::SQLException& e) {
    throw database_error(database_error::kind::unreachable, e.getErrorCode(), e.what());
  }
}

mysql_connection::~mysql_connection() {
  try {
    statements_.clear();
    shapes_.clear();
    plain_.reset();
    link_.reset();
  } catch (const sql::SQLException&) {
    // A broken connection cannot be closed in order.
  }
}

void mysql_connection::open(const store_location& where, access how) {
  sql::ConnectOptionsMap options;
  const bool is_ipv6 = where.host.find(':') != std::string::npos;
  const auto host = is_ipv6 ? "[" + where.host + "]" : where.host;
  const auto endpoint =
      where.socket.empty() ? "tcp://" + host + ":" + std::to_string(where.port) : "unix://" + where.socket;
  options["hostName"] = sql::SQLString(endpoint);
  options["userName"] = sql::SQLString(where.user);
  options["password"] = sql::SQLString(where.password);
  options["schema"] = sql::SQLString(where.database);
  options["OPT_RECONNECT"] = false;  // a connection that is reopened silently has lost its transaction
  const auto answer_s = how == access::migrate ? migration_timeout_s
                        : how == access::keep  ? lease_timeout_s
                                               : answer_timeout_s;
  options["OPT_CONNECT_TIMEOUT"] = how == access::keep ? lease_timeout_s : connect_timeout_s;
  options["OPT_READ_TIMEOUT"] = answer_s;
  options["OPT_WRITE_TIMEOUT"] = std::min(answer_s, answer_timeout_s);
  options["OPT_CHARSET_NAME"] = sql::SQLString("utf8mb4");
  if (!where.ssl_ca.empty()) {
    options["sslCA"] = sql::SQLString(where.ssl_ca);
    options["sslVerify"] = true;
    options["sslEnforce"] = true;
  }
  link_.reset(driver().connect(options));
  plain_.reset(link_->createStatement());
  plain_->execute("SET NAMES utf8mb4 COLLATE utf8mb4_bin");
  plain_->execute("SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'");
  plain_->execute("SET SESSION innodb_lock_wait_timeout = " + std::to_string(lock_wait_s));
  plain_->execute("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
  link_->setAutoCommit(how == access::read);
  if (how == access::write && where.node) {
    node_ = where.node;
    end_idle_transactions();
  }
  if ((how == access::write || how == access::migrate) && !where.process.empty()) {
    process_ = where.process;
    share_lock();
    if (holds_lock_ && where.has_looked_for_nodes) give_lock_to_nodes();
  }
}

/// A process that is stopped between its look at its lease and its commit must not commit when it goes on: by then the
/// server has rolled back (gateway/domain/node.hpp counts on a second).
void mysql_connection::end_idle_transactions() {
  try {
    plain_->execute("SET SESSION idle_transaction_timeout = 1");
  } catch (const sql::SQLException& e) {
    if (e.getErrorCode() != er_unknown_system_variable) throw;
    plain_->execute("SET SESSION wait_timeout = 1");  // MySQL: of transactions or not; the next use connects again
  }
}

void mysql_connection::share_lock() {
  // Another connection of this process may have taken the first lock just now, and not yet the second.
  constexpr int looks = 5;
  for (int look = 0; look < looks; ++look) {
    if (look > 0) std::this_thread::sleep_for(std::chrono::milliseconds{20});
    holds_lock_ = take_lock();
    if (holds_lock_ || process_has_lock()) return;
  }
  throw database_error(database_error::kind::locked_out, 0, "another gateway uses this database" + lock_holder());
}

/// A node that started meanwhile has seen that the lock was free.
void mysql_connection::give_lock_to_nodes() {
  const std::unique_ptr<sql::ResultSet> rows{
      plain_->executeQuery("SELECT name FROM nodes WHERE status <> 'gone' LIMIT 1")};
  if (!rows->next()) return;
  const auto name = rows->getString(1).asStdString();
  throw database_error(database_error::kind::locked_out, 0,
                       "node '" + name + "' uses this database: end this gateway, or give it cluster options");
}

bool mysql_connection::take_lock() {
  // The second lock is waited for: it may still belong to a connection of this process whose end the server is at.
  const std::string first{database_lock};
  const std::unique_ptr<sql::ResultSet> rows{plain_->executeQuery(
      "SELECT IF(GET_LOCK(" + first + ", 0) = 1, GET_LOCK(" + process_lock(process_) + ", 5), 0)")};
  return rows->next() && rows->getInt(1) == 1;
}

bool mysql_connection::process_has_lock() {
  const std::string first{database_lock};
  const std::unique_ptr<sql::ResultSet> rows{
      plain_->executeQuery("SELECT IS_USED_LOCK(" + first + ") = IS_USED_LOCK(" + process_lock(process_) + ")")};
  return rows->next() && rows->getInt(1) == 1;  // NULL, where one of them is free, reads as 0
}

std::string mysql_connection::lock_holder() {
  // Connections of other users are visible to privileged ones only.
  const std::string first{database_lock};
  const std::unique_ptr<sql::ResultSet> rows{
      plain_->executeQuery("SELECT lock_of.id, list.host FROM (SELECT IS_USED_LOCK(" + first +
                           ") AS id) AS lock_of LEFT JOIN information_schema.processlist AS list USING (id)")};
  if (!rows->next() || rows->isNull(1)) return ", or did a moment ago";
  const auto id = std::to_string(rows->getInt64(1));
  const auto host = rows->isNull(2) ? std::string{} : " from " + rows->getString(2).asStdString();
  return ": connection " + id + host + " holds its lock. End that gateway first. If its machine is gone, the server " +
         "gives the lock up within a minute, or at once by KILL " + id;
}

void mysql_connection::serve() {
  attach_thread();
  if (process_.empty()) return;
  translated([&] { plain_->execute("SET SESSION wait_timeout = " + std::to_string(vanished_after_s)); });
}

void mysql_connection::confirm_lock() {
  if (process_.empty()) return;
  translated([&] {
    if (holds_lock_) {
      plain_->execute("DO 1");  // the lock is ours for as long as the server answers on this connection
    } else if (!process_has_lock()) {
      throw database_error(database_error::kind::gone, 0, "this process no longer has the database's lock");
    }
  });
}

void mysql_connection::commit() {
  if (!holds_lock_) confirm_lock();
  if (node_ && !node_->serves())
    throw database_error(database_error::kind::locked_out, 0, "this node's lease has ended");
  try {
    // A statement, because Connection::commit() of Connector/C++ 1.1 drops the error when the server goes away during
    // it, and clients would get answers that are not stored.
    plain_->execute("COMMIT");
  } catch (const sql::SQLException& e) {
    // If the connection breaks here it is unknown whether the transaction is committed, so it is never repeated.
    const auto kind =
        kind_of(e) == database_error::kind::busy ? database_error::kind::busy : database_error::kind::failed;
    throw database_error(kind, e.getErrorCode(), e.what());
  }
}

void mysql_connection::rollback() noexcept {
  try {
    plain_->execute("ROLLBACK");
  } catch (const sql::SQLException&) {
    // The server rolls back the transaction of a lost connection.
  }
}

void mysql_connection::execute(const std::string& text) {
  translated([&] { plain_->execute(text); });
}

write_result mysql_connection::write(const write_shape& shape, std::span<const cell> cells) {
  const auto width = shape.columns.size();
  while (!cells.empty()) {
    const auto rows = rows_at_once(cells.size() / width);
    try {
      auto& s = cached(shape, rows);
      bind(s, cells.first(rows * width));
      const auto counted = static_cast<std::size_t>(s.executeUpdate());
      if (shape.what == write_shape::form::guarded_update && counted != 2 * rows) return write_result::missed;
    } catch (const sql::SQLException& e) {
      if (e.getErrorCode() == er_dup_entry) return write_result::duplicate;
      if (is_about_a_value(e)) return write_result::rejected;
      throw database_error(kind_of(e), e.getErrorCode(), e.what());
    }
    cells = cells.subspan(rows * width);
  }
  return write_result::done;
}

std::uint64_t mysql_connection::change(const statement& sql, std::span<const cell> parameters) {
  return translated([&] {
    auto& s = cached(sql);
    bind(s, parameters);
    return static_cast<std::uint64_t>(s.executeUpdate());
  });
}

void mysql_connection::read(const statement& sql, std::span<const cell> parameters, const row_handler& each) {
  translated([&] {
    auto& s = cached(sql);
    bind(s, parameters);
    const std::unique_ptr<sql::ResultSet> rows{s.executeQuery()};
    const mysql_row row{*rows};
    while (rows->next()) each(row);
  });
}

void mysql_connection::lock_schema() {
  translated([&] {
    // The lock's name is global to the server, so the database's name is part of it.
    const std::unique_ptr<sql::ResultSet> rows{
        plain_->executeQuery("SELECT GET_LOCK(CONCAT('gateway:', MD5(DATABASE())), 8)")};
    if (!rows->next() || rows->getInt(1) != 1)
      throw database_error(database_error::kind::failed, er_lock_wait_timeout,
                           "another gateway is migrating this database");
  });
}

void mysql_connection::unlock_schema(bool keep) {
  constexpr auto release = "DO RELEASE_LOCK(CONCAT('gateway:', MD5(DATABASE())))";
  if (keep) {
    commit();
    return execute(release);
  }
  rollback();
  try {
    plain_->execute(release);
  } catch (const sql::SQLException&) {
    // The server releases the lock when the connection ends.
  }
}

bool mysql_connection::is_already_there(const database_error& error) const noexcept {
  // er_bad_field: a column that was renamed is not found under its old name.
  return error.driver_code == er_dup_keyname || error.driver_code == er_table_exists ||
         error.driver_code == er_dup_fieldname || error.driver_code == er_bad_field ||
         error.driver_code == er_dup_entry;
}

sql::PreparedStatement& mysql_connection::cached(const write_shape& shape, std::size_t rows) {
  auto& slot = shapes_[{&shape, rows}];
  if (!slot) slot.reset(link_->prepareStatement(render(dialect::mysql, shape, rows)));
  return *slot;
}

sql::PreparedStatement& mysql_connection::cached(const statement& sql) {
  auto& slot = statements_[&sql];
  if (!slot) slot.reset(link_->prepareStatement(sql::SQLString(sql.mysql.data(), sql.mysql.size())));
  return *slot;
}

void mysql_connection::bind(sql::PreparedStatement& s, std::span<const cell> cells) {
  unsigned at = 1;
  for (const auto& value : cells) {
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
      s.setInt64(at, *number);
    } else if (const auto* text = std::get_if<std::string_view>(&value)) {
      s.setString(at, sql::SQLString(text->empty() ? "" : text->data(), text->size()));
    } else {
      s.setNull(at, sql::DataType::VARCHAR);
    }
    ++at;
  }
}

}  // namespace gateway::persistence
