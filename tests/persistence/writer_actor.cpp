// The store's actors: group commit, bounds, reads.
#include <catch2/catch.hpp>

#include <pthread.h>

#include <future>
#include <limits>
#include <memory>
#include <thread>

#include <caf/event_based_actor.hpp>

#include "actor_fixture.hpp"
#include "persistence/units/store_writer.hpp"

using namespace gateway;
using namespace gateway::persistence;
using namespace gateway::persistence::test;

namespace {

using reply = std::variant<commit_outcome, actor_errc>;

struct running_store : empty_store, open_actors {
  explicit running_store(store_kind kind) : empty_store(kind), open_actors(with_writers(empty_store::settings())) {}

  /// Several writers, where the store allows them, which write the same rows.
  static gateway::settings with_writers(gateway::settings s) {
    s.store_writers = 2;
    return s;
  }
};

/// One writer on SQLite, with limits that a test can reach.
struct bounded_store : empty_store, open_actors {
  explicit bounded_store(unsigned batch_units, std::size_t queue = gateway::settings{}.store_queue)
      : empty_store(store_kind::sqlite), open_actors(bounded(empty_store::settings(), batch_units, queue)) {}

  static gateway::settings bounded(gateway::settings s, unsigned batch_units, std::size_t queue) {
    s.batch_units = batch_units;
    s.store_queue = queue;
    return s;
  }
};

std::vector<unit_parts> begins(int count) {
  std::vector<unit_parts> units;
  for (int i = 0; i < count; ++i) units.push_back(begin_unit(std::to_string(i)));
  return units;
}

/// Sends `one` in the middle of `others`, and returns how many of these were committed before it. One actor receives
/// all answers, so their order is that of the commits, however late this thread runs.
int committed_before(open_actors& store, const std::vector<unit_parts>& others, const unit_parts& one) {
  std::promise<int> before;
  const auto asking = [&](caf::event_based_actor* self) {
    const auto& writer = store.handles.writers.front();
    const auto count = std::make_shared<int>(0);
    for (std::size_t i = 0; i < others.size(); ++i) {
      if (i == others.size() / 2)
        self->request(writer, caf::infinite, static_cast<unit_of_work>(one))
            .then([&before, count](commit_outcome) { before.set_value(*count); },
                  [&before](const caf::error&) { before.set_value(std::numeric_limits<int>::max()); });
      // The store may end before all of these are committed.
      self->request(writer, caf::infinite, static_cast<unit_of_work>(others[i]))
          .then([count](commit_outcome) { ++*count; }, [](const caf::error&) {});
    }
  };
  store.self->spawn(asking);
  return before.get_future().get();
}

}  // namespace

TEST_CASE("a lone unit commits at once and can be read") {
  FOR_EACH_STORE(kind);
  running_store store{kind};
  CHECK(store.commit_one(begin_unit("1")) == reply{commit_outcome::committed});
  for (const auto& reader : store.handles.readers) {
    CHECK(payment_in(*store.ask<entity_lookup>(reader, find_entity{key_of("1")})) == a_payment("1"));
    CHECK(store.ask<command_lookup>(reader, find_command{command_key_of("key-1")})->found == a_command("key-1"));
    CHECK(store.ask<timeline_lookup>(reader, find_timeline{key_of("1")})->entries.empty());
    CHECK(store.ask<due_lookup>(reader, find_due{at(1000), 10})->keys.empty());
    CHECK(store.ask<directory_lookup>(reader, find_directory{{}, true})->platforms.empty());
  }
  CHECK(store.counts.commits.Value() == 1);
  CHECK(store.counts.units("committed").Value() == 1);
  CHECK(store.counts.store_up.Value() == 1);
}

