// The store contract: providers' notifications. They belong to no merchant: their key has the empty merchant id.
#include <catch2/catch.hpp>

#include "contract_store.hpp"

using namespace gateway;
using namespace gateway::persistence;
using namespace gateway::persistence::test;
using enum commit_outcome;

namespace {

using texts = std::vector<std::string>;

notification a_notification(const std::string& event, provider_kind provider = provider_kind::stripe,
                            environment env = environment::live) {
  notification n;
  n.key = notification_key(provider, env, event);
  n.version = 1;
  n.provider = provider;
  n.event_id = event;
  n.type = "charge.captured";
  n.account = "acct_1";
  n.body = R"({"id":")" + event + R"(","name":"Zoë \"42\" 日本語 🦊"})";
  n.received_at = at(1);
  n.due_at = at(1);
  return n;
}

notification settled(notification n, notification_state state, time_point when) {
  n.version += 1;
  n.state = state;
  n.attempts += 1;
  n.settled_at = when;
  n.due_at.reset();
  return n;
}

unit_parts inserting(const notification& n) {
  unit_parts unit;
  unit.insert_notification = n;
  return unit;
}

unit_parts claiming(const notification& n) {
  unit_parts unit;
  unit.update_notification = n;
  return unit;
}

void insert_settled(contract_store& store, const std::string& event, std::int64_t settled_ms) {
  auto n = settled(a_notification(event), notification_state::applied, at(settled_ms));
  n.version = 1;
  REQUIRE(store.commit(inserting(n)) == committed);
}

texts notifications_listed(contract_store& store, const find_notifications& what) {
  texts ids;
  for (const auto& each : store.run(what).notifications) ids.push_back(each->event_id);
  return ids;
}

bool is_there(contract_store& store, const std::string& event) {
  return store.run(find_entity{a_notification(event).key}).found.has_value();
}

}  // namespace

TEST_CASE("a notification is stored whole, inserted once and changed by its version") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const auto fresh = a_notification("evt_1");
  CHECK_FALSE(store.run(find_entity{fresh.key}).found);
  CHECK(store.commit(inserting(fresh)) == committed);
  CHECK(notification_in(store.run(find_entity{fresh.key})) == fresh);
  CHECK(store.commit(inserting(fresh)) == entity_exists);

  auto later = fresh;
  later.version = 2;
  later.attempts = 1;
  later.due_at = at(5'001);
  later.about = "payment merch_1/live/pay_1";
  CHECK(store.commit(claiming(later)) == committed);
  CHECK(notification_in(store.run(find_entity{fresh.key})) == later);
  CHECK(store.commit(claiming(later)) == lost_claim);

  const auto done = settled(later, notification_state::applied, at(9'000));
  CHECK(store.commit(claiming(done)) == committed);
  CHECK(notification_in(store.run(find_entity{fresh.key})) == done);

  auto unknown = a_notification("evt_none");
  unknown.version = 2;
  CHECK(store.commit(claiming(unknown)) == lost_claim);
  CHECK_FALSE(store.run(find_entity{unknown.key}).found);
}

TEST_CASE("the posted body stays as it was inserted") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const auto fresh = a_notification("evt_1");
  CHECK(store.commit(inserting(fresh)) == committed);
  auto forged = settled(fresh, notification_state::ignored, at(7));
  const auto meant = forged;
  forged.type = "other";
  forged.account = "other";
  forged.body = "{}";
  forged.received_at = at(99);
  CHECK(store.commit(claiming(forged)) == committed);
  CHECK(notification_in(store.run(find_entity{fresh.key})) == meant);
}

TEST_CASE("an event of the same name is another one in the other environment, and for another provider") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  for (const auto provider : {provider_kind::stripe, provider_kind::jazzcash})
    for (const auto env : {environment::test, environment::live}) {
      const auto n = a_notification("evt_1", provider, env);
      CHECK(store.commit(inserting(n)) == committed);
      CHECK(notification_in(store.run(find_entity{n.key})) == n);
    }
}

TEST_CASE("of two posts of an event in one batch one is stored, and the other is reported as existing") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  auto second = a_notification("evt_1");
  second.received_at = at(2);
  CHECK(store.commit(std::vector{inserting(a_notification("evt_1")), inserting(second)}) ==
        std::vector<commit_outcome>{committed, entity_exists});
  CHECK(notification_in(store.run(find_entity{second.key})) == a_notification("evt_1"));
}

