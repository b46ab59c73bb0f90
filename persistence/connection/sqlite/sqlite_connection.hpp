// The embedded store: one file beside its write-ahead log. A commit is an fsync of the log.
#pragma once

#include <sqlite3.h>

#include <memory>
#include <unordered_map>

#include "persistence/connection/store_location.hpp"

namespace gateway::persistence {

class sqlite_connection final : public db_connection {
 public:
  sqlite_connection(const store_location& where, access how);
  ~sqlite_connection() override;

  dialect language() const noexcept override { return dialect::sqlite; }
  std::string engine() const override;
  void begin() override;
  void commit() override;
  void rollback() noexcept override;
  void execute(const std::string& sql) override;
  write_result write(const write_shape& shape, std::span<const cell> cells) override;
  std::uint64_t change(const statement& sql, std::span<const cell> parameters) override;
  void read(const statement& sql, std::span<const cell> parameters, const row_handler& each) override;
  void maintain() noexcept override;
  bool clear_free_pages() override;
  void lock_schema() override { begin(); }
  void unlock_schema(bool keep) override;
  bool is_already_there(const database_error&) const noexcept override { return false; }

 private:
  struct close_database {
    void operator()(sqlite3* db) const noexcept { sqlite3_close_v2(db); }
  };
  struct finalize {
    void operator()(sqlite3_stmt* s) const noexcept { sqlite3_finalize(s); }
  };
  using prepared = std::unique_ptr<sqlite3_stmt, finalize>;

  /// `owner` is the address of the shape or statement, which exists as long as the program runs.
  sqlite3_stmt* cached(const void* owner, const std::string& sql);
  sqlite3_stmt* cached(const statement& sql);
  prepared prepare(std::string_view sql);
  void bind(sqlite3_stmt* s, std::span<const cell> cells);
  static int committed(void* self, sqlite3*, const char*, int log_pages) noexcept;
  void begin_log();
  void checkpoint() noexcept;
  [[noreturn]] void fail(int code) const;

  std::unique_ptr<sqlite3, close_database> db_;
  std::unordered_map<const void*, prepared> statements_;  ///< finalized before db_ closes
  int log_pages_ = 0;                                     ///< after the last commit
  int committed_pages_ = 0;                               ///< pages that the last commit added
};

}  // namespace gateway::persistence
