// Commits the rows of creates directly through SQLite or Connector/C++: one transaction for each batch, statements
// prepared once, and no work besides. The tables, the rows, the durability and the number of connections are the
// gateway's. tools/bench compares the rate at which the gateway commits creates with this program's.
//
// Half of a batch's units begin creates, and the other half finish those that the previous batch began, as in the
// gateway's batches on average. Rows are made beforehand. Only the statements are timed, on all connections at once.
#include <cppconn/connection.h>
#include <cppconn/datatype.h>
#include <cppconn/driver.h>
#include <cppconn/exception.h>
#include <cppconn/prepared_statement.h>
#include <cppconn/statement.h>
#include <mysql_driver.h>
#include <sqlite3.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <deque>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "../store_bench/workload.hpp"
#include "persistence/connection/store_location.hpp"
#include "persistence/store.hpp"
#include "persistence/tables/row_kinds.hpp"

namespace {

using namespace gateway;
using clock_type = std::chrono::steady_clock;
using persistence::cell;
using persistence::row_kind;
using persistence::row_kind_count;
using persistence::write_shape;

/// How many batches are made, untimed, before they are committed, timed.
constexpr std::size_t batches_in_a_stretch = 64;

struct options {
  settings store;
  std::size_t batch_units = 64;
  int seconds = 5;
};

/// The rows of one transaction, by kind: those that the gateway gathers from the same units.
using batch = persistence::gathered_rows;

/// Calls `each` with the kind, the shape and the cells of all rows, in the order in which the gateway writes them.
void for_each_kind(const batch& rows, auto each) {
  for (std::size_t i = 0; i < row_kind_count; ++i) {
    const auto* of_kind = rows.of(static_cast<row_kind>(i));
    if (!of_kind) continue;
    const auto* shape = persistence::writing_of(static_cast<row_kind>(i)).shape;
    if (!shape) throw std::logic_error("a create has a row that has no shape");
    each(i, *shape, of_kind->cells());
  }
}

std::string listed(const write_shape& shape, std::size_t from, const std::string& separator, auto each) {
  std::string text;
  for (std::size_t i = from; i < shape.columns.size(); ++i) {
    if (i != from) text += separator;
    text += each(std::string{shape.columns[i]}, i);
  }
  return text;
}

bool updates(const write_shape& shape) { return shape.what == write_shape::form::guarded_update; }

/// Whether this program writes the shape by its own statement, which omits the checks of the gateway's.
bool is_plain(const write_shape& shape) { return updates(shape) || shape.what == write_shape::form::insert; }

class database {
 public:
  virtual ~database() = default;
  /// One transaction.
  virtual void commit(const batch& rows) = 0;
};

class sqlite_database final : public database {
 public:
  explicit sqlite_database(const std::filesystem::path& file) {
    sqlite3* raw = nullptr;
    const int code = sqlite3_open_v2(file.c_str(), &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
    db_.reset(raw);
    check(code == SQLITE_OK);
    // Commits are as durable as the gateway's (persistence/connection/sqlite), but checkpoints and the page cache are
    // larger: the gateway keeps both small for the latency of single commits, which does not matter here.
    execute("PRAGMA journal_mode = WAL");
    execute("PRAGMA synchronous = FULL");
    execute("PRAGMA wal_autocheckpoint = 4000");
    execute("PRAGMA cache_size = -65536");
  }

  void commit(const batch& rows) override {
    execute("BEGIN IMMEDIATE");
    for_each_kind(rows, [this](std::size_t kind, const write_shape& shape, const std::vector<cell>& cells) {
      auto* const s = prepared(kind, shape);
      int at = 0;
      for (const auto& value : cells) {
        bind(s, ++at, value);
        if (at < static_cast<int>(shape.columns.size())) continue;
        check(sqlite3_step(s) == SQLITE_DONE);
        if (sqlite3_changes(db_.get()) != 1) throw std::runtime_error("a row was not there");
        sqlite3_reset(s);
        at = 0;
      }
    });
    execute("COMMIT");
  }

 private:
  sqlite3_stmt* prepared(std::size_t kind, const write_shape& shape) {
    if (!prepared_[kind]) {
      sqlite3_stmt* made = nullptr;
      const auto text = is_plain(shape) ? sql(shape) : persistence::render(persistence::dialect::sqlite, shape, 1);
      check(sqlite3_prepare_v3(db_.get(), text.c_str(), -1, SQLITE_PREPARE_PERSISTENT, &made, nullptr) == SQLITE_OK);
      prepared_[kind].reset(made);
    }
    return prepared_[kind].get();
  }

  static std::string sql(const write_shape& shape) {
    const auto name = [](const std::string& column, std::size_t) { return column; };
    const auto is = [](const std::string& column, std::size_t i) { return column + " = ?" + std::to_string(i + 1); };
    const std::string table{shape.table};
    if (!updates(shape)) {
      return "INSERT INTO " + table + " (" + listed(shape, 0, ", ", name) + ") VALUES (" +
             listed(shape, 0, ", ", [](const std::string&, std::size_t) { return "?"; }) + ")";
    }
    auto key = shape;
    key.columns = shape.columns.first(shape.keys);
    return "UPDATE " + table + " SET " + listed(shape, shape.keys, ", ", is) + " WHERE " + listed(key, 0, " AND ", is);
  }

  static void bind(sqlite3_stmt* s, int at, const cell& value) {
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
      sqlite3_bind_int64(s, at, *number);
    } else if (const auto* text = std::get_if<std::string_view>(&value)) {
      sqlite3_bind_text64(s, at, text->empty() ? "" : text->data(), text->size(), SQLITE_STATIC, SQLITE_UTF8);
    } else {
      sqlite3_bind_null(s, at);
    }
  }