TEST_CASE("units that wait together commit together, each with its own answer") {
  FOR_EACH_STORE(kind);
  running_store store{kind};
  constexpr int count = 1'000;
  auto units = begins(count);
  units[500].insert_command->key = command_key_of("key-499");
  units[500].insert_payment->key = key_of("499");
  const auto answers = store.commit(units);
  for (int i = 0; i < count; ++i) {
    INFO("unit " << i);
    CHECK(answers[static_cast<std::size_t>(i)] ==
          reply{i == 500 ? commit_outcome::duplicate_command : commit_outcome::committed});
  }
  CHECK(store.counts.commits.Value() < count / 4);
  CHECK(store.counts.units("committed").Value() == count - 1);
  CHECK(store.counts.units("duplicate_command").Value() == 1);
}

TEST_CASE("concurrent writers with the same idempotency key agree on one owner") {
  FOR_EACH_STORE(kind);
  running_store store{kind};
  auto units = begins(200);
  for (std::size_t i = 0; i < units.size(); ++i)
    units[i].insert_command->key = command_key_of("shared-" + std::to_string(i / 4));
  const auto answers = store.commit(units);
  CHECK(std::ranges::count(answers, reply{commit_outcome::committed}) == 50);
  CHECK(std::ranges::count(answers, reply{commit_outcome::duplicate_command}) == 150);
}

