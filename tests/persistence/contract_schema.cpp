// The store contract: schema, start and facts about the database.
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <thread>

#include "persistence/store.hpp"
#include "persistence/tables/queries.hpp"
#include "persistence/tables/row_kinds.hpp"
#include "persistence/units/unit_batch.hpp"
#include "samples.hpp"
#include "stores.hpp"

using namespace gateway;
using namespace gateway::persistence;
using namespace gateway::persistence::test;
using Catch::Matchers::Contains;

namespace {

std::vector<migration> with_one_more(std::string_view sql) {
  std::vector<migration> all{known_migrations().begin(), known_migrations().end()};
  all.push_back({all.back().version + 1, "9999_next", sql});
  return all;
}

}  // namespace

TEST_CASE("a prepared store is migrated, and preparing it again changes nothing") {
  FOR_EACH_STORE(kind);
  empty_store store{kind};
  { prepared_store first{store.settings()}; }
  const unit_of_work unit = begin_unit("1");
  REQUIRE(commit_units(*connect(store.where(), access::write), {&unit, 1}).front() == commit_outcome::committed);
  { prepared_store again{store.settings()}; }
  CHECK(payment_in(run(*connect(store.where(), access::read), find_entity{key_of("1")})) == a_payment("1"));
}

TEST_CASE("gateways that prepare one empty database at the same moment take turns") {
  FOR_EACH_STORE(kind);
  empty_store store{kind};
  std::vector<std::string> failures(4);
  std::vector<std::thread> starts;
  for (auto& failure : failures)
    starts.emplace_back([&] {
      try {
        prepared_store opened{store.settings(), std::chrono::minutes{10}};  // only a hang takes so long
      } catch (const std::exception& error) {
        failure = error.what();
      }
    });
  for (auto& start : starts) start.join();
  CHECK(failures == std::vector<std::string>(4));
}

TEST_CASE("a database with a newer schema is refused and not changed") {
  FOR_EACH_STORE(kind);
  empty_store store{kind};
  {
    const auto db = connect(store.where(), access::write);
    migrate(*db, with_one_more("CREATE TABLE later (id {integer} NOT NULL, PRIMARY KEY (id)) {wide};"));
  }
  CHECK_THROWS_WITH(prepared_store{store.settings()}, Contains("newer gatewayd") && !Contains("\n"));
}

TEST_CASE("an interrupted migration is finished by the next start") {
  FOR_EACH_STORE(kind);
  migrated_store store{kind};
  constexpr std::string_view half =
      "CREATE TABLE later (id {integer} NOT NULL, PRIMARY KEY (id)) {wide}; CREATE INDEX later_by ON later (id); ";
  CHECK_THROWS_AS(migrate(*store.writer, with_one_more(std::string{half} + "CREATE NONSENSE;")), database_error);
  const auto whole = std::string{half} + "CREATE TABLE latest (id {integer} NOT NULL, PRIMARY KEY (id)) {wide};";
  const auto again = connect(store.where(), access::write);
  migrate(*again, with_one_more(whole));
  CHECK_NOTHROW(again->execute("INSERT INTO latest (id) VALUES (1)"));
  again->rollback();
}

TEST_CASE("a database of the first version is migrated to the newest, also after an interrupted start") {
  FOR_EACH_STORE(kind);
  empty_store store{kind};
  const auto all = known_migrations();
  migrate(*connect(store.where(), access::migrate), all.first(1));
  const std::size_t died_in = GENERATE(0u, 1u, 2u);
  INFO("in the migration with index " << died_in);
  if (died_in != 0) {
    auto half = all[died_in];
    const auto broken =
        std::string{half.sql.substr(0, half.sql.rfind("ALTER TABLE deliveries"))} + "{for both}CREATE NONSENSE;";
    half.sql = broken;
    std::vector<migration> steps{all.begin(), all.begin() + static_cast<std::ptrdiff_t>(died_in)};
    steps.push_back(half);
    CHECK_THROWS_AS(migrate(*connect(store.where(), access::migrate), steps), database_error);
  }
  migrate(*connect(store.where(), access::migrate), all);
  const auto writer = connect(store.where(), access::write);
  for (const auto& parts : {begin_unit("1"), finish_unit("1")}) {
    const unit_of_work unit = parts;
    REQUIRE(commit_units(*writer, {&unit, 1}).front() == commit_outcome::committed);
  }
  CHECK(run(*connect(store.where(), access::read), find_events{.merchant = key_of("1").merchant}).events.size() == 1);
}

