// One process has a MariaDB to itself: the others' errors name the holder, and they write nothing.
#include <catch2/catch.hpp>

#include <thread>

#include "actor_fixture.hpp"
#include "persistence/session/database_session.hpp"
#include "persistence/tables/queries.hpp"
#include "persistence/units/unit_batch.hpp"

using namespace gateway;
using namespace gateway::persistence;
using namespace gateway::persistence::test;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;

using reply = std::variant<commit_outcome, actor_errc>;

namespace {

std::vector<std::int64_t> numbers(db_connection& db, const statement& sql) {
  std::vector<std::int64_t> found;
  db.read(sql, {}, [&](const result_row& row) {
    if (!row.is_null(0)) found.push_back(row.integer(0));
  });
  return found;
}

/// The connection that holds the lock of this database; empty if none does. TiDB does not say which one it is: the
/// cases that ask have the tag [mariadb].
std::vector<std::int64_t> lock_holder(db_connection& db) {
  static const statement holder{"SELECT IS_USED_LOCK(CONCAT('gateway-database:', MD5(DATABASE())))"};
  return numbers(db, holder);
}

std::int64_t number_of(db_connection& db) {
  static const statement own{"SELECT CONNECTION_ID()"};
  return numbers(db, own).front();
}

void end(db_connection& by, std::int64_t connection) {
  by.execute("KILL CONNECTION " + std::to_string(connection));
  // The server releases the locks a moment after its answer.
  static const statement all{"SELECT id FROM information_schema.processlist"};
  REQUIRE(eventually([&] { return std::ranges::count(numbers(by, all), connection) == 0; }));
}

store_location as_process(const empty_store& store, char name) {
  auto where = store.where();
  where.process = std::string(32, name);
  return where;
}

bool another_gets(const empty_store& store) {
  try {
    const prepared_store taken{store.settings(), 0ms};
    return true;
  } catch (const std::runtime_error&) {
    return false;
  }
}

}  // namespace

TEST_CASE("while a gateway has the database another one is refused with one line that names the connection",
          "[mariadb]") {
  empty_store store{store_kind::mysql};
  const auto watcher = connect(store.where(), access::read);
  const prepared_store first{store.settings()};
  const auto holder = lock_holder(*watcher);
  REQUIRE(holder.size() == 1);
  const auto number = std::to_string(holder.front());
  const auto started = std::chrono::steady_clock::now();
  CHECK_THROWS_WITH((prepared_store{store.settings(), 300ms}),
                    Contains(store.where().shown()) && Contains("another gateway uses this database") &&
                        Contains("connection " + number + " from ") && Contains("KILL " + number) && !Contains("\n"));
  CHECK(std::chrono::steady_clock::now() - started >= 300ms);
}

TEST_CASE("a gateway that finds the database locked waits a moment for the other gateway to end") {
  empty_store store{store_kind::mysql};
  std::optional<prepared_store> first{std::in_place, store.settings()};
  std::thread ends{[&] {
    std::this_thread::sleep_for(200ms);
    first.reset();
  }};
  CHECK_NOTHROW(prepared_store{store.settings()});
  ends.join();
}

TEST_CASE("gateways of two databases on one server do not affect each other") {
  empty_store store{store_kind::mysql}, other{store_kind::mysql};
  const prepared_store first{store.settings()};
  CHECK_NOTHROW((prepared_store{other.settings(), 0ms}));
}

TEST_CASE("nothing is migrated while another gateway has the database") {
  empty_store store{store_kind::mysql};
  auto running = connect(as_process(store, 'a'), access::write);
  // On TiDB the lock itself needs a table.
  static const statement tables{
      "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name <> "
      "'database_lock'"};
  CHECK_FALSE(another_gets(store));
  CHECK(numbers(*running, tables) == std::vector<std::int64_t>{0});
  running.reset();
  CHECK(another_gets(store));
}

TEST_CASE("the lock is held from the preparation to the end of the last writer", "[mariadb]") {
  empty_store store{store_kind::mysql};
  const auto watcher = connect(store.where(), access::read);
  {
    prepared_store prepared{store.settings()};
    const auto holder = lock_holder(*watcher);
    REQUIRE(holder.size() == 1);
    system_config config;
    caf::actor_system system{config};
    metrics counts;
    auto handles = open_store(system, std::move(prepared), store.settings(), counts);
    CHECK(lock_holder(*watcher) == holder);
    CHECK_FALSE(another_gets(store));
    for (const auto& writer : {handles.writers.front(), handles.recorder})
      caf::anon_send_exit(writer, caf::exit_reason::user_shutdown);
    for (const auto& reader : handles.readers) caf::anon_send_exit(reader, caf::exit_reason::user_shutdown);
    for (const auto& reader : {handles.outbox, handles.archive, handles.entries})
      caf::anon_send_exit(reader, caf::exit_reason::user_shutdown);
    handles = {};
  }
  CHECK(eventually([&] { return lock_holder(*watcher).empty(); }));
  CHECK(another_gets(store));
}

