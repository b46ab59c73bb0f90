#include "persistence/connection/sqlite/sqlite_copy.hpp"

#include <sqlite3.h>

#include <initializer_list>
#include <memory>

#include "persistence/connection/connection.hpp"

namespace gateway::persistence {

namespace {

/// How long the copy waits for a lock that another process has, such as that of a migration.
constexpr int copy_wait_ms = 5'000;

struct close_copied {
  void operator()(sqlite3* db) const noexcept { sqlite3_close_v2(db); }
};
using copied_database = std::unique_ptr<sqlite3, close_copied>;

void require_copied(sqlite3* db, int code, int wanted = SQLITE_OK) {
  if (code == wanted) return;
  throw database_error(database_error::kind::failed, code, db ? sqlite3_errmsg(db) : sqlite3_errstr(code));
}

copied_database open_copied(const std::filesystem::path& file, int mode) {
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(file.c_str(), &raw, mode | SQLITE_OPEN_NOMUTEX, nullptr);
  copied_database db{raw};
  require_copied(db.get(), code);
  sqlite3_busy_timeout(db.get(), copy_wait_ms);
  return db;
}

/// Runs one statement. Calls `each` with it for every row.
template <class Each>
void run_copied(sqlite3* db, const char* sql, std::initializer_list<std::string_view> parameters, Each each) {
  sqlite3_stmt* raw = nullptr;
  require_copied(db, sqlite3_prepare_v2(db, sql, -1, &raw, nullptr));
  const std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> prepared{raw, &sqlite3_finalize};
  int at = 0;
  for (const auto text : parameters)
    require_copied(db, sqlite3_bind_text(raw, ++at, text.data(), static_cast<int>(text.size()), SQLITE_STATIC));
  int code = SQLITE_ROW;
  while ((code = sqlite3_step(raw)) == SQLITE_ROW) each(raw);
  require_copied(db, code, SQLITE_DONE);
}

void run_copied(sqlite3* db, const char* sql, std::initializer_list<std::string_view> parameters) {
  run_copied(db, sql, parameters, [](sqlite3_stmt*) {});
}

}  // namespace

void copy_database(const std::filesystem::path& from, const std::filesystem::path& to) {
  const auto db = open_copied(from, SQLITE_OPEN_READONLY);
  run_copied(db.get(), "VACUUM INTO ?", {to.native()});
}

void put_meta_in_copy(const std::filesystem::path& copy, std::string_view name, std::string_view value) {
  const auto db = open_copied(copy, SQLITE_OPEN_READWRITE);
  // A rollback journal would be a second file beside the copy. A copy that is interrupted here is never used.
  run_copied(db.get(), "PRAGMA journal_mode = MEMORY", {});
  run_copied(db.get(),
             "INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
             {name, value});
}

std::string faults_of_copy(const std::filesystem::path& copy) {
  const auto db = open_copied(copy, SQLITE_OPEN_READONLY);
  std::string faults;
  run_copied(db.get(), "PRAGMA integrity_check(5)", {}, [&](sqlite3_stmt* row) {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(row, 0));
    faults.append(faults.empty() ? "" : "; ").append(text ? text : "");
  });
  return faults == "ok" ? std::string{} : faults;
}

}  // namespace gateway::persistence
