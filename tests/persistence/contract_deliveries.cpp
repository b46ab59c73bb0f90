// The store contract: destinations, deliveries of events to them, and queries about both.
#include <catch2/catch.hpp>

#include <limits>

#include "contract_store.hpp"

using namespace gateway;
using namespace gateway::persistence;
using namespace gateway::persistence::test;
using enum commit_outcome;

using outcomes = std::vector<commit_outcome>;
using numbers = std::vector<std::int64_t>;

namespace {

const destination_id shop{"dest_shop"}, app{"dest_app"};

/// A delivery that is due at once, of the event of finish_unit().
delivery a_delivery(std::int64_t number, const std::string& payment = "1", const destination_id& to = shop) {
  delivery d;
  d.id = number;
  d.subject = key_of(payment);
  d.event_seq = 2;
  d.to = to;
  d.next_attempt_at = at(number);
  d.created_at = at(number);
  d.partial = to == app;
  return d;
}

delivery_attempt an_answer(attempt_result result, std::uint16_t status) {
  return {at(100), result, status, 12, "Zoë's 店: no", std::nullopt};
}

/// The delivery after an attempt.
delivery attempted(delivery d, attempt_result result = attempt_result::rejected, std::uint16_t status = 500) {
  return after_attempt(std::move(d), an_answer(result, status), destination_kind::merchant, {}, at(1'000));
}

delivery delivered(delivery d) { return attempted(std::move(d), attempt_result::delivered, 204); }
/// The delivery after it failed at its only attempt.
delivery failed(delivery d) {
  return after_attempt(std::move(d), an_answer(attempt_result::gone, 410), destination_kind::merchant,
                       retry_schedule{.merchant_attempts = 1}, at(1'000));
}

unit_parts fresh(std::vector<delivery> rows) {
  unit_parts unit;
  unit.deliveries = std::move(rows);
  return unit;
}

unit_parts recorded(std::vector<delivery> rows) {
  unit_parts unit;
  unit.update_deliveries = std::move(rows);
  return unit;
}

unit_parts saved(save_destination d) {
  unit_parts unit;
  unit.records.emplace_back(std::move(d));
  return unit;
}

void must_commit(contract_store& store, const unit_of_work& unit) { REQUIRE(store.commit(unit) == committed); }

/// A captured payment: its event has the number 2.
void with_event(contract_store& store, const std::string& payment) {
  must_commit(store, begin_unit(payment));
  must_commit(store, finish_unit(payment));
}

event_record its_event(const delivery& d) {
  return {"evt_2", d.subject, 2, "payment.captured", at(2), R"({"amount":4200})"};
}

std::optional<delivery> stored(contract_store& store, std::int64_t number) {
  find_deliveries one;
  one.id = number;
  const auto jobs = store.run(one).jobs;
  if (jobs.empty()) return std::nullopt;
  CHECK(jobs.size() == 1);
  CHECK(jobs[0].event == its_event(jobs[0].row));
  return jobs[0].row;
}

numbers of(const std::vector<delivery_job>& jobs) {
  numbers all;
  for (const auto& job : jobs) all.push_back(job.row.id);
  return all;
}

numbers due(contract_store& store, const destination_id& to, time_point now, std::uint32_t limit = 100) {
  return of(store.run(find_due_deliveries{to, now, limit}).jobs);
}

}  // namespace

TEST_CASE("a delivery is stored with its event, and comes back with every field") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  must_commit(store, begin_unit("1"));
  auto unit = finish_unit("1");
  unit.deliveries = {a_delivery(7), a_delivery(8, "1", app)};
  must_commit(store, unit);
  CHECK(stored(store, 7) == a_delivery(7));
  CHECK(stored(store, 8) == a_delivery(8, "1", app));
  CHECK_FALSE(stored(store, 9));

  auto full = a_delivery((std::int64_t{1} << 53) - 1);
  full.next_attempt_at = at(9);
  full.created_at = at(-9);
  full.attempts = std::numeric_limits<std::uint32_t>::max();
  full.round_from = full.attempts - 1;
  full.last = delivery_attempt{
      at(-5), attempt_result::answer_timeout, 999, std::numeric_limits<std::uint32_t>::max(), "\"%s\\ 🦊", {}};
  full.version = std::numeric_limits<std::int64_t>::max();
  must_commit(store, fresh({full}));
  CHECK(stored(store, full.id) == full);
}

TEST_CASE("an attempt is recorded once, and changes only the fields that attempts change") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  with_event(store, "1");
  must_commit(store, fresh({a_delivery(7)}));
  auto row = a_delivery(7);
  for (const auto& next : {attempted(row), delivered(attempted(row)), redelivered(delivered(attempted(row)), at(9))}) {
    INFO(to_string(next.status) << " after " << next.attempts);
    auto moved = next;
    moved.subject.id = "pay_other";
    moved.to = app;
    moved.event_seq = 9;
    moved.created_at = at(77);
    must_commit(store, recorded({moved}));
    CHECK(stored(store, 7) == next);
    CHECK(store.commit(recorded({next})) == lost_claim);
  }
}

TEST_CASE("a delivery that is newer, unknown or another merchant's keeps its row") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  with_event(store, "1");
  must_commit(store, fresh({a_delivery(7), a_delivery(8)}));
  auto early = attempted(a_delivery(7));
  early.version = 3;
  auto late = attempted(a_delivery(7));
  late.version = 1;
  auto foreign = attempted(a_delivery(7));
  foreign.subject.merchant = merchant_id{"merch_2"};
  for (const auto& bad : {early, late, foreign, attempted(a_delivery(9))}) {
    CHECK(store.commit(recorded({bad})) == lost_claim);
    CHECK(store.commit(recorded({attempted(a_delivery(8)), bad})) == lost_claim);
    CHECK(stored(store, 7) == a_delivery(7));
    CHECK(stored(store, 8) == a_delivery(8));
    CHECK_FALSE(stored(store, 9));
  }
}

TEST_CASE("a number is used once, for any merchant, and its second use fails the whole unit") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  with_event(store, "1");
  must_commit(store, fresh({a_delivery(7)}));
  must_commit(store, begin_unit("2"));
  auto unit = finish_unit("2");
  auto taken = a_delivery(7, "2");
  SECTION("by the same merchant") {}
  SECTION("by another") { taken.subject.merchant = merchant_id{"merch_2"}; }
  unit.deliveries = {a_delivery(8, "2"), taken};
  CHECK(store.commit(unit) == lost_claim);
  CHECK(payment_in(store.run(find_entity{key_of("2")})) == a_payment("2"));
  CHECK(stored(store, 7) == a_delivery(7));
  CHECK_FALSE(stored(store, 8));
  CHECK(store.commit(fresh({a_delivery(9), a_delivery(9)})) == lost_claim);
}

