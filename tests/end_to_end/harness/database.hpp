// The stores under the gateways: a private MariaDB or TiDB with a fresh database for each gateway, and SQL through the
// stores' own command-line clients, so that the stored data is read without the gateway's code.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "child_process.hpp"

namespace gateway::e2e {

enum class store_kind { sqlite, mysql };

constexpr std::string_view to_string(store_kind store) noexcept {
  return store == store_kind::sqlite ? "sqlite" : "mysql";
}

/// The stores of GATEWAY_TEST_STORES, for Catch's generators.
std::vector<store_kind> stores();

/// Whether GATEWAY_TEST_STORES names TiDB: it then takes MariaDB's place as the `mysql` of all tests.
bool on_tidb();
std::string database_name();

struct mysql_address {
  std::string user;
  std::string password;
  std::string host;
  std::uint16_t port = 0;  ///< 0: the default
  std::string database;
  std::string socket;
  std::string others;  ///< the other members of a Galera cluster, as `,host:port,host:port`

  static mysql_address of_url(std::string_view url);
  std::string url() const;
  /// The same members, with the first `count` moved to the end.
  mysql_address rotated(std::size_t count) const;
  /// Runs statements; rows are lines, columns separated by tabs. Throws with the client's error text. Of several
  /// members the first runs them, after it has applied what any member has committed.
  std::string sql(std::string_view statements) const;
};

/// A MariaDB, or a TiDB, of its own in one folder, for tests that break it. It ends with this object, or with the test
/// program.
class mariadb_server {
 public:
  /// Starts it. `data` is the folder of its tables; empty: a folder in `folder`.
  explicit mariadb_server(std::filesystem::path folder, std::filesystem::path data = {});
  ~mariadb_server();
  mariadb_server(const mariadb_server&) = delete;
  mariadb_server& operator=(const mariadb_server&) = delete;

  /// Starts it again and waits until it answers.
  void start();
  void kill();
  void send_signal(int number) { process_.send_signal(number); }
  bool running() { return process_.running(); }
  /// Its log since its first start.
  std::string log() const;
  /// The address of this server with the name of a database that does not exist yet.
  mysql_address new_database() const;

 private:
  std::filesystem::path folder_;
  std::filesystem::path data_;
  mysql_address address_;
  child_process process_;
};

/// A Galera cluster of three members, of its own. It ends with this object.
class galera_cluster {
 public:
  static constexpr std::size_t size = 3;
  /// What this machine lacks for a cluster; empty if nothing.
  static std::string missing();

  galera_cluster();
  ~galera_cluster();
  galera_cluster(const galera_cluster&) = delete;
  galera_cluster& operator=(const galera_cluster&) = delete;

  void send_signal(std::size_t member, int number) const;
  /// kill -9.
  void kill(std::size_t member) const;
  /// Restarts the members that were killed, and waits until they have caught up.
  void start();
  /// For this long the member stays in the cluster but applies nothing that the others commit.
  void hold_back(std::size_t member, std::chrono::seconds how_long) const;
  /// Runs statements on one member, as its administrator.
  command_output sql(std::size_t member, std::string_view statements) const;
  /// A member's status variable, such as `wsrep_local_state_comment`; empty if the member does not answer.
  std::string status(std::size_t member, std::string_view variable) const;
  mysql_address new_database() const;
  /// The log of a member since its first start.
  std::string log(std::size_t member) const;

 private:
  std::filesystem::path of(std::size_t member) const { return folder_ / std::to_string(member + 1); }

  std::filesystem::path folder_;
  mysql_address address_;
};

/// A new database in the MariaDB of this test run.
mysql_address new_shared_database();
void drop_database(const mysql_address& database);

std::string sqlite_sql(const std::filesystem::path& file, std::string_view statements);

}  // namespace gateway::e2e
