// The production store: MySQL 8, MariaDB 10.11 or TiDB, through Connector/C++.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "persistence/connection/store_location.hpp"

namespace sql {
class Connection;
class PreparedStatement;
class SQLException;
class Statement;
}  // namespace sql

namespace gateway::persistence {

/// Used by one thread at a time. Reads autocommit, so that none keeps an old snapshot.
///
/// The process's lock on the database belongs to one of the process's connections, and ends with it. A transaction of
/// that connection cannot outlive the lock. Every other connection checks the lock before each commit.
class mysql_connection final : public db_connection {
 public:
  mysql_connection(const store_location& where, access how);
  ~mysql_connection() override;

  dialect language() const noexcept override { return dialect::mysql; }
  std::string engine() const override { return engine_; }
  void begin() override {}  // a transaction begins with its first statement
  void commit() override;
  void rollback() noexcept override;
  void execute(const std::string& sql) override;
  write_result write(const write_shape& shape, std::span<const cell> cells) override;
  std::uint64_t change(const statement& sql, std::span<const cell> parameters) override;
  void read(const statement& sql, std::span<const cell> parameters, const row_handler& each) override;
  void serve() override;
  void confirm_lock() override;
  bool is_left_behind() const noexcept override { return preferred_ && preferred_->load() != host_; }
  void lock_schema() override;
  void unlock_schema(bool keep) override;
  bool is_already_there(const database_error& error) const noexcept override;

 private:
  void open(const store_location& where, const database_host& host, access how);
  void close() noexcept;
  static std::unique_ptr<sql::Connection> link_to(const store_location& where, const database_host& host, access how);
  void require_serving(bool may_be_read_only);
  void prepare(access how);
  void require_checks();
  void lock_schema_of_most();
  void share_lock();
  void end_idle_transactions();
  bool take_lock();
  bool take_lock_of_tidb();
  void keep_lock_of_tidb();
  void end_lock_of_tidb();
  void require_lock();
  void give_lock_to_nodes();
  bool process_has_lock();
  bool has_lock_of_tidb();
  bool answers_one(const std::string& sql);
  std::string lock_holder();
  sql::PreparedStatement& cached(const write_shape& shape, std::size_t rows);
  sql::PreparedStatement& cached(const statement& sql);
  void bind(sql::PreparedStatement& s, std::span<const cell> cells);
  [[noreturn]] void fail_statement(const sql::SQLException& e);

  std::string process_;  ///< empty: this connection neither takes nor checks the lock
  bool holds_lock_ = false;
  const membership* node_ = nullptr;  ///< null: commits need no lease
  bool in_galera_ = false;
  bool is_tidb_ = false;
  std::string engine_;
  // Indexes of hosts: the process's, null if the database has only one, and this connection's.
  std::shared_ptr<const std::atomic<std::size_t>> preferred_;
  std::size_t host_ = 0;
  std::shared_ptr<std::atomic<bool>> lock_is_held_;  ///< TiDB: by a connection of this process
  bool holds_second_name_ = false;                   ///< TiDB: which of the lock's two names this connection holds
  std::chrono::steady_clock::time_point lock_taken_at_{};
  std::optional<store_location> locks_schema_of_;  ///< the members of a Galera cluster, if the database is one

  // Statements are destroyed before their connection.
  std::unique_ptr<sql::Connection> link_;
  std::unique_ptr<sql::Statement> plain_;
  std::vector<std::unique_ptr<sql::Connection>> schema_locks_;
  std::map<std::pair<const write_shape*, std::size_t>, std::unique_ptr<sql::PreparedStatement>> shapes_;
  std::unordered_map<const statement*, std::unique_ptr<sql::PreparedStatement>> statements_;
};

}  // namespace gateway::persistence