TEST_CASE("when the connection that holds the lock breaks, another one of the process takes the lock at once",
          "[mariadb]") {
  migrated_store store{store_kind::mysql};
  metrics counts;
  const auto health = std::make_shared<store_health>(counts);
  database_session first{as_process(store, 'a'), access::write, health};
  database_session second{as_process(store, 'a'), access::write, health};
  std::int64_t first_number = 0, second_number = 0;
  REQUIRE(first.run([&](db_connection& db) { first_number = number_of(db); }));
  REQUIRE(second.run([&](db_connection& db) { second_number = number_of(db); }));
  REQUIRE(lock_holder(*store.reader) == std::vector{first_number});

  end(*store.reader, first_number);
  const unit_of_work unit = begin_unit("1");
  std::vector<commit_outcome> outcomes;
  CHECK(second.run([&](db_connection& db) {
    outcomes = commit_units(db, {&unit, 1});
    second_number = number_of(db);
  }));
  CHECK(outcomes == std::vector{commit_outcome::committed});
  CHECK(lock_holder(*store.reader) == std::vector{second_number});
  CHECK(first.run([](db_connection& db) { probe_write(db); }));
  CHECK(lock_holder(*store.reader) == std::vector{second_number});
  CHECK(counts.store_up.Value() == 1);
}

TEST_CASE("a process whose dead connection still holds the lock writes on, and keeps the lock when the server ends it",
          "[mariadb]") {
  migrated_store store{store_kind::mysql};
  auto dead = connect(as_process(store, 'a'), access::write);  // the gateway has closed it, and the server has not
                                                               // noticed
  REQUIRE(lock_holder(*store.reader) == std::vector{number_of(*dead)});
  metrics counts;
  database_session session{as_process(store, 'a'), access::write, std::make_shared<store_health>(counts)};
  CHECK(session.run([](db_connection& db) { probe_write(db); }));
  end(*store.reader, number_of(*dead));
  CHECK(lock_holder(*store.reader).empty());
  session.confirm_lock();
  CHECK(lock_holder(*store.reader).size() == 1);
  CHECK_FALSE(another_gets(store));
  CHECK(session.run([](db_connection& db) { probe_write(db); }));
  CHECK(counts.store_up.Value() == 1);
}

TEST_CASE("a connection beside the lock's holder commits nothing once another process has the lock") {
  migrated_store store{store_kind::mysql};
  auto holder = connect(as_process(store, 'a'), access::write);
  const auto beside = connect(as_process(store, 'a'), access::write);
  const unit_of_work unit = begin_unit("1");
  holder.reset();
  std::unique_ptr<db_connection> rival;
  REQUIRE(eventually([&] {
    try {
      rival = connect(as_process(store, 'b'), access::write);
    } catch (const database_error&) {}
    return rival != nullptr;
  }));
  try {
    commit_units(*beside, {&unit, 1});
    FAIL("it was committed");
  } catch (const database_error& error) {
    CHECK(error.what_kind == database_error::kind::gone);
  }
  beside->rollback();
  CHECK_FALSE(run(*store.reader, find_entity{key_of("1")}).found);
}

TEST_CASE(
    "a gateway whose lock another process took is unavailable and says why, until it has the lock again, without "
    "traffic") {
  empty_store where{store_kind::mysql};
  open_actors store{where.settings()};
  REQUIRE(store.commit_one(begin_unit("1")) == reply{commit_outcome::committed});
  const auto killer = connect(where.where(), access::read);

  static const statement others{
      "SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()"};
  std::optional<prepared_store> rival;
  // Sometimes the gateway, which checks every few seconds, takes the lock again first.
  REQUIRE(eventually([&] {
    for (const auto id : numbers(*killer, others)) end(*killer, id);
    try {
      rival.emplace(where.settings(), 0ms);
    } catch (const std::runtime_error&) {}
    return rival.has_value();
  }));
  CHECK(eventually([&] { return store.counts.store_locked_out.Value() == 1; }));  // it notices without a request
  CHECK(store.counts.store_up.Value() == 0);
  CHECK(store.commit_one(begin_unit("2")) == reply{commit_outcome::unavailable});

  rival.reset();
  CHECK(eventually([&] { return store.counts.store_up.Value() == 1; }));
  CHECK(store.counts.store_locked_out.Value() == 0);
  CHECK(store.commit_one(begin_unit("3")) == reply{commit_outcome::committed});
  const auto reader = connect(where.where(), access::read);
  CHECK_FALSE(run(*reader, find_entity{key_of("2")}).found);
  CHECK_FALSE(another_gets(where));
}

TEST_CASE("a tool that opens the database beside a gateway does not use the lock") {
  empty_store store{store_kind::mysql};
  const prepared_store running{store.settings()};
  const auto tool = connect(store.where(), access::write);
  CHECK_NOTHROW(probe_write(*tool));
}