TEST_CASE("units of one delivery in one batch take effect in their order") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  with_event(store, "1");
  const auto first = attempted(a_delivery(7)), second = delivered(first);
  SECTION("each builds on the one before") {
    const unit_of_work batch[] = {fresh({a_delivery(7)}), recorded({first}), fresh({a_delivery(8)}),
                                  recorded({second})};
    CHECK(store.commit(batch) == outcomes(4, committed));
    CHECK(stored(store, 7) == second);
  }
  SECTION("out of order, the early one fails") {
    const unit_of_work batch[] = {recorded({first}), fresh({a_delivery(7)}), recorded({second})};
    CHECK(store.commit(batch) == outcomes{lost_claim, committed, lost_claim});
    CHECK(stored(store, 7) == a_delivery(7));
  }
  SECTION("the second record of one attempt fails") {
    must_commit(store, fresh({a_delivery(7)}));
    const unit_of_work batch[] = {recorded({first}), recorded({delivered(a_delivery(7))})};
    CHECK(store.commit(batch) == outcomes{committed, lost_claim});
    CHECK(stored(store, 7) == first);
  }
  SECTION("the second use of one number fails") {
    const unit_of_work batch[] = {fresh({a_delivery(7)}), fresh({a_delivery(7), a_delivery(8)}),
                                  fresh({a_delivery(9)})};
    CHECK(store.commit(batch) == outcomes{committed, lost_claim, committed});
    CHECK_FALSE(stored(store, 8));
  }
  SECTION("one unit may do both") {
    auto unit = fresh({a_delivery(7)});
    unit.update_deliveries = {first, second};
    CHECK(store.commit(unit) == committed);
    CHECK(stored(store, 7) == second);
  }
}

TEST_CASE("in a large batch the deliveries that fail do so alone") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  with_event(store, "1");
  std::vector<unit_parts> inserts, records;
  outcomes expected(150, committed);
  for (int i = 0; i < 150; ++i) {
    inserts.push_back(fresh({a_delivery(1000 + i), a_delivery(2000 + i, "1", app)}));
    records.push_back(recorded({delivered(a_delivery(1000 + i))}));
  }
  CHECK(store.commit(inserts) == expected);
  for (const auto i : {0u, 77u, 149u}) {
    records[i].update_deliveries[0].version = 5;
    expected[i] = lost_claim;
  }
  CHECK(store.commit(records) == expected);
  CHECK(stored(store, 1001) == delivered(a_delivery(1001)));
  CHECK(stored(store, 1077) == a_delivery(1077));
  CHECK(stored(store, 2001) == a_delivery(2001, "1", app));
}

