#include "persistence/connection/mysql/mysql_connection.hpp"

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

#include "persistence/connection/mysql/mysql_errors.hpp"

namespace gateway::persistence {

namespace {

constexpr int connect_timeout_s = 3;
constexpr int connect_timeout_of_several_s = 1;  // the next host is waiting
constexpr int answer_timeout_s = 10;
constexpr int lease_timeout_s = 2;        // a lease that cannot be renewed ends soon
constexpr int migration_timeout_s = 86'400;  // the change of a large table may take hours
constexpr int lock_wait_s = 5;  // below answer_timeout_s, so that a lock wait ends with its own error

/// The server ends a connection in service that has been idle for this long, and with it the process's lock. A machine
/// that fails does not close its connections.
constexpr int vanished_after_s = 60;

/// Names of locks are global to the server, at most 64 characters long and case-insensitive, so they contain a hash of
/// the database's name. The second lock identifies the process that holds the first.
constexpr std::string_view database_lock = "CONCAT('gateway-database:', MD5(DATABASE()))";
std::string process_lock(const std::string& process) { return "'gateway-process:" + process + "'"; }

// TiDB keeps such a lock as a transaction that is never committed. It ends with its connection, too, but at the latest
// after `max-txn-ttl`, an hour, and no query shows which process has it. So on TiDB the lock has two names. A process
// takes both, keeps one and changes to the other every few minutes, and its id in a row shows that it has the lock.
constexpr std::string_view second_name = "CONCAT('gateway-database:', MD5(DATABASE()), ':2')";
constexpr std::chrono::minutes name_kept{5};
constexpr auto lock_table =
    "CREATE TABLE IF NOT EXISTS database_lock (id BIGINT NOT NULL, process VARCHAR(64) NOT NULL, PRIMARY KEY (id)) "
    "DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin";

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

/// Runs calls of the driver and converts its exceptions to database_error.
template <class Work>
auto translated(Work work) {
  try {
    return work();
  } catch (const sql::SQLException& e) {
    throw database_error(meaning_of(e.getErrorCode()).in_statement, e.getErrorCode(), e.what());
  }
}

/// Whether a value is at fault (SQL state classes 22 and 23) and not the database.
bool is_about_a_value(const sql::SQLException& e) {
  const auto& state = e.getSQLState();
  return state.starts_with("22") || state.starts_with("23") || e.getErrorCode() == er_check_mysql ||
         e.getErrorCode() == er_wrong_value || e.getErrorCode() == er_entry_too_large;
}

/// TiDB answers some waits that took too long with an error instead of 0.
bool gives_lock(sql::Statement& on, std::string_view lock, int wait_s) {
  const auto sql = "SELECT GET_LOCK(" + std::string{lock} + ", " + std::to_string(wait_s) + ")";
  try {
    const std::unique_ptr<sql::ResultSet> rows{on.executeQuery(sql)};
    return rows->next() && rows->getInt(1) == 1;
  } catch (const sql::SQLException& e) {
    if (e.getErrorCode() != er_unknown_error && e.getErrorCode() != er_lock_wait_timeout) throw;
    return false;
  }
}

void release_lock(sql::Statement& on, std::string_view lock) {
  on.execute("DO RELEASE_LOCK(" + std::string{lock} + ")");
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
  if (where.hosts.size() < 2) {
    open(where, where.hosts.empty() ? database_host{} : where.hosts.front(), how);
    return;
  }
  // All connections of the process try the host that worked last first: what one of them has written, another then
  // reads without waiting for replication.
  const auto first = where.last_good->load();
  std::string why;
  for (std::size_t i = 0; i < where.hosts.size(); ++i) {
    const auto at = (first + i) % where.hosts.size();
    try {
      open(where, where.hosts[at], how);
      if (at != first) where.last_good->store(at);
      preferred_ = where.last_good;
      host_ = at;
      return;
    } catch (const database_error& error) {
      close();
      if (error.what_kind != database_error::kind::unreachable) throw;
      why += (why.empty() ? "" : "; ") + where.hosts[at].shown() + ": " + error.what();
    }
  }
  throw database_error(database_error::kind::unreachable, 0, why);
}

mysql_connection::~mysql_connection() { close(); }

void mysql_connection::close() noexcept {
  if (is_tidb_ && holds_lock_) lock_is_held_->store(false);
  try {
    statements_.clear();
    shapes_.clear();
    schema_locks_.clear();
    plain_.reset();
    link_.reset();
  } catch (const sql::SQLException&) {
    // A broken connection cannot be closed properly.
  }
}

std::unique_ptr<sql::Connection> mysql_connection::link_to(const store_location& where, const database_host& host,
                                                           access how) {
  sql::ConnectOptionsMap options;
  const auto endpoint = where.socket.empty() ? "tcp://" + host.shown() : "unix://" + where.socket;
  options["hostName"] = sql::SQLString(endpoint);
  options["userName"] = sql::SQLString(where.user);
  options["password"] = sql::SQLString(where.password);
  options["schema"] = sql::SQLString(where.database);
  options["OPT_RECONNECT"] = false;  // a connection that is reopened silently has lost its transaction
  // At its start a node has no lease yet, so it waits for a slow database as long as other reads do.
  const bool renews_lease = how == access::keep && where.node;
  const auto answer_s = how == access::migrate ? migration_timeout_s
                        : renews_lease         ? lease_timeout_s
                                               : answer_timeout_s;
  const auto connect_s = renews_lease ? lease_timeout_s : connect_timeout_s;
  options["OPT_CONNECT_TIMEOUT"] = where.hosts.size() > 1 ? connect_timeout_of_several_s : connect_s;
  options["OPT_READ_TIMEOUT"] = answer_s;
  options["OPT_WRITE_TIMEOUT"] = std::min(answer_s, answer_timeout_s);
  options["OPT_CHARSET_NAME"] = sql::SQLString("utf8mb4");
  if (!where.ssl_ca.empty()) {
    options["sslCA"] = sql::SQLString(where.ssl_ca);
    options["sslVerify"] = true;
    options["sslEnforce"] = true;
  }
  return std::unique_ptr<sql::Connection>{driver().connect(options)};
}

void mysql_connection::open(const store_location& where, const database_host& host, access how) {
  try {
    link_ = link_to(where, host, how);
    plain_.reset(link_->createStatement());
    require_serving(how == access::read && where.hosts.size() < 2);
    if (in_galera_ && !where.process.empty())
      throw database_error(database_error::kind::unreachable, 0,
                           "this server is a member of a Galera cluster, where a lock holds on one member only: also a "
                           "gateway that serves alone needs the cluster options there (--node and the others)");
    prepare(how);
    if (how == access::write && where.node) {
      node_ = where.node;
      end_idle_transactions();
      if (is_tidb_) end_lock_of_tidb();
    }
    if (how == access::migrate && is_tidb_) require_checks();
    if ((how == access::write || how == access::migrate) && !where.process.empty()) {
      process_ = where.process;
      lock_is_held_ = where.lock_is_held;
      share_lock();
      if (holds_lock_ && where.has_looked_for_nodes) give_lock_to_nodes();
      if (is_tidb_) rollback();  // the read of its row began a transaction
    }
  } catch (const sql::SQLException& e) {
    throw database_error(database_error::kind::unreachable, e.getErrorCode(), e.what());
  }
  if (how == access::migrate && in_galera_) locks_schema_of_ = where;
}

/// Throws if this host must not be used. A member of a Galera cluster outside the primary component accepts connections
/// but has stale data, and so does a replica.
void mysql_connection::require_serving(bool may_be_read_only) {
  const auto reported = [&](const char* what, const char* names) {
    std::map<std::string, std::string> values;
    const std::unique_ptr<sql::ResultSet> rows{
        plain_->executeQuery(std::string{"SHOW GLOBAL "} + what + " WHERE Variable_name IN (" + names + ")")};
    while (rows->next()) values[rows->getString(1).asStdString()] = rows->getString(2).asStdString();
    return values;
  };
  const auto away = [](const char* why) { throw database_error(database_error::kind::unreachable, 0, why); };
  auto variables = reported("VARIABLES", "'wsrep_on', 'read_only', 'version', 'tidb_txn_mode'");
  // Not detected by the version, which an operator of TiDB may set to any text.
  is_tidb_ = variables.contains("tidb_txn_mode");
  const auto& version = variables["version"];
  const auto* name = is_tidb_ ? "TiDB " : version.find("MariaDB") != std::string::npos ? "MariaDB " : "MySQL ";
  engine_ = name + version;
  in_galera_ = variables["wsrep_on"] == "ON";
  if (in_galera_) {
    auto status = reported("STATUS", "'wsrep_ready', 'wsrep_cluster_status'");
    if (status["wsrep_ready"] != "ON" || status["wsrep_cluster_status"] != "Primary")
      away("this member of the Galera cluster is not in its primary component, or not ready yet");
  }
  if (!may_be_read_only && variables["read_only"] != "OFF") away("the server is read-only");
}

void mysql_connection::prepare(access how) {
  plain_->execute("SET NAMES utf8mb4 COLLATE utf8mb4_bin");
  plain_->execute("SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'");
  plain_->execute("SET SESSION innodb_lock_wait_timeout = " + std::to_string(lock_wait_s));
  plain_->execute("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
  if (in_galera_) {
    // A member applies the commits of other members a moment later. 1: a read waits until everything is applied that
    // had been committed anywhere when it began. 7: changes wait, too, for connections that rely on the number of
    // changed rows. To a writer a count of 0 only means a lost claim, after which it reads the row.
    const bool counts_rows = how == access::keep || how == access::migrate;
    plain_->execute(std::string{"SET SESSION wsrep_sync_wait = "} + (counts_rows ? "7" : "1"));
  }
  // The defaults of a new TiDB; an upgraded one may keep older defaults, under which a transaction finds a taken key or
  // a lost claim only at COMMIT.
  if (is_tidb_)
    plain_->execute("SET SESSION tidb_txn_mode = 'pessimistic', tidb_constraint_check_in_place_pessimistic = ON");
  link_->setAutoCommit(how == access::read);
}

/// TiDB ignores CHECK constraints, also those of existing tables, unless a global variable is set.
void mysql_connection::require_checks() {
  constexpr auto variable = "tidb_enable_check_constraint";
  if (answers_one(std::string{"SELECT @@GLOBAL."} + variable)) return;
  try {
    plain_->execute(std::string{"SET GLOBAL "} + variable + " = ON");
  } catch (const sql::SQLException&) {
    throw database_error(database_error::kind::failed, 0,
                         std::string{"this TiDB ignores CHECK constraints: a user with the right to must SET GLOBAL "} +
                             variable + " = ON before the gateway's tables are made");
  }
}

/// A process that is stopped between checking its lease and its commit must not commit when it continues. The server
/// rolls an idle transaction back after 1 s, which gateway/domain/node.hpp relies on.
void mysql_connection::end_idle_transactions() {
  try {
    plain_->execute(is_tidb_ ? "SET SESSION tidb_idle_transaction_timeout = 1"
                             : "SET SESSION idle_transaction_timeout = 1");
  } catch (const sql::SQLException& e) {
    if (e.getErrorCode() != er_unknown_system_variable) throw;
    plain_->execute("SET SESSION wait_timeout = 1");  // MySQL: ends any idle connection; the next use reconnects
  }
}

void mysql_connection::share_lock() {
  // Another connection of this process may have taken the first lock just now, and not yet the second.
  const int looks = is_tidb_ ? 2 : 5;  // TiDB waits a second for a lock that is taken
  if (is_tidb_ && lock_is_held_->load() && process_has_lock()) return;
  for (int look = 0; look < looks; ++look) {
    if (look > 0) std::this_thread::sleep_for(std::chrono::milliseconds{20});
    holds_lock_ = take_lock();
    if (holds_lock_ || process_has_lock()) return;
  }
  throw database_error(database_error::kind::locked_out, 0, "another gateway uses this database" + lock_holder());
}

/// Throws if a node is live: it started while the lock was free.
void mysql_connection::give_lock_to_nodes() {
  const std::unique_ptr<sql::ResultSet> rows{
      plain_->executeQuery("SELECT name FROM nodes WHERE status <> 'gone' LIMIT 1")};
  if (!rows->next()) return;
  const auto name = rows->getString(1).asStdString();
  throw database_error(database_error::kind::locked_out, 0,
                       "node '" + name + "' uses this database: end this gateway, or give it cluster options");
}

bool mysql_connection::answers_one(const std::string& sql) {
  const std::unique_ptr<sql::ResultSet> rows{plain_->executeQuery(sql)};
  return rows->next() && rows->getInt(1) == 1;
}

bool mysql_connection::take_lock_of_tidb() {
  if (!gives_lock(*plain_, database_lock, 0)) return false;
  if (!gives_lock(*plain_, second_name, 0)) {
    release_lock(*plain_, database_lock);
    return false;
  }
  release_lock(*plain_, second_name);
  plain_->execute(lock_table);
  plain_->execute("REPLACE INTO database_lock (id, process) VALUES (1, '" + process_ + "')");
  plain_->execute("COMMIT");
  holds_second_name_ = false;
  lock_taken_at_ = std::chrono::steady_clock::now();
  lock_is_held_->store(true);
  return true;
}

/// The process holds at least one of the names at any moment. If no connection of the process holds the lock, the
/// connection that notices is opened again, which takes the lock and looks for nodes.
void mysql_connection::keep_lock_of_tidb() {
  const auto now = std::chrono::steady_clock::now();
  if (!holds_lock_ && !lock_is_held_->load())
    throw database_error(database_error::kind::gone, 0, "no connection of this process holds the database's lock");
  if (!holds_lock_ || now - lock_taken_at_ < name_kept) return;
  const auto held = holds_second_name_ ? second_name : database_lock;
  // A process that starts may hold the other name for a moment.
  if (!gives_lock(*plain_, holds_second_name_ ? database_lock : second_name, 0)) return;
  release_lock(*plain_, held);
  holds_second_name_ = !holds_second_name_;
  lock_taken_at_ = now;
}

/// Called by a node that has found the lock free. A gateway that serves alone, and has lost the connection with the
/// lock, commits nothing from now on.
void mysql_connection::end_lock_of_tidb() {
  try {
    plain_->execute("UPDATE database_lock SET process = '' WHERE id = 1 AND process <> ''");
    plain_->execute("COMMIT");
  } catch (const sql::SQLException& e) {
    if (e.getErrorCode() != er_no_such_table) throw;  // no gateway has served alone
  }
}

bool mysql_connection::take_lock() {
  if (is_tidb_) return take_lock_of_tidb();
  // Waits for the second lock: it may still belong to a connection of this process that the server is about to end.
  const std::string first{database_lock};
  return answers_one("SELECT IF(GET_LOCK(" + first + ", 0) = 1, GET_LOCK(" + process_lock(process_) + ", 5), 0)");
}

bool mysql_connection::has_lock_of_tidb() {
  try {
    return answers_one("SELECT id FROM database_lock WHERE id = 1 AND process = '" + process_ + "'");
  } catch (const sql::SQLException& e) {
    if (e.getErrorCode() != er_no_such_table) throw;
    return false;  // the process that takes the lock first makes the table
  }
}

bool mysql_connection::process_has_lock() {
  if (is_tidb_) return has_lock_of_tidb();
  const std::string first{database_lock};
  // If one of them is free, the result is NULL, which reads as 0.
  return answers_one("SELECT IS_USED_LOCK(" + first + ") = IS_USED_LOCK(" + process_lock(process_) + ")");
}

std::string mysql_connection::lock_holder() {
  constexpr auto within = "If its machine is gone, the server gives the lock up within a minute";
  if (is_tidb_) return ". End that gateway first. " + std::string{within};
  // Connections of other users are visible to privileged ones only.
  const std::string first{database_lock};
  const std::unique_ptr<sql::ResultSet> rows{
      plain_->executeQuery("SELECT lock_of.id, list.host FROM (SELECT IS_USED_LOCK(" + first +
                           ") AS id) AS lock_of LEFT JOIN information_schema.processlist AS list USING (id)")};
  if (!rows->next() || rows->isNull(1)) return ", or did a moment ago";
  const auto id = std::to_string(rows->getInt64(1));
  const auto host = rows->isNull(2) ? std::string{} : " from " + rows->getString(2).asStdString();
  return ": connection " + id + host + " holds its lock. End that gateway first. " + within + ", or at once by KILL " +
         id;
}

void mysql_connection::serve() {
  attach_thread();
  if (process_.empty()) return;
  translated([&] { plain_->execute("SET SESSION wait_timeout = " + std::to_string(vanished_after_s)); });
}

void mysql_connection::confirm_lock() {
  if (process_.empty()) return;
  if (is_tidb_) translated([&] { keep_lock_of_tidb(); });
  require_lock();
  if (is_tidb_) rollback();  // the read began a transaction
}

void mysql_connection::require_lock() {
  if (process_.empty()) return;
  translated([&] {
    if (holds_lock_ && !is_tidb_) {
      plain_->execute("DO 1");  // the lock is ours for as long as the server answers on this connection
    } else if (!process_has_lock()) {
      throw database_error(database_error::kind::gone, 0, "this process no longer has the database's lock");
    }
  });
}

void mysql_connection::commit() {
  if (!holds_lock_ || is_tidb_) require_lock();
  if (node_ && !node_->serves())
    throw database_error(database_error::kind::locked_out, 0, "this node's lease has ended");
  try {
    // A statement, because Connection::commit() of Connector/C++ 1.1 drops the error if the server goes away meanwhile,
    // and clients would get answers that are not stored.
    plain_->execute("COMMIT");
  } catch (const sql::SQLException& e) {
    throw database_error(meaning_of(e.getErrorCode()).at_commit, e.getErrorCode(), e.what());
  }
  // A COMMIT may take some seconds in a Galera cluster that has just lost a member. Other nodes may have taken over
  // meanwhile, so what the commit was to permit, such as a provider's call, must not follow.
  if (node_ && !node_->serves())
    throw database_error(database_error::kind::failed, 0, "this node's lease ended during the commit");
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
      fail_statement(e);
    }
    cells = cells.subspan(rows * width);
  }
  return write_result::done;
}

std::uint64_t mysql_connection::change(const statement& sql, std::span<const cell> parameters) {
  try {
    auto& s = cached(sql);
    bind(s, parameters);
    return static_cast<std::uint64_t>(s.executeUpdate());
  } catch (const sql::SQLException& e) {
    fail_statement(e);
  }
}

void mysql_connection::read(const statement& sql, std::span<const cell> parameters, const row_handler& each) {
  try {
    auto& s = cached(sql);
    bind(s, parameters);
    const std::unique_ptr<sql::ResultSet> rows{s.executeQuery()};
    const mysql_row row{*rows};
    while (rows->next()) each(row);
  } catch (const sql::SQLException& e) {
    fail_statement(e);
  }
}

namespace {

/// The lock's name is global to the server, so the database's name is part of it.
constexpr std::string_view schema_lock = "CONCAT('gateway:', MD5(DATABASE()))";

bool takes_schema_lock(sql::Statement& on) { return gives_lock(on, schema_lock, 8); }

[[noreturn]] void another_migrates() {
  throw database_error(database_error::kind::failed, er_lock_wait_timeout,
                       "another gateway is migrating this database");
}

}  // namespace

void mysql_connection::lock_schema() {
  if (locks_schema_of_) return lock_schema_of_most();
  translated([&] {
    if (!takes_schema_lock(*plain_)) another_migrates();
  });
}

/// A member does not know the locks of the others, so a process must get the lock on most of the hosts, which only one
/// can. Every process asks the hosts in the same order.
void mysql_connection::lock_schema_of_most() {
  auto hosts = locks_schema_of_->hosts;
  std::ranges::sort(hosts, {}, &database_host::shown);
  for (const auto& host : hosts) {
    try {
      auto link = link_to(*locks_schema_of_, host, access::migrate);
      const std::unique_ptr<sql::Statement> on{link->createStatement()};
      on->execute("SET SESSION wait_timeout = " + std::to_string(migration_timeout_s));
      if (!takes_schema_lock(*on)) another_migrates();
      schema_locks_.push_back(std::move(link));
    } catch (const sql::SQLException&) {
      // A host that does not answer counts as not locked.
    }
  }
  if (2 * schema_locks_.size() <= hosts.size())
    throw database_error(database_error::kind::failed, 0, "most of the hosts must answer before the schema is changed");
}

void mysql_connection::unlock_schema(bool keep) {
  schema_locks_.clear();  // empty unless this is Galera; the migration's statements are committed one by one
  if (keep) {
    commit();
    return translated([&] { release_lock(*plain_, schema_lock); });
  }
  rollback();
  try {
    release_lock(*plain_, schema_lock);
  } catch (const sql::SQLException&) {
    // The server releases the lock when the connection ends.
  }
}

bool mysql_connection::is_already_there(const database_error& error) const noexcept {
  // er_bad_field: a column that was renamed is not found under its old name.
  return error.driver_code == er_dup_keyname || error.driver_code == er_table_exists ||
         error.driver_code == er_dup_fieldname || error.driver_code == er_bad_field ||
         error.driver_code == er_dup_entry || error.driver_code == er_cant_drop ||
         error.driver_code == er_no_such_constraint || error.driver_code == er_no_such_check;
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

/// Throws what the failure of a prepared statement means.
void mysql_connection::fail_statement(const sql::SQLException& e) {
  if (is_about_prepared_statements(e.getErrorCode())) {
    statements_.clear();
    shapes_.clear();
  }
  throw database_error(meaning_of(e.getErrorCode()).in_statement, e.getErrorCode(), e.what());
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