TEST_CASE("past its queue's limit a writer rejects units, and says so") {
  bounded_store store{gateway::settings{}.batch_units, 10};
  // The first unit keeps the writer busy long enough for the others to queue up.
  auto units = begins(500);
  for (auto& unit : units) unit.insert_payment->details.description = std::string(20'000, 'x');
  const auto answers = store.commit(units);
  const auto rejected = std::ranges::count(answers, reply{commit_outcome::rejected});
  const auto committed = std::ranges::count(answers, reply{commit_outcome::committed});
  CHECK(rejected > 0);
  CHECK(committed >= 10);
  CHECK(static_cast<std::size_t>(rejected + committed) == answers.size());
}

TEST_CASE("finishes of operations do not wait behind begins") {
  bounded_store store{1};
  REQUIRE(store.commit_one(begin_unit("first")) == reply{commit_outcome::committed});
  constexpr int many = 400;
  CHECK(committed_before(store, begins(many), finish_unit("first")) < many * 3 / 4);
}

TEST_CASE("begins of operations do not wait behind finishes") {
  bounded_store store{1};
  constexpr int many = 400;
  for (const auto& answer : store.commit(begins(many))) REQUIRE(answer == reply{commit_outcome::committed});
  std::vector<unit_parts> finishes;
  for (int i = 0; i < many; ++i) finishes.push_back(finish_unit(std::to_string(i)));
  CHECK(committed_before(store, finishes, begin_unit("new")) < many * 3 / 4);
}

namespace {

delivery a_delivery(std::int64_t number) {
  delivery d;
  d.id = number;
  d.subject = key_of("first");
  d.event_seq = 2;
  d.to = destination_id{"dest_1"};
  d.next_attempt_at = at(0);
  return d;
}

unit_parts deliveries(int count) {
  unit_parts unit;
  for (int i = 1; i <= count; ++i) unit.deliveries.push_back(a_delivery(i));
  return unit;
}

unit_parts recorded(int number) {
  unit_parts unit;
  const delivery_attempt seen{at(1), attempt_result::delivered, 200, 1, "", {}};
  unit.update_deliveries = {after_attempt(a_delivery(number), seen, destination_kind::merchant, {}, at(1))};
  return unit;
}

/// A payment's row and the deliveries of its event.
void prepare(open_actors& store, int count) {
  REQUIRE(store.commit_one(begin_unit("first")) == reply{commit_outcome::committed});
  REQUIRE(store.commit_one(finish_unit("first")) == reply{commit_outcome::committed});
  REQUIRE(store.commit_one(deliveries(count)) == reply{commit_outcome::committed});
}

}  // namespace

TEST_CASE("records of attempts commit together, a whole batch of them when nothing else waits") {
  FOR_EACH_STORE(kind);
  running_store store{kind};
  constexpr int count = 1'000;
  prepare(store, count);
  const auto before = store.counts.commits.Value();
  std::vector<unit_parts> units;
  for (int i = 1; i <= count; ++i) units.push_back(recorded(i));
  for (const auto& answer : store.commit(units)) CHECK(answer == reply{commit_outcome::committed});
  CHECK(store.counts.commits.Value() - before < count / 16);
  const auto backlog = store.ask<backlog_lookup>(store.handles.outbox, find_backlog{});
  REQUIRE(backlog);
  CHECK(backlog->destinations.empty());
}

TEST_CASE("records of attempts that trickle in share commits, while a payment's unit is committed at once") {
  FOR_EACH_STORE(kind);
  running_store store{kind};
  constexpr int count = 60;
  prepare(store, count);
  const auto before = store.counts.commits.Value();
  const auto begun = std::chrono::steady_clock::now();
  for (int i = 1; i <= count; ++i) {
    caf::anon_send(store.handles.recorder, static_cast<unit_of_work>(recorded(i)));
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  // There is a pause between two commits, so a slow machine may commit more often.
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  const std::chrono::duration<double> pause = persistence::writer_limits{}.recording_pause;
  CHECK(store.counts.commits.Value() - before <= 2 + took / pause);
  CHECK(store.commit_one(begin_unit("new")) == reply{commit_outcome::committed});
  const auto all_recorded = [&] {
    return store.ask<backlog_lookup>(store.handles.outbox, find_backlog{})->destinations.empty();
  };
  CHECK(eventually(all_recorded));
}

TEST_CASE("a record between two units of payments needs no commit of its own") {
  running_store store{store_kind::sqlite};  // on MySQL records have a connection of their own
  constexpr int rounds = 20;
  prepare(store, rounds);
  const auto before = store.counts.commits.Value();
  for (int i = 1; i <= rounds; ++i) {
    const auto name = std::to_string(i);
    CHECK(store.commit_one(begin_unit(name)) == reply{commit_outcome::committed});
    caf::anon_send(store.handles.recorder, static_cast<unit_of_work>(recorded(i)));
    CHECK(store.commit_one(finish_unit(name)) == reply{commit_outcome::committed});
    std::this_thread::sleep_for(std::chrono::milliseconds{15});  // longer than any record waits
  }
  // A busy machine may occasionally delay the test for longer than a record waits.
  CHECK(store.counts.commits.Value() - before < 2.5 * rounds);
  CHECK(store.ask<backlog_lookup>(store.handles.outbox, find_backlog{})->destinations.empty());
}

TEST_CASE("the sender of a lone unit continues on the writer's thread") {
  FOR_EACH_STORE(kind);
  running_store store{kind};
  std::promise<std::string> thread;
  const auto asking = [&](caf::event_based_actor* self) {
    self->request(store.handles.writers.front(), caf::infinite, static_cast<unit_of_work>(begin_unit("1")))
        .then([&](commit_outcome) {
          char name[16] = {};
          pthread_getname_np(pthread_self(), name, sizeof name);
          thread.set_value(name);
        });
  };
  store.self->spawn(asking);
  CHECK(thread.get_future().get() == "store-writer");
}

TEST_CASE("payments and records of attempts do not delay each other") {
  const auto batch_units = GENERATE(1u, 4u);
  INFO("batches of " << batch_units);
  bounded_store store{batch_units};
  constexpr int many = 400;
  prepare(store, many);
  SECTION("a record among many begins") { CHECK(committed_before(store, begins(many), recorded(1)) < many * 3 / 4); }
  SECTION("a begin among many records") {
    std::vector<unit_parts> records;
    for (int i = 1; i <= many; ++i) records.push_back(recorded(i));
    CHECK(committed_before(store, records, begin_unit("new")) < many * 3 / 4);
  }
}

TEST_CASE("a full queue of records rejects records only, and a full queue of payments payments only") {
  bounded_store store{1, 10};
  constexpr int many = 200;
  prepare(store, many);
  std::vector<unit_parts> units;
  SECTION("records") {
    for (int i = 1; i <= many; ++i) units.push_back(recorded(i));
    units.push_back(begin_unit("new"));
  }
  SECTION("payments") {
    units = begins(many);
    units.push_back(recorded(1));
  }
  const auto answers = store.commit(units);
  CHECK(std::ranges::count(answers, reply{commit_outcome::rejected}) > 0);
  CHECK(answers.back() == reply{commit_outcome::committed});
}

TEST_CASE("the outbox's and the operators' readers answer") {
  FOR_EACH_STORE(kind);
  running_store store{kind};
  prepare(store, 2);
  for (const auto& reader : {store.handles.outbox, store.handles.archive, store.handles.entries}) {
    CHECK(store.ask<due_deliveries_lookup>(reader, find_due_deliveries{destination_id{"dest_1"}, at(0), 10})
              ->jobs.size() == 2);
    CHECK(store.ask<deliveries_lookup>(reader, find_deliveries{})->jobs.size() == 2);
    CHECK(store.ask<events_lookup>(reader, find_events{.merchant = merchant_id{"merch_1"}})->events.size() == 1);
  }
}

TEST_CASE("every writer redelivers") {
  FOR_EACH_STORE(kind);
  running_store store{kind};
  prepare(store, 1);
  auto writers = store.handles.writers;
  writers.push_back(store.handles.recorder);
  for (const auto& writer : writers) {
    const auto made = store.ask<redeliver_rows_result>(writer, redeliver_rows{.id = 1, .now = at(0)});
    REQUIRE(made);
    CHECK(made->changed == 1);
    CHECK(made->to == destination_id{"dest_1"});
  }
  CHECK(store.ask<deliveries_lookup>(store.handles.archive, find_deliveries{.id = 1})->jobs.at(0).row.version ==
        static_cast<std::int64_t>(1 + writers.size()));
}

TEST_CASE("a redelivery changes its row after the record before it, and before the record after it") {
  FOR_EACH_STORE(kind);
  running_store store{kind};
  prepare(store, 1);
  auto next = recorded(1);
  next.update_deliveries.front().version += 1;  // for the version that the first record left
  const auto& recorder = store.handles.recorder;
  caf::anon_send(recorder, static_cast<unit_of_work>(recorded(1)));
  auto redelivery = store.self->request(recorder, std::chrono::seconds{60}, redeliver_rows{.id = 1, .now = at(5'000)});
  auto late = store.self->request(recorder, std::chrono::seconds{60}, static_cast<unit_of_work>(next));
  redelivery.receive([](const redeliver_rows_result& made) { CHECK(made.changed == 1); },
                     [](const caf::error&) { FAIL("the store is unavailable"); });
  late.receive([](commit_outcome outcome) { CHECK(outcome == commit_outcome::lost_claim); },
               [](const caf::error&) { FAIL("the store is unavailable"); });
  const auto row = store.ask<deliveries_lookup>(store.handles.archive, find_deliveries{.id = 1})->jobs.at(0).row;
  CHECK(row == redelivered(recorded(1).update_deliveries.front(), at(5'000)));
}

TEST_CASE("a batch is bounded by count and by bytes") {
  empty_store where{store_kind::sqlite};
  auto s = where.settings();
  SECTION("count") {
    s.batch_units = 16;
    open_actors store{s};
    store.commit(begins(160));
    CHECK(store.counts.commits.Value() >= 10);
  }
  SECTION("bytes") {
    open_actors store{s};
    auto units = begins(16);
    for (auto& unit : units) unit.insert_payment->details.metadata = {{"k", std::string(1 << 20, 'x')}};
    store.commit(units);
    CHECK(store.counts.commits.Value() >= 4);
  }
}

namespace {

unit_parts old_command(int number) {
  unit_parts unit;
  unit.insert_command = a_command("old-" + std::to_string(number));
  unit.insert_command->result = answer{200, "{}"};
  unit.insert_command->finished_at = at(1);
  return unit;
}

void insert_old_commands(open_actors& store, int count) {
  std::vector<unit_parts> units;
  for (int i = 0; i < count; ++i) units.push_back(old_command(i));
  for (const auto& answer : store.commit(units)) REQUIRE(answer == reply{commit_outcome::committed});
}

/// Begins whose keys are not old yet.
std::vector<unit_parts> fresh_begins(int count) {
  auto units = begins(count);
  for (auto& unit : units) unit.insert_command->created_at = at(1'000);
  return units;
}

constexpr std::uint32_t all = 1'000'000;
const purge_commands what_is_old{at(100), all};

std::uint64_t purge_steps(open_actors& store) {
  return store.counts.purge_step_seconds.Collect().histogram.sample_count;
}

}  // namespace

TEST_CASE(
    "every writer purges in small transactions, with one answer once nothing old is left or the limit is reached") {
  FOR_EACH_STORE(kind);
  running_store store{kind};
  auto writers = store.handles.writers;
  writers.push_back(store.handles.recorder);
  for (const auto& writer : writers) {
    insert_old_commands(store, 300);
    const auto steps = purge_steps(store);
    CHECK(store.ask<purge_result>(writer, purge_commands{at(100), 200})->deleted == 200);
    CHECK(purge_steps(store) >= steps + 2);
    CHECK(store.ask<purge_result>(writer, what_is_old)->deleted == 100);
    CHECK(store.ask<purge_result>(writer, what_is_old)->deleted == 0);
    CHECK(store.ask<purge_result>(writer, purge_commands{at(100), 0})->deleted == 0);
    CHECK_FALSE(store.ask<command_lookup>(store.handles.readers[0], find_command{command_key_of("old-7")})->found);
  }
  CHECK(store.counts.purged_keys.Value() == 300 * static_cast<double>(writers.size()));
}

TEST_CASE("one request purges the payments of many merchants in small transactions") {
  FOR_EACH_STORE(kind);
  running_store store{kind};
  std::vector<unit_parts> units;
  for (int i = 0; i < 90; ++i) {
    unit_parts unit;
    unit.insert_payment = captured(a_payment(std::to_string(i)));
    unit.insert_payment->version = 1;
    unit.insert_payment->key.merchant = merchant_id{"merch_" + std::to_string(i % 3)};
    units.push_back(unit);
  }
  for (const auto& answer : store.commit(units)) REQUIRE(answer == reply{commit_outcome::committed});
  const auto steps = purge_steps(store);
  auto what = purge_commands{at(-1'000), 1'000};
  what.payments = at(51);
  const auto made = store.ask<purge_result>(store.handles.recorder, what);
  CHECK(made->purged_payments.size() == 90);
  CHECK_FALSE(made->payments_left);
  CHECK(purge_steps(store) >= steps + 90 / 16);
  CHECK(store.ask<purge_result>(store.handles.recorder, what)->purged_payments.empty());
}

TEST_CASE(
    "a purge keeps up with creates that always wait, and runs at most one of its steps before each batch of creates") {
  const auto batch_units = GENERATE(1u, 16u, 128u);
  INFO("batches of " << batch_units);
  bounded_store store{batch_units};
  static constexpr int old = 2'500, creates = 1'000;
  insert_old_commands(store, old);
  const auto commits = store.counts.commits.Value();
  // The first unit keeps the writer busy until all the others wait.
  auto units = fresh_begins(creates);
  units.front().insert_payment->details.description = std::string(2'000'000, 'x');
  const auto& writer = store.handles.writers.front();
  caf::anon_send(writer, static_cast<unit_of_work>(units.front()));
  auto purge = store.self->request(writer, std::chrono::seconds{60}, what_is_old);
  for (std::size_t i = 1; i < units.size() - 1; ++i) caf::anon_send(writer, static_cast<unit_of_work>(units[i]));
  REQUIRE(store.commit_one(units.back()) == reply{commit_outcome::committed});
  // A step may still follow the last batch, and the first may have run before any.
  CHECK(store.counts.purged_keys.Value() >= creates);
  CHECK(static_cast<double>(purge_steps(store)) <= store.counts.commits.Value() - commits + 1);
  purge.receive([](const purge_result& made) { CHECK(made.deleted == old); },
                [](const caf::error&) { FAIL("the store is unavailable"); });
  CHECK(store.ask<command_lookup>(store.handles.readers[0], find_command{command_key_of("key-5")})->found);
}

TEST_CASE("a writer purges faster for keys that other writers add") {
  FOR_EACH_STORE(kind);
  running_store store{kind};
  static constexpr int old = 2'400;
  insert_old_commands(store, old);
  system_config config;
  caf::actor_system system{config};
  metrics counts;
  const auto steps = [&] { return counts.purge_step_seconds.Collect().histogram.sample_count; };
  const auto taken = std::make_shared<keys_taken>(0);
  const auto writer = spawn_store_writer(system, store.where(), std::make_shared<store_health>(counts), counts, {},
                                         taken, std::make_shared<event_log>());
  auto purge = store.self->request(writer, std::chrono::seconds{60}, what_is_old);
  REQUIRE(eventually([&] { return steps() > 0; }));
  const auto before = steps();
  const auto left = old - static_cast<int>(counts.purged_keys.Value());
  taken->fetch_add(1'000);
  purge.receive([](const purge_result& made) { CHECK(made.deleted == old); },
                [](const caf::error&) { FAIL("the store is unavailable"); });
  // Two thousand in steps of two batches, the rest in small ones.
  const auto small_ones = std::max(0, left - 2'000) / static_cast<int>(purge_pace::small_step);
  CHECK(steps() - before <= static_cast<std::uint64_t>(2'000 / 256 + small_ones + 4));
  caf::anon_send_exit(writer, caf::exit_reason::user_shutdown);
}

TEST_CASE("a writer runs one purge at a time, and says so") {
  bounded_store store{128};
  insert_old_commands(store, 1'000);
  const auto& writer = store.handles.writers.front();
  auto first = store.self->request(writer, std::chrono::seconds{60}, what_is_old);
  auto second = store.self->request(writer, std::chrono::seconds{60}, what_is_old);
  second.receive([](const purge_result&) { FAIL("two purges at once"); },
                 [](const caf::error& why) { CHECK(is(why, actor_errc::overloaded)); });
  first.receive([](const purge_result& made) { CHECK(made.deleted == 1'000); },
                [](const caf::error&) { FAIL("the store is unavailable"); });
}

TEST_CASE("how long the oldest key is overdue is shown after each purge") {
  FOR_EACH_STORE(kind);
  running_store store{kind};
  insert_old_commands(store, 100);
  REQUIRE(store.commit(fresh_begins(1)).front() == reply{commit_outcome::committed});
  CHECK(store.ask<purge_result>(store.handles.recorder, purge_commands{at(600), 70})->deleted == 70);
  CHECK(store.counts.purge_overdue_seconds.Value() == Approx(0.6));
  CHECK(store.ask<purge_result>(store.handles.recorder, purge_commands{at(600), all})->deleted == 30);
  CHECK(store.counts.purge_overdue_seconds.Value() == 0);
}

TEST_CASE("a writer commits what it was sent before it ends, and a restart finds it") {
  FOR_EACH_STORE(kind);
  empty_store where{kind};
  {
    open_actors store{where.settings()};
    for (int i = 0; i < 300; ++i) {
      auto unit = begin_unit(std::to_string(i));
      const auto key = unit.insert_payment->key;
      caf::anon_send(store.handles.writer_for(key), static_cast<unit_of_work>(unit));
    }
  }
  open_actors again{where.settings()};
  for (int i = 0; i < 300; ++i) {
    const auto key = key_of(std::to_string(i));
    CHECK(again.ask<entity_lookup>(again.handles.reader_for(key), find_entity{key})->found);
  }
}
