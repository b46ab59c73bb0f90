// The store contract: events as a log. A reader that continues after its last position gets every event once, and those
// of one entity in their order, whatever is committed meanwhile, by any writer.
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <random>

#include "contract_store.hpp"
#include "gateway/ports/store/delivery_numbers.hpp"

using namespace gateway;
using namespace gateway::persistence;
using namespace gateway::persistence::test;
using enum commit_outcome;

namespace {

const merchant_id log_shop{"merch_1"};

find_logged_events log_of(const merchant_id& merchant, std::int64_t after = 0, std::uint32_t limit = 100) {
  find_logged_events what{environment::test, merchant};
  what.after = after;
  what.limit = limit;
  return what;
}

/// A unit that makes a payment with one event, of that type.
unit_parts logged(const std::string& id, const std::string& type = "payment.captured", std::int64_t created = 2,
                  const std::string& merchant = "merch_1") {
  unit_parts unit;
  unit.insert_payment = a_payment(id);
  unit.insert_payment->key.merchant = merchant_id{merchant};
  auto event = an_event(2);
  event.event_id = "evt_" + id;
  event.operation = type;
  event.occurred_at = at(created);
  unit.entries = {event};
  return unit;
}

/// A further event of that payment.
unit_parts logged_next(const std::string& id, std::int64_t version, std::uint32_t seq) {
  unit_parts unit;
  unit.update_payment = a_payment(id);
  unit.update_payment->version = version;
  auto event = an_event(seq);
  event.event_id = "evt_" + id + "_" + std::to_string(seq);
  unit.entries = {event};
  return unit;
}

std::vector<std::string> logged_ids(const logged_events_lookup& found) {
  std::vector<std::string> ids;
  for (const auto& each : found.events) ids.push_back(each.event.id);
  return ids;
}

void keep_logged(contract_store& store, const std::vector<unit_parts>& units) {
  REQUIRE(store.commit(units) == std::vector(units.size(), committed));
}

}  // namespace

TEST_CASE("pages of the log hold every event once, in the order of the commits") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  CHECK(store.run(log_of(log_shop)).events.empty());
  for (const std::string id : {"c", "a", "b"}) keep_logged(store, {logged(id)});
  keep_logged(store, {logged("x", "payment.captured", 2, "merch_2")});
  keep_logged(store, {logged_next("c", 2, 3)});
  const std::vector<std::string> all{"evt_c", "evt_a", "evt_b", "evt_c_3"};
  const auto whole = store.run(log_of(log_shop));
  CHECK(logged_ids(whole) == all);
  CHECK_FALSE(whole.more);
  CHECK(whole.complete >= whole.complete_to);
  std::vector<std::string> seen;
  std::int64_t after = 0;
  for (int page = 0; page < 4; ++page) {
    const auto found = store.run(log_of(log_shop, after, 1));
    REQUIRE(found.events.size() == 1);
    seen.push_back(found.events.front().event.id);
    CHECK(found.read_to == found.events.front().position);
    CHECK(found.read_to > after);
    after = found.read_to;
  }
  CHECK(seen == all);
  const auto nothing = store.run(log_of(log_shop, after));
  CHECK(nothing.events.empty());
  CHECK(nothing.read_to >= after);
  keep_logged(store, {logged("d")});
  CHECK(logged_ids(store.run(log_of(log_shop, nothing.read_to))) == std::vector<std::string>{"evt_d"});
  CHECK(logged_ids(store.run(log_of(log_shop, whole.read_to))) == std::vector<std::string>{"evt_d"});
}

TEST_CASE("the log is read from a time on, and by types") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  keep_logged(store, {logged("a", "payment.captured", 10)});
  keep_logged(store, {logged("b", "payment.failed", 20)});
  keep_logged(store, {logged("c", "payment.captured", 30)});
  auto what = log_of(log_shop);
  what.from = at(20);
  CHECK(logged_ids(store.run(what)) == std::vector<std::string>{"evt_b", "evt_c"});
  what.types = {event_type::payment_captured, event_type::payment_voided};
  CHECK(logged_ids(store.run(what)) == std::vector<std::string>{"evt_c"});
  what.from = at(31);
  const auto nothing = store.run(what);
  CHECK(nothing.events.empty());
  CHECK_FALSE(nothing.more);
  what.from.reset();
  CHECK(logged_ids(store.run(what)) == std::vector<std::string>{"evt_a", "evt_c"});
  what = log_of(log_shop);
  what.id = "evt_b";
  CHECK(logged_ids(store.run(what)) == std::vector<std::string>{"evt_b"});
  what.env = environment::live;
  CHECK(store.run(what).events.empty());
  what = log_of(merchant_id{"merch_2"});
  what.id = "evt_b";
  CHECK(store.run(what).events.empty());
}