  void execute(const char* statement) {
    check(sqlite3_exec(db_.get(), statement, nullptr, nullptr, nullptr) == SQLITE_OK);
  }
  void check(bool done) const {
    if (!done) throw std::runtime_error(sqlite3_errmsg(db_.get()));
  }

  struct closer {
    void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
    void operator()(sqlite3_stmt* s) const { sqlite3_finalize(s); }
  };
  std::unique_ptr<sqlite3, closer> db_;
  std::array<std::unique_ptr<sqlite3_stmt, closer>, row_kind_count> prepared_;
};

/// For MySQL and MariaDB: one statement writes all rows of a kind, prepared for the number of rows in a batch.
class mysql_database final : public database {
 public:
  explicit mysql_database(const persistence::store_location& where) {
    sql::ConnectOptionsMap how;
    const auto endpoint = where.socket.empty() ? "tcp://" + where.hosts.front().shown() : "unix://" + where.socket;
    how["hostName"] = sql::SQLString(endpoint);
    how["userName"] = sql::SQLString(where.user);
    how["password"] = sql::SQLString(where.password);
    how["schema"] = sql::SQLString(where.database);
    how["OPT_CHARSET_NAME"] = sql::SQLString("utf8mb4");
    link_.reset(sql::mysql::get_mysql_driver_instance()->connect(how));
    plain_.reset(link_->createStatement());
    // The settings of the gateway's writers (persistence/connection/mysql). The server's settings decide how durable a
    // commit is.
    plain_->execute("SET NAMES utf8mb4 COLLATE utf8mb4_bin");
    plain_->execute("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
    link_->setAutoCommit(false);
  }

  void commit(const batch& rows) override {
    for_each_kind(rows, [this](std::size_t kind, const write_shape& shape, const std::vector<cell>& cells) {
      const auto count = cells.size() / shape.columns.size();
      auto& statement = prepared(kind, shape, count);
      unsigned at = 0;
      for (const auto& value : cells) bind(statement, ++at, value);
      // The server counts 1 for each inserted row and 2 for each row that existed. All daily totals of a batch are new,
      // or all exist.
      const auto counted = static_cast<std::size_t>(statement.executeUpdate());
      if (counted != count * 2 && (updates(shape) || counted != count)) throw std::runtime_error("a row was not there");
    });
    plain_->execute("COMMIT");
  }

 private:
  struct prepared_kind {
    std::size_t rows = 0;
    std::unique_ptr<sql::PreparedStatement> statement;
  };

  sql::PreparedStatement& prepared(std::size_t kind, const write_shape& shape, std::size_t rows) {
    auto& kept = prepared_[kind];
    if (kept.rows != rows) {
      const auto text =
          is_plain(shape) ? sql(shape, rows) : persistence::render(persistence::dialect::mysql, shape, rows);
      kept = {rows, std::unique_ptr<sql::PreparedStatement>{link_->prepareStatement(text)}};
    }
    return *kept.statement;
  }

  /// Of the statements that set many rows to different values, this form takes the server the least time.
  static std::string sql(const write_shape& shape, std::size_t rows) {
    const auto name = [](const std::string& column, std::size_t) { return column; };
    const auto more = [&](std::string_view what) { return updates(shape) ? ", " + std::string{what} : std::string{}; };
    const auto row = "(" + listed(shape, 0, ", ", [](const std::string&, std::size_t) { return "?"; }) +
                     more(shape.unused_values) + ")";
    const auto columns = listed(shape, 0, ", ", name) + more(shape.unused_columns);
    auto text = "INSERT INTO " + std::string{shape.table} + " (" + columns + ") VALUES " + row;
    for (std::size_t i = 1; i < rows; ++i) text += ", " + row;
    if (updates(shape)) {
      text += " ON DUPLICATE KEY UPDATE " + listed(shape, shape.keys, ", ", [](const std::string& column, std::size_t) {
                return column + " = VALUES(" + column + ")";
              });
    }
    return text;
  }

  static void bind(sql::PreparedStatement& s, unsigned at, const cell& value) {
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
      s.setInt64(at, *number);
    } else if (const auto* text = std::get_if<std::string_view>(&value)) {
      s.setString(at, sql::SQLString(text->empty() ? "" : text->data(), text->size()));
    } else {
      s.setNull(at, sql::DataType::VARCHAR);
    }
  }

