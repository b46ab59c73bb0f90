// Writes and migrations in each database's SQL.
#include <catch2/catch.hpp>

#include "persistence/connection/dialect.hpp"
#include "persistence/migrations/migrations.hpp"

using namespace gateway::persistence;

namespace {
constexpr std::string_view columns[] = {"k", "a", "version"};
constexpr std::string_view replaced[] = {"a"};
const write_shape insert{write_shape::form::insert, "t", columns, 1};
const write_shape upsert{
    .what = write_shape::form::upsert, .table = "t", .columns = columns, .keys = 1, .replaced = replaced};
const write_shape update{.what = write_shape::form::guarded_update,
                         .table = "t",
                         .columns = columns,
                         .keys = 1,
                         .guard = "version = {new} - 1",
                         .unused_columns = "b",
                         .unused_values = "''"};
}  // namespace

TEST_CASE("a shape is rendered for one row in SQLite's SQL") {
  CHECK(render(dialect::sqlite, insert, 1) == "INSERT INTO t (k, a, version) VALUES (?, ?, ?)");
  CHECK(render(dialect::sqlite, upsert, 1) ==
        "INSERT INTO t (k, a, version) VALUES (?, ?, ?) ON CONFLICT (k) DO UPDATE SET a = excluded.a");
  CHECK(render(dialect::sqlite, update, 1) == "UPDATE t SET a = ?2, version = ?3 WHERE k = ?1 AND version = ?3 - 1");
  CHECK_THROWS_AS(render(dialect::sqlite, insert, 2), std::logic_error);
}

TEST_CASE("a shape is rendered for many rows in MySQL's SQL") {
  CHECK(render(dialect::mysql, insert, 2) == "INSERT INTO t (k, a, version) VALUES (?, ?, ?), (?, ?, ?)");
  CHECK(render(dialect::mysql, upsert, 1) ==
        "INSERT INTO t (k, a, version) VALUES (?, ?, ?) ON DUPLICATE KEY UPDATE a = VALUES(a)");
  CHECK(render(dialect::mysql, update, 2) ==
        "INSERT INTO t (k, a, version, b) VALUES (?, ?, ?, ''), (?, ?, ?, '') ON DUPLICATE KEY UPDATE a = IF(version = "
        "VALUES(version) - 1, VALUES(a), a), version = IF(version = VALUES(version) - 1, VALUES(version), version)");
}

TEST_CASE("an addition to an existing row is rendered for both") {
  auto shape = upsert;
  shape.what = write_shape::form::add;
  CHECK(render(dialect::sqlite, shape, 1) ==
        "INSERT INTO t (k, a, version) VALUES (?, ?, ?) ON CONFLICT (k) DO UPDATE SET a = a + excluded.a");
  CHECK(render(dialect::mysql, shape, 2) ==
        "INSERT INTO t (k, a, version) VALUES (?, ?, ?), (?, ?, ?) ON DUPLICATE KEY UPDATE a = a + VALUES(a)");
}

TEST_CASE("where a table has another unique key, MySQL's guard compares the row's name") {
  auto shape = update;
  shape.another_unique_key = true;
  CHECK(render(dialect::mysql, shape, 1) ==
        "INSERT INTO t (k, a, version, b) VALUES (?, ?, ?, '') ON DUPLICATE KEY UPDATE "
        "a = IF(k = VALUES(k) AND version = VALUES(version) - 1, VALUES(a), a), "
        "version = IF(k = VALUES(k) AND version = VALUES(version) - 1, VALUES(version), version)");
  CHECK(render(dialect::sqlite, shape, 1) == render(dialect::sqlite, update, 1));
}

TEST_CASE("a migration is one text for both databases") {
  constexpr std::string_view text =
      "-- why\nCREATE TABLE t (k {string 8}, n {integer}, x {text}) {clustered};\n\nCREATE INDEX i ON t (n) {where n "
      "IS NOT NULL};\n";
  CHECK(render_migration(dialect::sqlite, text) ==
        std::vector<std::string>{"CREATE TABLE t (k TEXT, n INTEGER, x TEXT) STRICT, WITHOUT ROWID",
                                 "CREATE INDEX i ON t (n) WHERE n IS NOT NULL"});
  CHECK(render_migration(dialect::mysql, text) ==
        std::vector<std::string>{
            "CREATE TABLE t (k VARCHAR(8), n BIGINT, x MEDIUMTEXT) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE "
            "utf8mb4_bin ROW_FORMAT=DYNAMIC",
            "CREATE INDEX i ON t (n) "});
  CHECK_THROWS_AS(render_migration(dialect::mysql, "CREATE TABLE t (k {strnig 8});"), std::logic_error);
}

TEST_CASE("migrations are numbered from one without gaps") {
  std::int64_t expected = 1;
  for (const auto& step : known_migrations()) CHECK(step.version == expected++);
  CHECK(expected > 1);
}