TEST_CASE("the largest body, and the longest names, are stored") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  auto n = a_notification(std::string(255 - std::string_view{"stripe:"}.size(), 'e'));
  n.type = std::string(128, 't');
  n.account = std::string(255, 'a');
  n.body = std::string(most_notification_bytes, 'b');
  CHECK(store.commit(inserting(n)) == committed);
  CHECK((notification_in(store.run(find_entity{n.key})) == n));  // in brackets, so that a failure does not print it all
}

TEST_CASE("notifications are found when they are due, by a trusted clock") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  for (const auto& [event, due_ms] : {std::pair{"late", 30}, {"first", 10}, {"second", 20}}) {
    auto n = a_notification(event);
    n.due_at = at(due_ms);
    CHECK(store.commit(inserting(n)) == committed);
  }
  insert_settled(store, "done", 5);
  const auto due = [&](const find_due& what) {
    std::vector<entity_key> keys = store.run(what).keys;
    return keys;
  };
  const auto first = a_notification("first").key, second = a_notification("second").key;
  CHECK(due({at(20), 10}) == std::vector{first, second});
  CHECK(due({at(20), 1}) == std::vector{first});
  CHECK(due({at(9), 10}).empty());
  CHECK(due({at(99), 10, true}).empty());
}

TEST_CASE("notifications are listed newest first, by provider, environment and state, in pages and without bodies") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const auto add = [&](const std::string& event, std::int64_t ms, provider_kind provider, environment env,
                       notification_state state) {
    auto n = a_notification(event, provider, env);
    if (state != notification_state::waiting) n = settled(n, state, at(ms));
    n.version = 1;
    n.received_at = at(ms);
    REQUIRE(store.commit(inserting(n)) == committed);
  };
  using enum notification_state;
  add("a", 1, provider_kind::stripe, environment::live, waiting);
  add("b", 2, provider_kind::stripe, environment::test, applied);
  add("c", 3, provider_kind::jazzcash, environment::live, applied);
  add("d", 3, provider_kind::stripe, environment::live, waiting);
  add("e", 4, provider_kind::stripe, environment::live, expired);

  CHECK(notifications_listed(store, {}) == texts{"e", "d", "c", "b", "a"});
  CHECK(notifications_listed(store, {.provider = provider_kind::stripe}) == texts{"e", "d", "b", "a"});
  CHECK(notifications_listed(store, {.env = environment::live}) == texts{"e", "d", "c", "a"});
  CHECK(notifications_listed(store, {.state = waiting}) == texts{"d", "a"});
  CHECK(notifications_listed(store, {.state = ignored}).empty());
  CHECK(notifications_listed(
            store, {.provider = provider_kind::jazzcash, .env = environment::live, .state = applied}) == texts{"c"});
  CHECK(notifications_listed(store, {.limit = 2}) == texts{"e", "d"});
  CHECK(notifications_listed(store, {.before = at(3), .before_id = "stripe:d", .limit = 2}) == texts{"c", "b"});
  CHECK(notifications_listed(store, {.state = waiting, .before = at(3), .before_id = "stripe:d"}) == texts{"a"});
  CHECK(notifications_listed(store, {.before = at(3)}) == texts{"b", "a"});

  auto bare = a_notification("a");
  bare.body.clear();
  CHECK(*store.run(find_notifications{}).notifications.back() == bare);
}

TEST_CASE("purging deletes notifications settled before the limit, oldest first, and no pending one") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  for (int i = 0; i < 6; ++i) insert_settled(store, "evt_" + std::to_string(i), i);
  CHECK(store.commit(inserting(a_notification("waits"))) == committed);
  const auto left = [&] {
    std::string found;
    for (int i = 0; i < 6; ++i)
      if (is_there(store, "evt_" + std::to_string(i))) found += std::to_string(i);
    return found;
  };
  const auto purge = [&] { return store.run(purge_commands{at(4), 3}); };
  CHECK(purge().notifications == 3);
  CHECK(left() == "345");
  CHECK(purge().notifications == 1);
  CHECK(purge().notifications == 0);
  CHECK(left() == "45");
  CHECK(is_there(store, "waits"));
}