  std::unique_ptr<sql::Connection> link_;
  std::unique_ptr<sql::Statement> plain_;
  std::array<prepared_kind, row_kind_count> prepared_;
};

/// One connection, and the batches that it commits.
class connection {
 public:
  connection(std::unique_ptr<database> to, time_point now, std::size_t creates, std::int64_t lane)
      : to_(std::move(to)), work_(now), creates_(creates), lane_(lane) {
    prepared_batch first;
    begin_some(first);
    to_->commit(first.rows);
  }

  void make_some(std::size_t batches) {
    ready_.clear();
    for (std::size_t i = 0; i < batches; ++i) {
      auto& next = ready_.emplace_back();
      finish_begun(next);
      begin_some(next);
      next.rows.add_up(lane_);
    }
  }

  /// Commits the batches made, and appends how long each took, in microseconds.
  void commit_made(std::vector<double>& took) {
    for (const auto& each : ready_) {
      const auto from = clock_type::now();
      to_->commit(each.rows);
      took.push_back(std::chrono::duration<double, std::micro>(clock_type::now() - from).count());
    }
  }

 private:
  /// A batch, and the units that own the texts of its rows.
  struct prepared_batch {
    std::deque<unit_of_work> units;
    batch rows;
  };

  void begin_some(prepared_batch& in) {
    for (std::size_t i = 0; i < creates_; ++i) in.rows.gather(in.units.emplace_back(work_.begin(next_++)));
  }
  void finish_begun(prepared_batch& in) {
    for (int i = next_ - static_cast<int>(creates_); i < next_; ++i)
      in.rows.gather(in.units.emplace_back(work_.finish(i)));
  }

  std::unique_ptr<database> to_;
  store_bench::workload work_;
  std::size_t creates_;
  std::int64_t lane_;  ///< of the totals, one for each connection, as in the gateway
  int next_ = 0;
  std::deque<prepared_batch> ready_;
};

std::unique_ptr<database> connect(const persistence::store_location& where) {
  if (where.language == persistence::dialect::sqlite) return std::make_unique<sqlite_database>(where.file);
  return std::make_unique<mysql_database>(where);
}

void measure(const options& how) {
  { const persistence::prepared_store creates_tables{how.store}; }
  const auto where = persistence::locate_store(how.store);
  const auto creates = std::max<std::size_t>(1, how.batch_units / 2);
  std::deque<connection> connections;
  const auto count = where.language == persistence::dialect::sqlite ? 1 : how.store.store_writers;
  for (unsigned i = 0; i < count; ++i) connections.emplace_back(connect(where), system_wall_clock{}.now(), creates, i);

  std::vector<std::vector<double>> took(connections.size());
  const auto stretch = [&] {
    for (auto& each : connections) each.make_some(batches_in_a_stretch);
    const auto from = clock_type::now();
    std::deque<std::future<void>> running;
    for (std::size_t i = 0; i < connections.size(); ++i)
      running.push_back(std::async(std::launch::async, [&, i] { connections[i].commit_made(took[i]); }));
    for (auto& each : running) each.get();
    return std::chrono::duration<double>(clock_type::now() - from).count();
  };
  stretch();  // warms up
  for (auto& each : took) each.clear();
  double seconds = 0;
  while (seconds < how.seconds) seconds += stretch();

  std::vector<double> all;
  for (const auto& each : took) all.insert(all.end(), each.begin(), each.end());
  std::ranges::sort(all);
  const auto quantile = [&](double q) {
    return all[static_cast<std::size_t>(q * static_cast<double>(all.size() - 1))];
  };
  // The units, the microseconds, and the p50 and p99 of a batch in microseconds.
  std::printf("measured %zu %.0f %.0f %.0f\n", all.size() * 2 * creates, seconds * 1e6, quantile(0.5), quantile(0.99));
}

}  // namespace

int main(int argc, char** argv) {
  options how;
  CLI::App app{"Units of work a second that the database itself commits"};
  app.add_option("--store", how.store.store, "sqlite, or a mysql:// URL (tools/mariadb start DIR prints one)");
  app.add_option("--data-dir", how.store.data_dir, "folder of the embedded store")->capture_default_str();
  app.add_option("--batch-units", how.batch_units, "units in one transaction")
      ->check(CLI::Range(2, 4096))
      ->capture_default_str();
  app.add_option("--writers", how.store.store_writers, "connections; SQLite has one")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_option("--seconds", how.seconds, "to measure")->check(CLI::Range(1, 3600))->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    measure(how);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bare_database: %s\n", error.what());
    return 1;
  }
  return 0;
}
