// The database goes away and comes back; the disk fills up.
#include <catch2/catch.hpp>

#include <atomic>
#include <barrier>
#include <thread>
#include <utility>

#include "actor_fixture.hpp"
#include "persistence/session/database_session.hpp"
#include "persistence/tables/queries.hpp"
#include "persistence/units/unit_batch.hpp"

using namespace gateway;
using namespace gateway::persistence;
using namespace gateway::persistence::test;

using reply = std::variant<commit_outcome, actor_errc>;

namespace {

/// A private MariaDB for tests that kill it; the shared one serves other tests.
struct own_mariadb {
  temporary_folder folder;
  std::string url = mariadb("start", folder.path());
  ~own_mariadb() { mariadb("stop", folder.path()); }
};

}  // namespace

TEST_CASE("while the database is away units are unavailable at once, and service resumes by itself, without traffic") {
  own_mariadb server;
  settings s;
  s.store = server.url;
  open_actors store{s};
  REQUIRE(store.commit_one(begin_unit("1")) == reply{commit_outcome::committed});
  REQUIRE(store.ask<entity_lookup>(store.handles.readers[0], find_entity{key_of("1")}));

  mariadb("kill", server.folder.path());
  CHECK(store.commit_one(begin_unit("2")) == reply{commit_outcome::unavailable});
  CHECK_FALSE(store.ask<entity_lookup>(store.handles.readers[0], find_entity{key_of("1")}));
  CHECK(store.counts.store_up.Value() == 0);
  CHECK(store.counts.commit_failures.Value() == 1);
  // Each answer is immediate: a wait of a second for each would be visible on a slow machine, too.
  const auto asked = std::chrono::steady_clock::now();
  for (int i = 0; i < 20; ++i) CHECK(store.commit_one(begin_unit("2")) == reply{commit_outcome::unavailable});
  CHECK(std::chrono::steady_clock::now() - asked < std::chrono::seconds{15});

  mariadb("start", server.folder.path());
  CHECK(eventually([&] { return store.counts.store_up.Value() == 1; }));
  CHECK(store.commit_one(begin_unit("3")) == reply{commit_outcome::committed});
  const auto found = store.ask<entity_lookup>(store.handles.readers[0], find_entity{key_of("1")});
  REQUIRE(found);
  CHECK(payment_in(*found) == a_payment("1"));
  CHECK_FALSE(store.ask<entity_lookup>(store.handles.readers[0], find_entity{key_of("2")})->found);
}

TEST_CASE("connections that the server closed while they were idle are replaced without an error") {
  empty_store where{store_kind::mysql};
  open_actors store{where.settings()};
  for (int i = 0; i < 8; ++i)
    REQUIRE(store.commit_one(begin_unit("before" + std::to_string(i))) == reply{commit_outcome::committed});
  for (const auto& reader : store.handles.readers)
    REQUIRE(store.ask<entity_lookup>(reader, find_entity{key_of("before1")}));

  const auto killer = connect(where.where(), access::read);
  static const statement others{
      "SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()"};
  std::vector<std::int64_t> ids;
  const auto recorder = std::size_t{1};  // connects by itself, to take part in the database's lock
  CHECK(eventually([&] {
    ids.clear();
    killer->read(others, {}, [&](const result_row& row) { ids.push_back(row.integer(0)); });
    return ids.size() == store.handles.writers.size() + recorder + store.handles.readers.size();
  }));
  for (const auto id : ids) killer->execute("KILL CONNECTION " + std::to_string(id));

  for (int i = 0; i < 8; ++i)
    CHECK(store.commit_one(begin_unit("after" + std::to_string(i))) == reply{commit_outcome::committed});
  for (const auto& reader : store.handles.readers)
    CHECK(store.ask<entity_lookup>(reader, find_entity{key_of("after1")})->found);
  CHECK(store.counts.store_up.Value() == 1);
  CHECK(store.counts.commit_failures.Value() == 0);
}

TEST_CASE("once one connection has moved to another host of the database, the others follow before their next use") {
  empty_store store{store_kind::mysql};
  auto where = store.where();
  where.hosts.resize(2, where.hosts.empty() ? database_host{} : where.hosts.front());  // one server in two places
  metrics counts;
  const auto how = GENERATE(access::read, access::write);
  database_session session{where, how, std::make_shared<store_health>(counts)};
  const auto connection = [&] {
    static const statement own{"SELECT CONNECTION_ID()"};
    std::int64_t number = 0;
    CHECK(session.run(
        [&](db_connection& db) { db.read(own, {}, [&](const result_row& row) { number = row.integer(0); }); }));
    return number;
  };
  const auto first = connection();
  CHECK(connection() == first);
  where.last_good->store(1);
  const auto second = connection();
  CHECK(second != first);
  CHECK(connection() == second);
}

