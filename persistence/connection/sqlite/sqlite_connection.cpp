#include "persistence/connection/sqlite/sqlite_connection.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "gateway/base/log.hpp"
#include "persistence/connection/sqlite/log_vfs.hpp"

namespace gateway::persistence {

namespace {

/// Longer than any other connection's transaction, such as a migration or a checkpoint.
constexpr int lock_wait_ms = 5'000;

/// A checkpoint copies the log's pages into the file, and nothing commits meanwhile. A small checkpoint takes as long
/// as a few commits; one of thousands of pages makes every client wait for tens of milliseconds. Where commits are
/// large, a checkpoint covers several of them, because one after each commit would copy the pages that every commit
/// changes each time. Checkpoints are made on the writer's connection: SQLite before 3.51.3 can lose pages when one
/// connection begins a checkpoint while another restarts the log (sqlite.org/wal.html, the WAL-reset bug).
constexpr int checkpoint_pages = 150;
constexpr int checkpoint_commits = 4;
/// If maintain() is not called, a commit that makes the log this long runs the checkpoint itself.
constexpr int overdue_pages = 4'000;

/// For a new file; an existing one keeps its page size. A commit writes each page that it changed, and the log's check
/// sum covers all of it, so that small pages make small commits (docs/decisions/0068-a-create-writes-fewer-bytes.md).
constexpr auto page_size = "PRAGMA page_size = 2048";

/// Turns off SQLite's statistics of allocated memory, which take a lock of the whole process and which nothing reads.
/// Must precede any other use of the library.
void use_library() { [[maybe_unused]] static const int said = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

/// Resets a statement on destruction. Its parameters stay bound: bind() replaces all of them before the next run, and
/// nothing reads them until then.
class statement_reset {
 public:
  explicit statement_reset(sqlite3_stmt* s) noexcept : statement_(s) {}
  ~statement_reset() { sqlite3_reset(statement_); }
  statement_reset(const statement_reset&) = delete;
  statement_reset& operator=(const statement_reset&) = delete;

 private:
  sqlite3_stmt* statement_;
};

class sqlite_row final : public result_row {
 public:
  explicit sqlite_row(sqlite3_stmt* s) noexcept : statement_(s) {}
  bool is_null(unsigned column) const override {
    return sqlite3_column_type(statement_, static_cast<int>(column)) == SQLITE_NULL;
  }
  std::int64_t integer(unsigned column) const override {
    return sqlite3_column_int64(statement_, static_cast<int>(column));
  }
  std::string text(unsigned column) const override {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, static_cast<int>(column)));
    return bytes ? std::string{bytes,
                               static_cast<std::size_t>(sqlite3_column_bytes(statement_, static_cast<int>(column)))}
                 : std::string{};
  }

 private:
  sqlite3_stmt* statement_;
};

/// Selects what an update compares, and the row's id.
std::string compared_sql(const write_shape& shape) {
  std::string sql = "SELECT rowid";
  for (const auto column : shape.replaced) (sql += ", ") += column;
  (sql += " FROM ") += shape.table;
  for (std::size_t i = 0; i < shape.keys; ++i)
    ((sql += i == 0 ? " WHERE " : " AND ") += shape.columns[i]) += " = ?" + std::to_string(i + 1);
  return sql;
}

/// The guarded update, without the compared columns whose bits are set in `same`. Parameters are numbered by the
/// columns; the row's id is the one after them.
std::string update_without_sql(const write_shape& shape, std::size_t same) {
  std::string sql = "UPDATE " + std::string{shape.table} + " SET ";
  std::size_t compared = 0;
  bool first = true;
  for (std::size_t i = shape.keys; i < shape.columns.size(); ++i) {
    const bool is_compared = compared < shape.replaced.size() && shape.columns[i] == shape.replaced[compared];
    if (is_compared && ((same >> compared++) & 1) != 0) continue;
    if (!std::exchange(first, false)) sql += ", ";
    (sql += shape.columns[i]) += " = ?" + std::to_string(i + 1);
  }
  const auto behind = std::to_string(shape.columns.size() + 1), last = std::to_string(shape.columns.size());
  std::string guard{shape.guard};
  constexpr std::string_view token = "{new}";
  if (const auto at = guard.find(token); at != std::string::npos) guard.replace(at, token.size(), '?' + last);
  return sql + " WHERE rowid = ?" + behind + " AND " + guard;
}

bool is_same(sqlite3_stmt* row, int column, const cell& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value))
    return sqlite3_column_type(row, column) == SQLITE_INTEGER && sqlite3_column_int64(row, column) == *number;
  const auto* text = std::get_if<std::string_view>(&value);
  if (!text) return sqlite3_column_type(row, column) == SQLITE_NULL;
  const auto* stored = reinterpret_cast<const char*>(sqlite3_column_text(row, column));
  return stored && std::string_view{stored, static_cast<std::size_t>(sqlite3_column_bytes(row, column))} == *text;
}