TEST_CASE("how far a provider's list of events was read is kept for each account, and replaced") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const auto connect = [&](const std::string& merchant, environment env, provider_kind provider,
                           const std::string& account) {
    unit_parts unit;
    unit.records = {save_connection{
        merchant_id{merchant}, {env, provider, connection_status::connected, account}, "conn_" + merchant + account}};
    REQUIRE(store.commit(unit) == committed);
  };
  const auto put = [&](const std::string& account, std::int64_t ms) {
    unit_parts unit;
    unit.event_positions = {{provider_kind::stripe, environment::live, account, at(ms)}};
    REQUIRE(store.commit(unit) == committed);
  };
  const auto read = [&](const std::string& after = {}, std::uint32_t limit = 10) {
    const auto found = store.run(find_event_lists{provider_kind::stripe, environment::live, after, limit});
    texts lists;
    for (const auto& each : found.accounts)
      lists.push_back(each.account + (each.read_to ? " " + std::to_string(to_unix_ms(*each.read_to)) : ""));
    if (found.own_read_to) lists.push_back("own " + std::to_string(to_unix_ms(*found.own_read_to)));
    return lists;
  };
  const auto moment = [](std::int64_t ms) { return std::to_string(to_unix_ms(at(ms))); };
  CHECK(read().empty());
  connect("merch_1", environment::live, provider_kind::stripe, "acct_b");
  connect("merch_2", environment::live, provider_kind::stripe, "acct_b");
  connect("merch_3", environment::live, provider_kind::stripe, "acct_a");
  connect("merch_4", environment::live, provider_kind::stripe, "acct_c");
  connect("merch_5", environment::live, provider_kind::stripe, "");
  connect("merch_6", environment::test, provider_kind::stripe, "acct_t");
  connect("merch_7", environment::live, provider_kind::sandbox, "acct_s");
  CHECK(read() == texts{"acct_a", "acct_b", "acct_c"});
  put("acct_b", 7);
  put("", 8);
  CHECK(read() == texts{"acct_a", "acct_b " + moment(7), "acct_c", "own " + moment(8)});
  put("acct_b", 9);
  CHECK(read("acct_a", 1) == texts{"acct_b " + moment(9), "own " + moment(8)});
  CHECK(read("acct_c") == texts{"own " + moment(8)});
}

TEST_CASE("the sandbox's events are listed oldest first, in pages, by provider, environment and time") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const auto add = [&](const std::string& id, std::int64_t ms, provider_kind provider = provider_kind::sandbox,
                       environment env = environment::test) {
    unit_parts unit;
    unit.sandbox_events = {
        {merchant_id{"merch_1"}, env, id, provider, "pay_1", sandbox_act_kind::refund_outside, at(ms)}};
    unit.insert_payment = a_payment(id);
    unit.insert_payment->version = 1;
    REQUIRE(store.commit(unit) == committed);
  };
  add("evt_c", 2);
  add("evt_a", 3);
  add("evt_b", 2);
  add("evt_d", 4);
  add("evt_e", 2, provider_kind::sandbox_hosted);
  add("evt_f", 2, provider_kind::sandbox, environment::live);
  const auto read = [&](std::int64_t from, std::int64_t until, const std::string& after = {},
                        std::uint32_t limit = 10) {
    texts ids;
    for (const auto& each :
         store.run(find_sandbox_events{provider_kind::sandbox, environment::test, at(from), at(until), after, limit})
             .events)
      ids.push_back(each.event_id);
    return ids;
  };
  CHECK(read(1, 9) == texts{"evt_b", "evt_c", "evt_a", "evt_d"});
  CHECK(read(3, 4) == texts{"evt_a"});
  CHECK(read(1, 9, {}, 1) == texts{"evt_b"});
  CHECK(read(2, 9, "evt_b", 2) == texts{"evt_c", "evt_a"});
  CHECK(read(3, 9, "evt_a") == texts{"evt_d"});
  const auto one =
      store.run(find_sandbox_events{provider_kind::sandbox_hosted, environment::test, at(0), at(9)}).events.at(0);
  CHECK(one == sandbox_event{merchant_id{"merch_1"}, environment::test, "evt_e", provider_kind::sandbox_hosted, "pay_1",
                             sandbox_act_kind::refund_outside, at(2)});
}