TEST_CASE("a platform reads the events of each grant's time, and private fields only of what it made") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  auto granted = a_binding("1");
  granted.newest->granted_at = at(10);
  unit_parts consent;
  consent.insert_binding = granted;
  keep_logged(store, {consent});
  auto stranger = a_binding("2", "merch_2");
  stranger.newest->scopes = *parse_scopes("payments:write");
  unit_parts without_scope;
  without_scope.insert_binding = stranger;
  keep_logged(store, {without_scope});
  keep_logged(store, {logged("before", "payment.captured", 9)});
  keep_logged(store, {logged("first", "payment.captured", 10)});
  keep_logged(store,
              {logged("other", "payment.captured", 20, "merch_2"), logged("else", "payment.captured", 20, "merch_3")});
  auto of_another = logged("another", "payment.failed", 30);
  of_another.insert_payment->details.made_by = platform_id{"plat_2"};
  keep_logged(store, {of_another});
  auto what = log_of({});
  what.platform = platform_id{"plat_1"};
  auto found = store.run(what);
  CHECK(logged_ids(found) == std::vector<std::string>{"evt_first", "evt_another"});
  REQUIRE(found.events.size() == 2);
  CHECK_FALSE(found.events[0].partial);
  CHECK(found.events[1].partial);
  CHECK_FALSE(found.more);
  what.limit = 1;
  CHECK(store.run(what).more);
  what.limit = 100;
  // Its end, and what follows.
  auto revoked = granted;
  revoked.version += 1;
  revoked.newest->revoked_at = at(40);
  revoked.newest->revoke_reason = "by the merchant";
  unit_parts end;
  end.update_binding = revoked;
  keep_logged(store, {end});
  keep_logged(store, {logged("at_end", "payment.captured", 40), logged("late", "payment.captured", 50)});
  CHECK(logged_ids(store.run(what)) == std::vector<std::string>{"evt_first", "evt_another"});
  what.merchant = log_shop;
  CHECK(logged_ids(store.run(what)) == std::vector<std::string>{"evt_first", "evt_another"});
  what.merchant = merchant_id{"merch_2"};
  CHECK(store.run(what).events.empty());
  what.merchant = {};
  what.id = "evt_first";
  CHECK(logged_ids(store.run(what)) == std::vector<std::string>{"evt_first"});
  what.id = "evt_late";
  CHECK(store.run(what).events.empty());
}

TEST_CASE("who has read to the end of the log goes on from there, also after all events were purged") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  keep_logged(store, {logged("a", "payment.captured", 10)});
  const auto end = store.run(log_of(log_shop, 0)).read_to;
  purge_commands old{at(0), 100};
  // A clock that is far ahead.
  old.events = at(500LL * 86'400'000);
  CHECK(store.run(old).events == 1);
  CHECK_FALSE(store.run(log_of(log_shop, end)).expired);
  CHECK(store.run(log_of(log_shop, end)).events.empty());
  keep_logged(store, {logged("b", "payment.captured", 20)});
  CHECK(logged_ids(store.run(log_of(log_shop, end))) == std::vector<std::string>{"evt_b"});
  CHECK(logged_ids(store.run(log_of(log_shop))) == std::vector<std::string>{"evt_b"});
}

