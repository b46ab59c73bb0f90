// The store contract: schema, start and facts about the database.
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <thread>

#include "persistence/queries.hpp"
#include "persistence/store.hpp"
#include "persistence/unit_batch.hpp"
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
  const auto unit = begin_unit("1");
  REQUIRE(commit_units(*connect(store.where(), access::write), {&unit, 1}).front() == commit_outcome::committed);
  { prepared_store again{store.settings()}; }
  CHECK(run(*connect(store.where(), access::read), find_payment{key_of("1")}).found == a_payment("1"));
}

TEST_CASE("many gateways may start on one empty database at once") {
  FOR_EACH_STORE(kind);
  empty_store store{kind};
  std::vector<std::string> failures(4);
  std::vector<std::thread> starts;
  for (auto& failure : failures)
    starts.emplace_back([&] {
      try {
        prepared_store opened{store.settings()};
      } catch (const std::exception& error) {
        failure = error.what();
      }
    });
  for (auto& start : starts) start.join();
  CHECK(failures == std::vector<std::string>(4));
}

TEST_CASE("a database with a newer schema is refused, not touched") {
  FOR_EACH_STORE(kind);
  empty_store store{kind};
  {
    const auto db = connect(store.where(), access::write);
    migrate(*db, with_one_more("CREATE TABLE later (id {integer} NOT NULL, PRIMARY KEY (id)) {wide};"));
  }
  CHECK_THROWS_WITH(prepared_store{store.settings()}, Contains("newer gatewayd") && !Contains("\n"));
}

TEST_CASE("a migration that died half way is finished by the next start") {
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

TEST_CASE("a database of the first version learns of webhooks and keeps its rows") {
  FOR_EACH_STORE(kind);
  empty_store store{kind};
  const auto first = known_migrations().first(1), second = known_migrations().first(2);
  const auto db = connect(store.where(), access::write);
  migrate(*db, first);
  auto unit = begin_unit("1");
  REQUIRE(commit_units(*db, {&unit, 1}).front() == commit_outcome::committed);
  unit = finish_unit("1");
  REQUIRE(commit_units(*db, {&unit, 1}).front() == commit_outcome::committed);

  SECTION("at once") {}
  SECTION("after a start that died before the last index") {
    const auto whole = second.back();
    auto half = whole;
    const auto cut = whole.sql.substr(0, whole.sql.rfind("CREATE INDEX"));
    const auto broken = std::string{cut} + "CREATE NONSENSE;";
    half.sql = broken;
    const migration steps[] = {first.front(), half};
    CHECK_THROWS_AS(migrate(*connect(store.where(), access::write), steps), database_error);
  }
  const auto again = connect(store.where(), access::write);
  migrate(*again, second);

  delivery fresh;
  fresh.id = 7;
  fresh.subject = key_of("1");
  fresh.event_seq = 2;
  fresh.to = destination_id{"dest_1"};
  fresh.next_attempt_at = at(3);
  fresh.created_at = at(3);
  unit = {};
  unit.deliveries = {fresh};
  REQUIRE(commit_units(*again, {&unit, 1}).front() == commit_outcome::committed);
  const auto reader = connect(store.where(), access::read);
  const auto jobs = run(*reader, find_due_deliveries{fresh.to, at(3), 10}).jobs;
  REQUIRE(jobs.size() == 1);
  CHECK(jobs[0].row == fresh);
  CHECK(jobs[0].event.id == "evt_2");
  CHECK(run(*reader, find_events{.merchant = key_of("1").merchant}).events.size() == 1);
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

TEST_CASE("a store that cannot be opened says so in one line") {
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
  SECTION("the data directory takes no files") {
    s.data_dir = "/proc/self";
    CHECK_THROWS_WITH(prepared_store{s}, Contains("/proc/self/gateway.sqlite") && !Contains("\n"));
  }
  SECTION("the database is not one") {
    std::filesystem::create_directories(s.data_dir);
    std::ofstream{s.data_dir / "gateway.sqlite"} << std::string(8192, 'x');
    CHECK_THROWS_WITH(prepared_store{s}, Contains("not a database"));
  }
  SECTION("nobody listens") {
    s.store = "mysql://gateway:secret-password@localhost/gateway?socket=" + (folder.path() / "none.sock").string();
    CHECK_THROWS_WITH(prepared_store{s}, Contains("none.sock") && !Contains("secret-password") && !Contains("\n"));
  }
  SECTION("the password is wrong") {
    s.store = mysql_url();
    s.store.replace(s.store.find(":gateway@"), 9, ":wrong-password@");
    CHECK_THROWS_WITH(prepared_store{s}, Contains("denied") && !Contains("wrong-password"));
  }
}

TEST_CASE("the embedded store's files are for their owner only") {
  empty_store store{store_kind::sqlite};
  const prepared_store opened{store.settings()};
  for (const auto& entry : std::filesystem::directory_iterator{store.settings().data_dir}) {
    INFO(entry.path());
    CHECK((entry.status().permissions() & std::filesystem::perms{077}) == std::filesystem::perms::none);
  }
}

TEST_CASE("what a connection wrote and did not commit is gone with it, what it committed survives it") {
  FOR_EACH_STORE(kind);
  migrated_store store{kind};
  const auto unit = begin_unit("1");
  REQUIRE(commit_units(*store.writer, {&unit, 1}).front() == commit_outcome::committed);
  store.writer->begin();
  store.writer->execute("DELETE FROM payments");
  store.writer = connect(store.where(), access::write);  // the old one ends in its transaction
  CHECK(run(*store.reader, find_payment{key_of("1")}).found);
  const auto next = begin_unit("2");
  CHECK(commit_units(*store.writer, {&next, 1}).front() == commit_outcome::committed);
}