TEST_CASE("a destination's due deliveries are returned most overdue first, up to the limit") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  with_event(store, "1");
  with_event(store, "2");
  auto foremost = a_delivery(50, "2");
  foremost.next_attempt_at = at(1);
  must_commit(store, fresh({a_delivery(10), a_delivery(20), a_delivery(30), a_delivery(40), foremost,
                            a_delivery(11, "1", app)}));
  must_commit(store, recorded({delivered(a_delivery(20)), failed(a_delivery(30))}));
  CHECK(due(store, shop, at(39)) == numbers{50, 10});
  CHECK(due(store, shop, at(40)) == numbers{50, 10, 40});
  CHECK(due(store, shop, at(40), 2) == numbers{50, 10});
  CHECK(due(store, shop, at(40), 0).empty());
  CHECK(due(store, app, at(40)) == numbers{11});
  CHECK(due(store, destination_id{"dest_none"}, at(40)).empty());
  CHECK(store.run(find_due_deliveries{shop, at(1), 1}).jobs ==
        std::vector{delivery_job{foremost, its_event(foremost)}});
}

TEST_CASE("due deliveries omit large data, and lists omit all; only a single delivery is read with its data") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  // 2 bytes a character: the limit counts bytes.
  std::string data{R"({"k":""})"};
  for (int i = 0; i < 1'000; ++i) data.insert(data.size() - 2, "é");
  must_commit(store, begin_unit("1"));
  auto unit = finish_unit("1");
  unit.entries.back().event_data = data;
  unit.deliveries = {a_delivery(7)};
  must_commit(store, unit);

  const auto most = static_cast<std::uint32_t>(data.size());
  const auto whole = store.run(find_due_deliveries{shop, at(7), 1, most}).jobs.at(0);
  CHECK(whole.event.data == data);
  CHECK(whole.left_out == 0);
  const auto without = store.run(find_due_deliveries{shop, at(7), 1, most - 1}).jobs.at(0);
  CHECK(without.event.data.size() == 0);
  CHECK(without.left_out == data.size());
  CHECK(without.event.id == whole.event.id);
  CHECK(without.row == whole.row);

  CHECK(store.run(find_deliveries{}).jobs.at(0).event.data.size() == 0);
  CHECK(store.run(find_deliveries{.to = shop}).jobs.at(0).event.data.size() == 0);
  CHECK(store.run(find_deliveries{.status = delivery_status::pending}).jobs.at(0).event.data.size() == 0);
  CHECK(store.run(find_deliveries{.subject = key_of("1")}).jobs.at(0).event.type == "payment.captured");
  CHECK(store.run(find_deliveries{.id = 7}).jobs.at(0).event.data == data);
}

TEST_CASE("deliveries of a status are counted, up to a number") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  with_event(store, "1");
  must_commit(store, fresh({a_delivery(1), a_delivery(2), a_delivery(3), a_delivery(4, "1", app)}));
  must_commit(store, recorded({failed(a_delivery(2)), failed(a_delivery(3)), failed(a_delivery(4, "1", app))}));
  const auto count = [&](delivery_status status, std::uint32_t most) {
    return store.run(count_deliveries{shop, status, most}).count;
  };
  CHECK(count(delivery_status::failed, 10) == 2);
  CHECK(count(delivery_status::failed, 1) == 1);
  CHECK(count(delivery_status::pending, 10) == 1);
  CHECK(count(delivery_status::delivered, 10) == 0);
}

TEST_CASE("the backlog counts pending deliveries, by destination") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  CHECK(store.run(find_backlog{}).destinations.empty());
  with_event(store, "1");
  auto later = a_delivery(5);
  later.next_attempt_at = at(900);
  must_commit(store, fresh({later, a_delivery(10), a_delivery(20), a_delivery(30), a_delivery(11, "1", app)}));
  must_commit(store, recorded({delivered(a_delivery(20)), failed(a_delivery(30))}));
  const auto found = store.run(find_backlog{}).destinations;
  REQUIRE(found.size() == 2);
  CHECK(found[0].to == app);
  CHECK(found[0].pending == 1);
  CHECK(found[1].to == shop);
  CHECK(found[1].pending == 2);
  CHECK(found[1].next_attempt_at == at(10));
  CHECK(found[1].oldest_number == 5);
}