TEST_CASE("old events leave the log and stay in the timeline, and a cursor from before has expired") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  // Positions follow the clock, unless an event happened later than that.
  constexpr std::int64_t later = 400LL * 86'400'000;
  auto sent = logged("a", "payment.captured", later + 10);
  delivery waits;
  waits.id = 7;
  waits.subject = key_of("a");
  waits.event_seq = 2;
  waits.to = destination_id{"dest_1"};
  waits.next_attempt_at = at(10);
  waits.created_at = at(10);
  sent.deliveries = {waits};
  keep_logged(store, {sent});
  const auto early = store.run(log_of(log_shop, 0, 1)).read_to;
  keep_logged(store, {logged("b", "payment.captured", later + 20)});
  keep_logged(store, {logged("c", "payment.captured", later + 30)});
  const auto late = store.run(log_of(log_shop, 0, 2)).read_to;
  purge_commands old{at(0), 1};
  old.events = at(later + 30);
  CHECK(store.run(old).events == 1);
  CHECK(store.run(log_of(log_shop, early)).expired);
  CHECK(store.run(old).events == 1);
  CHECK(store.run(old).events == 0);
  CHECK(logged_ids(store.run(log_of(log_shop))) == std::vector<std::string>{"evt_c"});
  CHECK(store.run(log_of(log_shop, early)).expired);
  const auto here = store.run(log_of(log_shop, late));
  CHECK((here.expired || logged_ids(here) == std::vector<std::string>{"evt_c"}));
  auto what = log_of(log_shop);
  what.id = "evt_b";
  CHECK(store.run(what).events.empty());
  const auto timeline = store.run(find_timeline{key_of("b")});
  REQUIRE(timeline.entries.size() == 1);
  CHECK(timeline.entries[0].event_data == "{}");
  CHECK(timeline.entries[0].operation == "payment.captured");
  // A destination that has not received it yet gets all of it.
  find_deliveries of_it;
  of_it.id = 7;
  const auto kept = store.run(of_it);
  REQUIRE(kept.jobs.size() == 1);
  CHECK(kept.jobs[0].event.data.view() == R"({"amount":4200})");
}

TEST_CASE("settled deliveries are deleted when they are old, and pending ones stay") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  keep_logged(store, {logged("a")});
  unit_parts sent;
  for (int i = 0; i < 5; ++i) {
    delivery d;
    d.id = delivery_numbers::first_at(at(i * 10)) + 1;
    d.subject = key_of("a");
    d.event_seq = 2;
    d.to = destination_id{"dest_" + std::to_string(i)};
    d.created_at = at(i * 10);
    d.status = i == 1 ? delivery_status::pending : delivery_status::delivered;
    if (i == 1) d.next_attempt_at = at(0);
    if (i != 1) {
      d.attempts = 1;
      d.last = delivery_attempt{at(i * 10), attempt_result::delivered, 200, 1, "", {}};
    }
    sent.deliveries.push_back(d);
  }
  keep_logged(store, {sent});
  const auto left = [&] {
    std::string found;
    find_deliveries all;
    all.limit = 100;
    for (const auto& each : store.run(all).jobs) found += each.row.to.value.substr(5);
    return found;
  };
  REQUIRE(left() == "43210");
  purge_commands old{at(-1), 2};
  old.deliveries = at(40);
  const auto first = store.run(old);
  CHECK(first.deliveries == 2);
  CHECK(left() == "4321");
  old.deliveries_behind = first.deliveries_behind;
  const auto second = store.run(old);
  CHECK(second.deliveries == 2);
  CHECK(left() == "41");
  old.deliveries_behind = second.deliveries_behind;
  CHECK(store.run(old).deliveries == 0);
  CHECK(left() == "41");
}

TEST_CASE("a question tells which merchants have events behind a position") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  keep_logged(store, {logged("a")});
  const auto start = store.run(find_event_news{});
  CHECK(start.owners.empty());
  CHECK(store.run(find_event_news{start.read_to}).owners.empty());
  keep_logged(store, {logged("b"), logged("c"), logged("d", "payment.captured", 2, "merch_2")});
  const auto grown = store.run(find_event_news{start.read_to});
  REQUIRE(grown.owners.size() == 2);
  CHECK_FALSE(grown.more);
  CHECK(store.run(find_event_news{grown.read_to}).owners.empty());
  const auto some = store.run(find_event_news{start.read_to, 2});
  CHECK(some.more);
  REQUIRE_FALSE(some.owners.empty());
  CHECK(store.run(find_event_news{some.read_to, 2}).owners.size() == 1);
}