TEST_CASE("on a full disk units are unavailable and committed data stays; with room the store resumes") {
  migrated_store store{store_kind::sqlite};
  metrics counts;
  const auto health = std::make_shared<store_health>(counts);
  database_session link{store.where(), access::write, health};
  REQUIRE(link.run([](db_connection& db) { db.execute("PRAGMA max_page_count = 200"); }));

  const auto commit = [&](int i, commit_outcome& outcome) {
    auto unit = begin_unit(std::to_string(i));
    unit.insert_payment->details.description = std::string(50'000, 'x');
    const unit_of_work whole = unit;
    return link.run([&](db_connection& db) { outcome = commit_units(db, {&whole, 1}).front(); });
  };
  int stored = 0;
  auto outcome = commit_outcome::committed;
  while (stored < 100 && commit(stored, outcome)) {
    CHECK(outcome == commit_outcome::committed);
    ++stored;
  }
  CHECK(stored > 2);
  CHECK(stored < 20);
  CHECK(link.away());
  CHECK(counts.store_up.Value() == 0);

  // The limit applied to that connection: a new one has room.
  CHECK(link.try_to_reconnect());
  CHECK(counts.store_up.Value() == 1);
  CHECK(commit(stored, outcome));
  CHECK(outcome == commit_outcome::committed);
  for (int i = 0; i <= stored; ++i) CHECK(payment_in(run(*store.reader, find_entity{key_of(std::to_string(i))})));
}

TEST_CASE("a writer waits for another one's lock and then commits") {
  migrated_store store{store_kind::sqlite};
  store.writer->begin();
  const unit_of_work other = begin_unit("other");
  std::thread second{[&] {
    const auto db = connect(store.where(), access::write);
    CHECK(commit_units(*db, {&other, 1}).front() == commit_outcome::committed);
  }};
  store.writer->commit();
  second.join();
  CHECK(payment_in(run(*store.reader, find_entity{key_of("other")})));
}

TEST_CASE("a deadlock is resolved by restarting the transaction") {
  migrated_store store{store_kind::mysql};
  const unit_of_work rows[] = {begin_unit("a"), begin_unit("b")};
  REQUIRE(commit_units(*store.writer, rows) == std::vector(2, commit_outcome::committed));

  // In each round two sessions each hold one payment before they lock the other's, so one must be rolled back. Work
  // that fails after more than a second is not repeated, so it is no error if the machine pauses for that long.
  constexpr int rounds = 20;
  metrics counts;
  const auto health = std::make_shared<store_health>(counts);
  std::barrier both{2};
  std::atomic<int> attempts = 0, done = 0, too_late = 0, lost = 0;
  const auto claim = [&](const std::string& first, const std::string& second) {
    database_session link{store.where(), access::write, health};
    for (int round = 0; round < rounds; ++round) {
      bool met = false;
      const auto started = std::chrono::steady_clock::now();
      const bool survived = link.run([&](db_connection& db) {
        static const statement touch{"UPDATE payments SET version = version + 1 WHERE payment_id = ?"};
        attempts += 1;
        db.begin();
        try {
          const cell one[] = {std::string_view{first}};
          db.change(touch, one);
          if (!std::exchange(met, true)) both.arrive_and_wait();
          const cell other[] = {std::string_view{second}};
          db.change(touch, other);
        } catch (const database_error&) {
          db.rollback();
          throw;
        }
        db.commit();
      });
      const bool late = std::chrono::steady_clock::now() - started > std::chrono::milliseconds{900};
      (survived ? done : late ? too_late : lost) += 1;
      both.arrive_and_wait();
    }
  };
  std::thread rival{[&] { claim("pay_b", "pay_a"); }};
  claim("pay_a", "pay_b");
  rival.join();
  CHECK(lost == 0);
  CHECK(done + too_late == 2 * rounds);
  CHECK(attempts + too_late == 3 * rounds);
  CHECK(payment_in(run(*store.reader, find_entity{key_of("a")}))->version == 1 + done);
  CHECK(payment_in(run(*store.reader, find_entity{key_of("b")}))->version == 1 + done);
  CHECK(counts.store_up.Value() == 1);
}