TEST_CASE("deliveries are listed newest first, page by page, by destination and status") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  with_event(store, "1");
  must_commit(store, fresh({a_delivery(1), a_delivery(2, "1", app), a_delivery(3), a_delivery(4),
                            a_delivery(5, "1", app), a_delivery(6)}));
  must_commit(store, recorded({delivered(a_delivery(3)), failed(a_delivery(4)), failed(a_delivery(5, "1", app))}));
  const auto list = [&](find_deliveries what) { return of(store.run(what).jobs); };
  CHECK(list({}) == numbers{6, 5, 4, 3, 2, 1});
  CHECK(list({.before = 4, .limit = 2}) == numbers{3, 2});
  CHECK(list({.limit = 0}).empty());
  CHECK(list({.to = shop}) == numbers{6, 4, 3, 1});
  CHECK(list({.to = shop, .before = 6, .limit = 2}) == numbers{4, 3});
  CHECK(list({.to = shop, .status = delivery_status::pending}) == numbers{6, 1});
  CHECK(list({.to = shop, .status = delivery_status::pending, .before = 6}) == numbers{1});
  // With its merchant, the same pages are read another way.
  const merchant_id owner = key_of("1").merchant;
  CHECK(list({.to = shop, .owner = owner}) == numbers{6, 4, 3, 1});
  CHECK(list({.to = shop, .owner = owner, .before = 6, .limit = 2}) == numbers{4, 3});
  CHECK(list({.to = shop, .owner = owner, .status = delivery_status::pending}) == numbers{6, 1});
  CHECK(list({.to = shop, .owner = owner, .status = delivery_status::failed}) == numbers{4});
  CHECK(list({.to = shop, .owner = owner, .status = delivery_status::delivered, .before = 3}).empty());
  CHECK(list({.status = delivery_status::failed}) == numbers{5, 4});
  CHECK(list({.status = delivery_status::failed, .before = 5, .limit = 1}) == numbers{4});
  CHECK(list({.status = delivery_status::delivered}) == numbers{3});
  CHECK(list({.to = app, .status = delivery_status::pending, .id = 3, .limit = 0}) == numbers{3});
}

TEST_CASE("a merchant's events are listed newest first") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const auto event_of = [&](entity_key key, std::uint32_t seq, std::int64_t offset_ms) {
    unit_parts unit;
    unit.insert_payment = a_payment("x");
    unit.insert_payment->key = std::move(key);
    unit.entries = {an_attempt(seq - 1), an_event(seq)};
    unit.entries.back().occurred_at = at(offset_ms);
    must_commit(store, unit);
  };
  auto live = key_of("1");
  live.env = environment::live;
  event_of(key_of("1"), 2, 10);
  event_of(live, 4, 10);
  event_of(key_of("2"), 6, 30);
  event_of(key_of("3"), 8, 20);
  event_of(key_of("1", "merch_2"), 10, 40);
  const merchant_id merchant{"merch_1"};
  const auto list = [&](find_events what) {
    std::vector<std::uint32_t> all;
    for (const auto& event : store.run(what).events) all.push_back(event.seq);
    return all;
  };
  using seqs = std::vector<std::uint32_t>;
  CHECK(list({.merchant = merchant}) == seqs{6, 8, 2, 4});
  CHECK(list({.merchant = merchant, .limit = 2}) == seqs{6, 8});
  CHECK(list({.merchant = merchant, .before = at(20)}) == seqs{2, 4});
  CHECK(list({.merchant = merchant, .env = environment::live}) == seqs{4});
  CHECK(list({.merchant = merchant, .subject = "pay_1"}) == seqs{2, 4});
  CHECK(list({.merchant = merchant, .env = environment::test, .subject = "pay_1", .before = at(11)}) == seqs{2});
  CHECK(list({.merchant = merchant, .subject = "pay_1", .before = at(10)}).empty());
  CHECK(list({.merchant = merchant_id{"merch_none"}}).empty());
  CHECK(store.run(find_events{.merchant = merchant, .limit = 1}).events ==
        std::vector{event_record{"evt_6", key_of("2"), 6, "payment.captured", at(30), R"({"amount":4200})"}});
}