namespace {

/// One of several writers at one database.
struct lane_writer {
  std::unique_ptr<db_connection> db;
  std::shared_ptr<event_log> log;
  event_lane lane;

  lane_writer(const store_location& where, std::shared_ptr<event_log> shared, std::string node = {})
      : db(connect(where, access::write)), log(std::move(shared)), lane(log, {std::move(node)}) {}
  void commit(const unit_of_work& unit) { REQUIRE(commit_units(*db, {&unit, 1}, 0, lane).front() == committed); }
};

}  // namespace

TEST_CASE("a reader sees an event once every writer has passed its position, and misses none") {
  FOR_EACH_STORE(kind);
  migrated_store store{kind};
  const auto log = std::make_shared<event_log>();
  lane_writer one{store.where(), log}, other{store.where(), log};
  one.commit(logged("a"));
  other.commit(logged("b"));
  // The first writer's lane ends before the second one's event.
  auto found = persistence::run(*store.reader, log_of(log_shop));
  CHECK(logged_ids(found) == std::vector<std::string>{"evt_a"});
  CHECK(found.complete < found.furthest);
  CHECK_FALSE(one.lane.lags());
  log->want(log->clock().behind());
  CHECK(one.lane.lags());
  one.lane.catch_up(*one.db);
  CHECK_FALSE(one.lane.lags());
  const auto rest = persistence::run(*store.reader, log_of(log_shop, found.read_to));
  CHECK(logged_ids(rest) == std::vector<std::string>{"evt_b"});
  // A lane that ended holds nothing back.
  other.commit(logged("c"));
  one.lane.end(*one.db);
  CHECK(logged_ids(persistence::run(*store.reader, log_of(log_shop, rest.read_to))) ==
        std::vector<std::string>{"evt_c"});
}

TEST_CASE("a commit that is under way holds the log back until it is known") {
  migrated_store store{store_kind::mysql};
  const auto log = std::make_shared<event_log>();
  lane_writer one{store.where(), log}, other{store.where(), log};
  one.commit(logged("a"));
  other.commit(logged("b"));
  // The first writer has drawn a position, and does not commit yet.
  const auto drawn = log->clock().draw(0, at(0));
  other.commit(logged("c"));
  const auto found = persistence::run(*store.reader, log_of(log_shop));
  CHECK(logged_ids(found) == std::vector<std::string>{"evt_a"});
  CHECK(found.read_to < drawn);
}

TEST_CASE("a writer that was given up for dead commits nothing in its old lane") {
  FOR_EACH_STORE(kind);
  migrated_store store{kind};
  const auto log = std::make_shared<event_log>();
  lane_writer writer{store.where(), log, "n1"};
  writer.commit(logged("a"));
  end_lanes_of(*store.writer, {"n1"});
  const auto seen = persistence::run(*store.reader, log_of(log_shop));
  CHECK(logged_ids(seen) == std::vector<std::string>{"evt_a"});
  const unit_of_work late = logged("b");
  try {
    commit_units(*writer.db, {&late, 1}, 0, writer.lane);
    FAIL("it committed in a lane that has ended");
  } catch (const database_error& error) {
    CHECK(error.what_kind == database_error::kind::busy);
  }
  CHECK(persistence::run(*store.reader, log_of(log_shop, seen.read_to)).events.empty());
  // It may run again, with a lane that begins behind what readers have seen.
  writer.commit(late);
  CHECK(logged_ids(persistence::run(*store.reader, log_of(log_shop, seen.read_to))) ==
        std::vector<std::string>{"evt_b"});
}

TEST_CASE("an entity's events stay in their order when another node with a slower clock goes on") {
  migrated_store store{store_kind::mysql};
  const auto fast = std::make_shared<event_log>(), slow = std::make_shared<event_log>();
  fast->clock().pass(fast->clock().draw(0, at(0) + std::chrono::hours{1}));
  lane_writer first{store.where(), fast, "n1"}, second{store.where(), slow, "n2"};
  first.commit(logged("a"));
  second.commit(logged_next("a", 2, 3));
  first.lane.watch_other_lanes(*first.db);
  second.lane.watch_other_lanes(*second.db);
  first.lane.watch_other_lanes(*first.db);
  CHECK(logged_ids(persistence::run(*store.reader, log_of(log_shop))) == std::vector<std::string>{"evt_a", "evt_a_3"});
}