/// A bit for each compared column whose stored value the row keeps.
std::size_t same_columns(sqlite3_stmt* stored, const write_shape& shape, std::span<const cell> row) {
  std::size_t same = 0, compared = 0;
  for (std::size_t i = shape.keys; i < row.size() && compared < shape.replaced.size(); ++i) {
    if (shape.columns[i] != shape.replaced[compared]) continue;
    if (is_same(stored, static_cast<int>(compared) + 1, row[i])) same |= std::size_t{1} << compared;
    ++compared;
  }
  return same;
}

/// Variants of a shape's statement are kept by the addresses of bytes in the shape.
const void* variant_of(const write_shape& shape, std::size_t number) {
  return reinterpret_cast<const char*>(&shape) + number;
}

database_error::kind kind_of(int code) noexcept {
  const int primary = code & 0xff;
  return primary == SQLITE_BUSY || primary == SQLITE_LOCKED ? database_error::kind::busy : database_error::kind::failed;
}

/// Creates the file so that only its owner may read it, because the rows hold customers' data. SQLite gives its log the
/// same mode. An existing file is not opened: closing any descriptor of it would drop all POSIX locks that SQLite holds
/// on it in this process, and another program could then delete its log.
void create_private(const std::filesystem::path& file) {
  const int fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0 && errno == EEXIST) return;
  if (fd < 0)
    throw database_error(database_error::kind::unreachable, SQLITE_CANTOPEN, std::generic_category().message(errno));
  ::close(fd);
}

}  // namespace

sqlite_connection::sqlite_connection(const store_location& where, access how) {
  use_library();
  const bool writes = how != access::read;
  if (writes) create_private(where.file);
  const int mode = writes ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
  sqlite3* raw = nullptr;
  const int code =
      sqlite3_open_v2(where.file.c_str(), &raw, mode | SQLITE_OPEN_NOMUTEX, writes ? log_vfs_name() : nullptr);
  db_.reset(raw);
  try {
    if (code != SQLITE_OK) fail(code);
    sqlite3_extended_result_codes(db_.get(), 1);
    sqlite3_busy_timeout(db_.get(), lock_wait_ms);
    if (writes) {
      execute(page_size);
      // FULL syncs the log at every commit.
      begin_log();
      execute("PRAGMA synchronous = FULL");
      // Debian's SQLite has it on by default. It zeroes what is deleted, but not the copies of rows that remain in
      // pages after rows were moved: clear_free_pages() removes those.
      execute("PRAGMA secure_delete = ON");
      // The page cache keeps its small default size, because each commit walks all of it
      // (docs/decisions/0015-sqlites-page-cache-stays-small.md).
      sqlite3_wal_hook(db_.get(), committed, this);
    }
    // SQLite opens a file lazily, so only the first read detects a file that is no database.
    execute("SELECT COUNT(*) FROM sqlite_schema");
  } catch (const database_error& error) {
    throw database_error(database_error::kind::unreachable, error.driver_code, error.what());
  }
}