TEST_CASE("a delivery is made due again by its number, whatever its result") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  with_event(store, "1");
  must_commit(store, fresh({a_delivery(1), a_delivery(2), a_delivery(3)}));
  const delivery before[] = {a_delivery(1), delivered(a_delivery(2)), failed(a_delivery(3))};
  must_commit(store, recorded({before[1], before[2]}));
  for (const auto& row : before) {
    INFO("delivery " << row.id);
    const auto answer = store.run(redeliver_rows{.id = row.id, .now = at(5'000)});
    CHECK(answer.changed == 1);
    CHECK(answer.to == shop);
    CHECK(stored(store, row.id) == redelivered(row, at(5'000)));
  }
  // The attempt that was under way has lost its claim.
  CHECK(store.commit(recorded({attempted(a_delivery(1))})) == lost_claim);
  const auto none = store.run(redeliver_rows{.id = 9, .now = at(5'000)});
  CHECK(none.changed == 0);
  CHECK(none.to.value.empty());
}

TEST_CASE("a destination's failed deliveries of a time range are made due again, in limited steps") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  with_event(store, "1");
  std::vector<delivery> rows, failures;
  for (int i = 1; i <= 9; ++i) rows.push_back(a_delivery(i));
  rows.push_back(a_delivery(20, "1", app));
  for (const auto& row : rows)
    if (row.id != 5) failures.push_back(failed(row));
  must_commit(store, fresh(rows));
  must_commit(store, recorded(failures));
  const redeliver_rows window{.to = shop, .from = at(2), .until = at(8), .now = at(5'000), .limit = 3};
  CHECK(store.run(window).changed == 3);
  CHECK(store.run(window).changed == 2);
  CHECK(store.run(window).changed == 0);
  CHECK(stored(store, 2) == redelivered(failed(a_delivery(2)), at(5'000)));
  CHECK(stored(store, 7)->status == delivery_status::pending);
  CHECK(stored(store, 5) == a_delivery(5));
  CHECK(stored(store, 1) == failed(a_delivery(1)));
  CHECK(stored(store, 8) == failed(a_delivery(8)));
  CHECK(store.run(redeliver_rows{.to = shop, .now = at(5'000), .limit = 100}).changed == 3);
  CHECK(stored(store, 20)->status == delivery_status::failed);
  CHECK(store.run(redeliver_rows{.now = at(5'000), .limit = 100}).changed == 0);
}

TEST_CASE("what is pending for a destination ends as failed when it is dropped, in limited steps") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  with_event(store, "1");
  must_commit(store, fresh({a_delivery(1), a_delivery(2), a_delivery(3), a_delivery(4), a_delivery(5, "1", app)}));
  must_commit(store, recorded({attempted(a_delivery(2)), delivered(a_delivery(4))}));
  const redeliver_rows drop{.to = shop, .now = at(9), .limit = 2, .drop = true};
  CHECK(store.run(drop).changed == 2);
  CHECK(store.run(drop).changed == 1);
  CHECK(store.run(drop).changed == 0);
  CHECK(stored(store, 1) == dropped(a_delivery(1)));
  CHECK(stored(store, 2) == dropped(attempted(a_delivery(2))));
  CHECK(stored(store, 4) == delivered(a_delivery(4)));
  CHECK(stored(store, 5) == a_delivery(5, "1", app));
  // An attempt that was under way has lost its claim.
  CHECK(store.commit(recorded({delivered(a_delivery(3))})) == lost_claim);
}

TEST_CASE("the attempts before the last one are stored with their delivery") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  with_event(store, "1");
  must_commit(store, fresh({a_delivery(1)}));
  auto row = a_delivery(1);
  for (int i = 0; i < 3; ++i) must_commit(store, recorded({row = attempted(row)}));
  CHECK(row.earlier.size() == 2);
  CHECK(stored(store, 1) == row);
}

TEST_CASE("a destination belongs to its owner, and saving it again keeps its kind and its creation time") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  save_destination first;
  first.what = {shop,
                destination_kind::merchant,
                "merch_shop",
                environment::live,
                "https://shop.example/hook?a=1",
                {"payment.captured", "payment.voided"},
                destination_status::enabled,
                "",
                at(1)};
  first.sealed_secret = "sealed";
  save_destination other;
  other.what = {app,
                destination_kind::platform,
                "plat_1",
                environment::test,
                "http://app.example:8080/",
                {},
                destination_status::disabled,
                "asked for",
                at(2)};
  other.sealed_secret = "sealed too";
  other.sealed_previous = "old";
  other.previous_until = at(99);
  must_commit(store, saved(first));
  must_commit(store, saved(other));
  CHECK(store.run(find_destinations{}).destinations == std::vector{first, other});

  auto changed = other;
  changed.what.id = first.what.id;
  changed.what.owner = first.what.owner;
  must_commit(store, saved(changed));
  changed.what.kind = first.what.kind;
  changed.what.created_at = first.what.created_at;
  CHECK(store.run(find_destinations{}).destinations == std::vector{changed, other});
}