TEST_CASE("events from before the log are in it, in the order of their times, and each entity's in its own") {
  FOR_EACH_STORE(kind);
  migrated_store store{kind};
  const auto units = std::vector<unit_of_work>{logged("late", "payment.captured", 30), logged("early")};
  REQUIRE(commit_units(*store.writer, units) == std::vector(2, committed));
  const unit_of_work next = logged_next("early", 2, 3);
  REQUIRE(commit_units(*store.writer, {&next, 1}).front() == committed);
  store.writer->execute("UPDATE events SET log_position = 0");
  store.writer->execute("UPDATE events SET occurred_at = occurred_at - 5 WHERE seq = 3");
  store.writer->execute("DROP TABLE event_lanes");
  store.writer->execute(kind == store_kind::sqlite ? "DROP INDEX events_by_position"
                                                   : "DROP INDEX events_by_position ON events");
  store.writer->execute(kind == store_kind::sqlite ? "DROP INDEX events_of_merchant"
                                                   : "DROP INDEX events_of_merchant ON events");
  store.writer->execute("ALTER TABLE events DROP COLUMN log_position");
  store.writer->execute("DELETE FROM schema_migrations WHERE version >= 25");
  migrate(*store.writer, known_migrations().first(25));
  const auto found = persistence::run(*store.reader, log_of(log_shop));
  CHECK(logged_ids(found) == std::vector<std::string>{"evt_early", "evt_early_3", "evt_late"});
  const unit_of_work later = logged("new", "payment.captured", 31);
  REQUIRE(commit_units(*store.writer, {&later, 1}).front() == committed);
  CHECK(logged_ids(persistence::run(*store.reader, log_of(log_shop, found.read_to))) ==
        std::vector<std::string>{"evt_new"});
}

TEST_CASE("three followers of writers that commit in any order see every event once, and each payment's in order") {
  FOR_EACH_STORE(kind);
  migrated_store store{kind};
  const auto log = std::make_shared<event_log>();
  std::vector<std::unique_ptr<lane_writer>> writers;
  for (int i = 0; i < (kind == store_kind::sqlite ? 1 : 3); ++i)
    writers.push_back(std::make_unique<lane_writer>(store.where(), log));
  std::mt19937 dice{20261128};
  struct follower {
    std::int64_t after = 0;
    std::vector<std::string> seen;
  };
  std::vector<follower> followers(3);
  const auto read = [&](follower& by) {
    const auto found = persistence::run(*store.reader, log_of(log_shop, by.after, 1 + dice() % 5));
    by.after = found.read_to;
    std::ranges::copy(logged_ids(found), std::back_inserter(by.seen));
  };
  std::vector<std::string> written;
  std::map<std::string, std::pair<std::int64_t, std::uint32_t>> payments;  // version and last seq
  for (int step = 0; step < 300; ++step) {
    auto& writer = *writers[dice() % writers.size()];
    const auto id = std::to_string(dice() % 40);
    switch (dice() % 8) {
      case 0: read(followers[dice() % followers.size()]); break;
      case 1:
        log->want(log->clock().behind());
        writer.lane.catch_up(*writer.db);
        break;
      case 2: writer.lane.end(*writer.db); break;
      default:
        if (const auto known = payments.find(id); known == payments.end()) {
          writer.commit(logged(id));
          payments[id] = {1, 2};
          written.push_back("evt_" + id);
        } else {
          auto& [version, seq] = known->second;
          writer.commit(logged_next(id, ++version, ++seq));
          written.push_back("evt_" + id + "_" + std::to_string(seq));
        }
    }
  }
  log->want(log->clock().behind());
  for (auto& writer : writers) writer->lane.catch_up(*writer->db);
  for (auto& by : followers) {
    for (auto before = by.after - 1; before != by.after;) {
      before = by.after;
      read(by);
    }
    // One process draws the positions here, so they are in the order of the commits.
    CHECK(by.seen == written);
  }
}