TEST_CASE("each table has the columns that its file in persistence/tables/ states, and no others") {
  FOR_EACH_STORE(kind);
  migrated_store store{kind};
  // Columns that only statements of their own write.
  std::map<std::string_view, std::set<std::string>> columns{
      {"api_keys", {"revoked_at", "last_used_on"}},
      {"platform_keys", {"revoked_at", "last_used_on"}},
      {"recovery_codes", {"spent_at"}},
      {"operators", {"password_hash", "sealed_totp", "totp_step"}},
      {"people", {"password_set_at", "password_shown_to", "sealed_totp", "totp_step", "time_zone", "credential_uses"}}};
  std::vector<const write_shape*> shapes{&statements::insert_meta, &statements::insert_migration,
                                         &statements::insert_purged_payment};
  for (std::size_t i = 0; i < row_kind_count; ++i)
    if (const auto* shape = writing_of(static_cast<row_kind>(i)).shape) shapes.push_back(shape);
  for (const auto* shape : shapes)
    for (const auto column : shape->columns) columns[shape->table].emplace(column);
  static const statement of_table{
      "SELECT name FROM pragma_table_info(?)",
      "SELECT column_name FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = ?"};
  for (const auto& [table, stated] : columns) {
    INFO(table);
    const cell name[] = {table};
    std::set<std::string> found;
    store.reader->read(of_table, name, [&](const result_row& row) { found.insert(row.text(0)); });
    CHECK(found == stated);
  }
  CHECK(columns.size() == 44);
}

TEST_CASE("facts about the database are written once and kept") {
  FOR_EACH_STORE(kind);
  empty_store store{kind};
  {
    prepared_store opened{store.settings()};
    CHECK_FALSE(opened.read_meta("master_key"));
    CHECK(opened.put_meta_if_absent("master_key", "finger"));
    CHECK_FALSE(opened.put_meta_if_absent("master_key", "another"));
    CHECK(opened.read_meta("master_key") == "finger");
  }
  prepared_store again{store.settings()};
  CHECK(again.read_meta("master_key") == "finger");
}

TEST_CASE("a store that cannot be opened is reported in one line") {
  temporary_folder folder;
  settings s;
  s.data_dir = folder.path() / "data";

  SECTION("the data directory is a file") {
    std::ofstream{s.data_dir} << "x";
    CHECK_THROWS_WITH(prepared_store{s}, Contains(s.data_dir.string()) && !Contains("\n"));
  }
  SECTION("the data directory is inside a file") {
    std::ofstream{folder.path() / "file"} << "x";
    s.data_dir = folder.path() / "file" / "data";
    CHECK_THROWS_WITH(prepared_store{s}, Contains("cannot create the data directory"));
  }
  SECTION("the data directory is not writable") {
    s.data_dir = "/proc/self";
    CHECK_THROWS_WITH(prepared_store{s}, Contains("/proc/self/gateway.sqlite") && !Contains("\n"));
  }
  SECTION("the file is not a database") {
    std::filesystem::create_directories(s.data_dir);
    std::ofstream{s.data_dir / "gateway.sqlite"} << std::string(8192, 'x');
    CHECK_THROWS_WITH(prepared_store{s}, Contains("not a database"));
  }
  SECTION("no server listens") {
    s.store = "mysql://gateway:secret-password@localhost/gateway?socket=" + (folder.path() / "none.sock").string();
    CHECK_THROWS_WITH(prepared_store{s}, Contains("none.sock") && !Contains("secret-password") && !Contains("\n"));
  }
  SECTION("the password is wrong") {
    s.store = mysql_url();
    s.store.replace(s.store.find(":gateway@"), 9, ":wrong-password@");
    CHECK_THROWS_WITH(prepared_store{s}, Contains("denied") && !Contains("wrong-password"));
  }
}

TEST_CASE("the embedded store's files are accessible to their owner only") {
  empty_store store{store_kind::sqlite};
  const prepared_store opened{store.settings()};
  for (const auto& entry : std::filesystem::directory_iterator{store.settings().data_dir}) {
    INFO(entry.path());
    CHECK((entry.status().permissions() & std::filesystem::perms{077}) == std::filesystem::perms::none);
  }
}

TEST_CASE("a connection's uncommitted writes are lost with it, and its committed ones survive it") {
  FOR_EACH_STORE(kind);
  migrated_store store{kind};
  const unit_of_work unit = begin_unit("1");
  REQUIRE(commit_units(*store.writer, {&unit, 1}).front() == commit_outcome::committed);
  store.writer->begin();
  store.writer->execute("DELETE FROM payments");
  store.writer = connect(store.where(), access::write);  // the old one ends during its transaction
  CHECK(payment_in(run(*store.reader, find_entity{key_of("1")})));
  const unit_of_work next = begin_unit("2");
  CHECK(commit_units(*store.writer, {&next, 1}).front() == commit_outcome::committed);
}