/// Repeats the change to WAL mode itself, because SQLite's wait for locks does not cover it, and two processes that
/// open a new file at once both make it.
void sqlite_connection::begin_log() {
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds{lock_wait_ms};
  for (;;) try {
      return execute("PRAGMA journal_mode = WAL");
    } catch (const database_error& error) {
      if (error.what_kind != database_error::kind::busy || std::chrono::steady_clock::now() >= until) throw;
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
}

sqlite_connection::~sqlite_connection() { statements_.clear(); }

std::string sqlite_connection::engine() const { return std::string{"SQLite "} + sqlite3_libversion(); }

void sqlite_connection::begin() {
  static const statement sql{"BEGIN IMMEDIATE"};
  change(sql, {});
}

void sqlite_connection::commit() {
  static const statement sql{"COMMIT"};
  change(sql, {});
}

void sqlite_connection::rollback() noexcept {
  // After some errors, such as a full disk, SQLite has rolled back already.
  if (sqlite3_get_autocommit(db_.get()) == 0) sqlite3_exec(db_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void sqlite_connection::execute(const std::string& sql) {
  const int code = sqlite3_exec(db_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

int sqlite_connection::committed(void* self, sqlite3*, const char*, int log_pages) noexcept {
  auto& me = *static_cast<sqlite_connection*>(self);
  // A log that was restarted is shorter than before.
  me.committed_pages_ = log_pages > me.log_pages_ ? log_pages - me.log_pages_ : log_pages;
  me.log_pages_ = log_pages;
  if (log_pages >= overdue_pages) me.checkpoint();
  return SQLITE_OK;
}

void sqlite_connection::maintain() noexcept {
  if (log_pages_ >= std::max(checkpoint_pages, checkpoint_commits * committed_pages_)) checkpoint();
}

void sqlite_connection::checkpoint() noexcept {
  // If the checkpoint fails, because the disk is full or readers still need the log, the log grows and the next
  // checkpoint tries again.
  int pages = 0;
  int copied = 0;
  const int code = sqlite3_wal_checkpoint_v2(db_.get(), nullptr, SQLITE_CHECKPOINT_PASSIVE, &pages, &copied);
  if (code == SQLITE_OK && pages == copied) log_pages_ = 0;  // the next commit restarts the log
}

/// VACUUM writes all rows into new pages, which replace the old ones, and shortens the file. The log still has the old
/// pages until it is truncated, for which no reader may need it. A reader's statement ends soon, and the busy timeout
/// waits for it.
bool sqlite_connection::clear_free_pages() {
  rollback();
  try {
    execute("VACUUM");
  } catch (const database_error& error) {
    // Such as a full disk: the database is as it was.
    log::error("store.vacuum_failed", {{"code", std::int64_t{error.driver_code}}});
    return false;
  }
  const int code = sqlite3_wal_checkpoint_v2(db_.get(), nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
  if (code == SQLITE_OK) log_pages_ = 0;
  return code == SQLITE_OK;
}

void sqlite_connection::unlock_schema(bool keep) {
  if (keep) {
    commit();
  } else {
    rollback();
  }
}

write_result sqlite_connection::write(const write_shape& shape, std::span<const cell> cells) {
  const auto kept = [&](const void* owner, auto sql) {
    const auto found = statements_.find(owner);
    return found != statements_.end() ? found->second.get() : cached(owner, sql());
  };
  const bool compares = shape.what == write_shape::form::guarded_update && !shape.replaced.empty();
  const auto width = shape.columns.size();
  auto* s = compares ? nullptr : kept(&shape, [&] { return render(dialect::sqlite, shape, 1); });
  for (; !cells.empty(); cells = cells.subspan(width)) {
    const auto row = cells.first(width);
    std::int64_t id = 0;
    if (compares) {
      auto* stored = kept(&shape, [&] { return compared_sql(shape); });
      const statement_reset scope{stored};
      bind(stored, row.first(shape.keys));
      const int code = sqlite3_step(stored);
      if (code == SQLITE_DONE) return write_result::missed;
      if (code != SQLITE_ROW) fail(code);
      id = sqlite3_column_int64(stored, 0);
      const auto same = same_columns(stored, shape, row);
      s = kept(variant_of(shape, same + 1), [&] { return update_without_sql(shape, same); });
    }
    const statement_reset scope{s};
    bind(s, row);
    if (compares) sqlite3_bind_int64(s, static_cast<int>(width) + 1, id);
    const int code = sqlite3_step(s);
    if (code == SQLITE_DONE) {
      if (shape.what == write_shape::form::guarded_update && sqlite3_changes(db_.get()) == 0)
        return write_result::missed;
      continue;
    }
    if (code == SQLITE_CONSTRAINT_PRIMARYKEY || code == SQLITE_CONSTRAINT_UNIQUE) return write_result::duplicate;
    const int primary = code & 0xff;
    if (primary == SQLITE_CONSTRAINT || primary == SQLITE_TOOBIG || primary == SQLITE_MISMATCH)
      return write_result::rejected;
    fail(code);
  }
  return write_result::done;
}

std::uint64_t sqlite_connection::change(const statement& sql, std::span<const cell> parameters) {
  auto* s = cached(sql);
  const statement_reset scope{s};
  bind(s, parameters);
  if (const int code = sqlite3_step(s); code != SQLITE_DONE) fail(code);
  return static_cast<std::uint64_t>(sqlite3_changes64(db_.get()));
}

void sqlite_connection::read(const statement& sql, std::span<const cell> parameters, const row_handler& each) {
  auto* s = cached(sql);
  const statement_reset scope{s};
  bind(s, parameters);
  const sqlite_row row{s};
  int code = SQLITE_ROW;
  while ((code = sqlite3_step(s)) == SQLITE_ROW) each(row);
  if (code != SQLITE_DONE) fail(code);
}

sqlite3_stmt* sqlite_connection::cached(const void* owner, const std::string& sql) {
  auto& slot = statements_[owner];
  if (!slot) slot = prepare(sql);
  return slot.get();
}

sqlite3_stmt* sqlite_connection::cached(const statement& sql) { return cached(&sql, sql.sqlite); }

sqlite_connection::prepared sqlite_connection::prepare(std::string_view sql) {
  sqlite3_stmt* raw = nullptr;
  const int code =
      sqlite3_prepare_v3(db_.get(), sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT, &raw, nullptr);
  prepared made{raw};
  if (code != SQLITE_OK) fail(code);
  return made;
}

void sqlite_connection::bind(sqlite3_stmt* s, std::span<const cell> cells) {
  int at = 1;
  for (const auto& value : cells) {
    int code = SQLITE_OK;
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
      code = sqlite3_bind_int64(s, at, *number);
    } else if (const auto* text = std::get_if<std::string_view>(&value)) {
      // An empty view may have no address, and a null address would bind NULL.
      code = sqlite3_bind_text64(s, at, text->empty() ? "" : text->data(), text->size(), SQLITE_STATIC, SQLITE_UTF8);
    } else {
      code = sqlite3_bind_null(s, at);
    }
    if (code != SQLITE_OK) fail(code);
    ++at;
  }
}

void sqlite_connection::fail(int code) const {
  const char* text = db_ ? sqlite3_errmsg(db_.get()) : sqlite3_errstr(code);
  throw database_error(kind_of(code), code, text);
}

}  // namespace gateway::persistence
