// The two stores for tests, each with an empty database that is removed with the object.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "gateway/settings.hpp"
#include "persistence/connection/store_location.hpp"
#include "persistence/migrations/migrations.hpp"

namespace gateway::persistence::test {

enum class store_kind { sqlite, mysql };

/// A folder under the system's temporary one, removed with the object.
class temporary_folder {
 public:
  temporary_folder();
  ~temporary_folder();
  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

/// GATEWAY_TEST_MYSQL_URL, or a private MariaDB in the build folder.
std::string mysql_url();

/// Runs tools/mariadb and returns its output.
std::string mariadb(const std::string& action, const std::filesystem::path& folder);

/// An empty database. `settings()` are the settings with which gatewayd would use it.
class empty_store {
 public:
  explicit empty_store(store_kind kind) : empty_store(kind, kind == store_kind::mysql ? mysql_url() : "sqlite") {}
  empty_store(store_kind kind, const std::string& url);
  ~empty_store();

  const gateway::settings& settings() const noexcept { return settings_; }
  store_location where() const { return locate_store(settings_); }

 private:
  temporary_folder folder_;
  gateway::settings settings_;
  store_location server_;  ///< mysql: the server, to drop the database
};

/// A store with the schema, and a connection of each kind.
class migrated_store : public empty_store {
 public:
  explicit migrated_store(store_kind kind) : empty_store(kind) {
    migrate(*connect(where(), access::migrate));  // only this connection waits for as long as a schema change takes
    writer = connect(where(), access::write);
    reader = connect(where(), access::read);
  }

  std::unique_ptr<db_connection> writer;
  std::unique_ptr<db_connection> reader;
};

}  // namespace gateway::persistence::test

/// Runs the rest of the test once for each store.
#define FOR_EACH_STORE(kind)                                                                                   \
  const auto kind =                                                                                            \
      GENERATE(gateway::persistence::test::store_kind::sqlite, gateway::persistence::test::store_kind::mysql); \
  INFO((kind == gateway::persistence::test::store_kind::sqlite ? "over SQLite" : "over MySQL"))
