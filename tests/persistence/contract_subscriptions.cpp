// The store contract: subscriptions, the sandbox's side of them, and the events that have been counted.
#include <catch2/catch.hpp>

#include "contract_store.hpp"

using namespace gateway;
using namespace gateway::persistence;
using namespace gateway::persistence::test;
using enum commit_outcome;

namespace {

const metadata_map awkward_metadata{{"b", "2"}, {"a", ""}, {"a", "twice"}, {"Zoë \"42\"", "\\ 日本語 🦊 \n"}};

entity_key subscription_named(const std::string& id, environment env = environment::live,
                              const std::string& merchant = "merch_1") {
  return subscription_key(merchant_id{merchant}, env, id);
}

/// A subscription as it is first stored.
subscription a_subscription(const std::string& id) {
  subscription s;
  s.key = subscription_named(id);
  s.version = 1;
  s.platform = platform_id{"plat_1"};
  s.created_at = at(7);
  s.updated_at = at(8);
  return s;
}

subscription_projection full_state() {
  subscription_projection p;
  p.status = subscription_status::past_due;
  p.provider_customer_id = "cus_1";
  p.amount = {4200, *currency::parse("EUR")};
  p.every = {billing_interval::week, 3};
  p.period_start = at(1);
  p.period_end = at(2);
  p.cancel_at = at(3);
  p.canceled_at = at(4);
  p.metadata = awkward_metadata;
  return p;
}

subscription_invoice full_invoice() {
  return {"in_1_2",
          {-17, *currency::parse("JPY")},
          at(5),
          at(6),
          3,
          true,
          "card_declined",
          "The \"card\" was declined.",
          "https://pay.example/in_1_2"};
}

subscription_notification full_notification(const std::string& id) {
  subscription_notification n;
  n.event_id = id;
  n.kind = notification_kind::invoice_failed;
  n.at = at(9);
  n.sequence = ~std::uint64_t{0};
  n.provider_subscription_id = "sub_1";
  n.state = full_state();
  n.status_changed = true;
  n.invoice = full_invoice();
  return n;
}

/// Every field differs from its default.
subscription full_subscription(const std::string& id) {
  auto s = a_subscription(id);
  s.provider = provider_kind::sandbox_hosted;
  s.account = "acct_1";
  s.details = {"Zoë \"42\" \\ 日本語 🦊 ", 14, "https://app.example/ok", "https://app.example/no", "Gold,\nmonthly"};
  s.checkout_session_id = "cs_1";
  s.hosted_url = "https://pay.example/cs_1";
  s.checkout_expires_at = at(10);
  s.error = provider_error{error_category::risk, "refused", "Not \"this\" one.", true, true};
  s.provider_subscription_id = "sub_1";
  s.state = full_state();
  s.known = history_position{at(11), 12, notification_kind::updated, "evt_12"};
  s.activated = true;
  s.cancellation_reported = true;
  auto bare = full_notification("evt_14");
  bare.kind = notification_kind::deleted;
  bare.state = {};
  bare.invoice.reset();
  bare.action = invoice_action{"in_1_3", "https://pay.example/\"in_1_3\""};
  s.waiting = {full_notification("evt_13"), bare};
  s.owed = {{payment_key(s.key.merchant, s.key.env, payment_id{"pay_in_1"}), provider_kind::sandbox_wallet, "acct_2",
             s.platform, "ref", "Silver", awkward_metadata, cycle_result::failed, full_invoice(), at(15), "evt_15"},
            {payment_key(s.key.merchant, s.key.env, payment_id{"pay_in_2"}),
             provider_kind::sandbox,
             "",
             s.platform,
             "",
             "",
             {},
             cycle_result::paid,
             {},
             at(16),
             "evt_16"}};
  s.customer_generation = 2;
  s.invoices = {{"in_1_1", {at(12), 13, notification_kind::invoice_paid, "evt_11"}, ""},
                {"in_1_2", {at(13), 14, notification_kind::invoice_failed, "evt_12"}, "https://pay.example/in_1_2"}};
  s.open = open_subscription_operation{
      {s.key.merchant, s.key.env, "plat_1", "key-1"}, subscription_operation::cancel, true, 4, 1, at(17)};
  s.due_at = at(18);
  s.next_seq = 19;
  return s;
}

sandbox_enrollment an_enrollment(const std::string& id) {
  sandbox_enrollment e;
  e.key = {merchant_id{"merch_1"}, environment::live, entity_kind::enrollment, id};
  e.version = 1;
  return e;
}

sandbox_enrollment full_enrollment(const std::string& id) {
  auto e = an_enrollment(id);
  auto& what = e.what;
  what.key = subscription_named("s1");
  what.checkout_session_id = "cs_1";
  what.id = "sub_1";
  what.customer_id = "cus_1";
  what.amount = {4200, *currency::parse("EUR")};
  what.every = {billing_interval::year, 2};
  what.trial_period_days = 14;
  what.metadata = awkward_metadata;
  what.status = subscription_status::past_due;
  what.clock_offset = duration_ms{86'400'000};
  what.created_at = at(20);
  what.anchor = at(21);
  what.cycle = 5;
  what.failed_attempts = 3;
  what.attempted_at = at(22);
  what.updates = 6;
  what.newest = {at(23), 7, notification_kind::invoice_failed, "evt_7"};
  what.ended_at = at(24);
  what.page = "https://pay.example/cs_1";
  what.needs_customer = true;
  e.undelivered = {full_notification("evt_8"), full_notification("evt_9")};
  e.due_at = at(25);
  return e;
}

unit_parts inserting(const subscription& s) {
  unit_parts unit;
  unit.insert_subscription = s;
  return unit;
}

unit_parts inserting(const sandbox_enrollment& e) {
  unit_parts unit;
  unit.insert_enrollment = e;
  return unit;
}

unit_parts claiming(const subscription& s) {
  unit_parts unit;
  unit.update_subscription = s;
  return unit;
}

unit_parts claiming(const sandbox_enrollment& e) {
  unit_parts unit;
  unit.update_enrollment = e;
  return unit;
}

template <class Row>
Row one_version_on(Row row) {
  row.version += 1;
  return row;
}

counted_event counted(const std::string& id, environment env = environment::live) {
  return {merchant_id{"merch_1"}, env, id};
}

unit_parts counting(unit_parts unit, const std::string& id) {
  unit.counted_events = {counted(id)};
  return unit;
}

std::vector<std::string> ids_of(const std::vector<entity_key>& keys) {
  std::vector<std::string> ids;
  for (const auto& key : keys) ids.push_back(std::string{to_string(key.kind)} + ' ' + key.id);
  return ids;
}

std::vector<std::string> subscriptions_listed(contract_store& store, const find_subscriptions& what) {
  std::vector<std::string> ids;
  for (const auto& each : store.run(what).subscriptions) ids.push_back(each->key.id);
  return ids;
}

using texts = std::vector<std::string>;

}  // namespace

TEST_CASE("a subscription is stored whole, inserted once and changed by its version") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const auto fresh = a_subscription("s1");
  CHECK_FALSE(store.run(find_entity{fresh.key}).found);
  CHECK(store.commit(inserting(fresh)) == committed);
  CHECK(subscription_in(store.run(find_entity{fresh.key})) == fresh);
  CHECK(store.commit(inserting(fresh)) == entity_exists);
  const auto full = one_version_on(full_subscription("s1"));
  CHECK(store.commit(claiming(full)) == committed);
  CHECK(subscription_in(store.run(find_entity{full.key})) == full);
  CHECK(store.commit(claiming(full)) == lost_claim);
  CHECK(store.commit(claiming(one_version_on(a_subscription("nobody")))) == lost_claim);
  CHECK_FALSE(store.run(find_entity{subscription_named("nobody")}).found);
  CHECK_FALSE(store.run(find_entity{subscription_named("s1", environment::test)}).found);
  // Removed fields are removed from the row.
  const auto bare = one_version_on(one_version_on(fresh));
  CHECK(store.commit(claiming(bare)) == committed);
  CHECK(subscription_in(store.run(find_entity{bare.key})) == bare);
}

TEST_CASE("an operation of the gateway's own has no command") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  auto s = full_subscription("s1");
  s.open = open_subscription_operation{{}, subscription_operation::expire, false, 0, 1, at(17)};
  CHECK(store.commit(inserting(s)) == committed);
  CHECK(subscription_in(store.run(find_entity{s.key})) == s);
}

TEST_CASE("an enrollment is stored whole, inserted once and changed by its version") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const auto id = "sub_" + std::string(most_provider_id - 4, 'x');
  const auto fresh = an_enrollment(id);
  CHECK_FALSE(store.run(find_entity{fresh.key}).found);
  CHECK(store.commit(inserting(fresh)) == committed);
  CHECK(enrollment_in(store.run(find_entity{fresh.key})) == fresh);
  CHECK(store.commit(inserting(fresh)) == entity_exists);
  const auto full = one_version_on(full_enrollment(id));
  CHECK(store.commit(claiming(full)) == committed);
  CHECK(enrollment_in(store.run(find_entity{full.key})) == full);
  CHECK(store.commit(claiming(full)) == lost_claim);
  CHECK(store.commit(claiming(one_version_on(an_enrollment("nobody")))) == lost_claim);
  CHECK_FALSE(store.run(find_entity{an_enrollment("nobody").key}).found);
}

TEST_CASE("metadata as large as a request is stored once, however many notifications have it") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  auto e = full_enrollment("sub_1");
  e.what.metadata = {{"large", std::string(500'000, 'v')}};
  auto each = full_notification("evt_1");
  each.state.metadata = e.what.metadata;
  e.undelivered.assign(100, each);
  CHECK(store.commit(inserting(e)) == committed);
  CHECK((enrollment_in(store.run(find_entity{e.key})) == e));  // in brackets, so that a failure does not print it all
}

TEST_CASE("a subscription's document may be long") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  auto s = full_subscription("s1");
  s.waiting.assign(most_waiting_notifications, full_notification("evt_1"));
  for (auto& n : s.waiting) {
    n.state.metadata.clear();
    for (int i = 0; i < 50; ++i) n.state.metadata.emplace_back("name_" + std::to_string(i), std::string(200, 'v'));
    n.state.metadata.emplace_back("its own", std::to_string(&n - s.waiting.data()));
  }
  CHECK(store.commit(inserting(s)) == committed);
  CHECK((subscription_in(store.run(find_entity{s.key})) == s));
}

TEST_CASE("a subscription has a timeline of its own") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  auto unit = inserting(a_subscription("s1"));
  unit.entries = {an_attempt(1), an_event(2)};
  CHECK(store.commit(unit) == committed);
  CHECK(store.run(find_timeline{subscription_named("s1")}).entries == unit.entries);
  auto payments = subscription_named("s1");
  payments.kind = entity_kind::payment;
  CHECK(store.run(find_timeline{payments}).entries.empty());
  auto taken = claiming(one_version_on(a_subscription("s1")));
  taken.entries = {an_event(2)};
  CHECK(store.commit(taken) == lost_claim);
  CHECK(subscription_in(store.run(find_entity{subscription_named("s1")})) == a_subscription("s1"));
}

TEST_CASE("an event counts once") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const auto first = a_subscription("s1"), second = one_version_on(first), third = one_version_on(second);
  CHECK(store.commit(inserting(first)) == committed);
  auto unit = counting(claiming(second), "evt_1");
  unit.entries = {an_event(1)};
  CHECK(store.commit(unit) == committed);

  SECTION("in a unit that could otherwise be stored") {
    auto again = counting(claiming(third), "evt_1");
    again.entries = {an_event(2)};
    CHECK(store.commit(again) == duplicate_record);
  }
  SECTION("also in a unit whose claim is lost") { CHECK(store.commit(unit) == duplicate_record); }
  SECTION("in a unit whose event row exists already") {
    auto again = counting(claiming(third), "evt_1");
    again.entries = {an_event(1)};
    CHECK(store.commit(again) == duplicate_record);
  }
  SECTION("in a unit whose entity exists already") {
    CHECK(store.commit(counting(inserting(first), "evt_1")) == duplicate_record);
  }
  SECTION("twice in one unit") {
    auto twice = claiming(third);
    twice.counted_events = {counted("evt_2"), counted("evt_2")};
    CHECK(store.commit(twice) == duplicate_record);
  }
  SECTION("but a used key is reported first") {
    const unit_of_work begin = begin_unit("1");
    CHECK(store.commit(begin) == committed);
    auto again = counting(claiming(third), "evt_1");
    again.insert_command = a_command("key-1");
    CHECK(store.commit(again) == duplicate_command);
  }
  SECTION("and a unit whose claim is lost does not count it") {
    CHECK(store.commit(counting(claiming(second), "evt_2")) == lost_claim);
    CHECK(subscription_in(store.run(find_entity{first.key})) == second);
    CHECK(store.commit(counting(claiming(third), "evt_2")) == committed);
    return;
  }
  SECTION("within its environment") {
    auto elsewhere = claiming(third);
    elsewhere.counted_events = {counted("evt_1", environment::test)};
    CHECK(store.commit(elsewhere) == committed);
    return;
  }
  // The unit has changed nothing.
  CHECK(subscription_in(store.run(find_entity{first.key})) == second);
  CHECK(store.run(find_timeline{first.key}).entries == unit.entries);
}

TEST_CASE("of two units of one batch that count an event one is committed") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const auto units = std::vector{counting(inserting(a_subscription("s1")), "evt_1"),
                                 counting(inserting(a_subscription("s2")), "evt_1"),
                                 counting(inserting(a_subscription("s3")), "evt_2")};
  CHECK(store.commit(units) == std::vector<commit_outcome>{committed, duplicate_record, committed});
  CHECK(store.run(find_entity{subscription_named("s1")}).found);
  CHECK_FALSE(store.run(find_entity{subscription_named("s2")}).found);
  CHECK(store.run(find_entity{subscription_named("s3")}).found);
}

TEST_CASE("subscriptions and enrollments are found when they are due") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const auto subscription_due = [&](const std::string& id, std::optional<time_point> due, bool open) {
    auto s = full_subscription(id);
    s.due_at = due;
    if (!open) s.open.reset();
    CHECK(store.commit(inserting(s)) == committed);
  };
  subscription_due("open_late", at(30), true);
  subscription_due("open_early", at(10), true);
  subscription_due("waits", at(20), false);
  subscription_due("never", std::nullopt, false);
  subscription_due("later", at(41), true);
  for (const auto& [id, due] : {std::pair{"e2", at(25)}, std::pair{"e1", at(15)}, std::pair{"e3", at(41)}}) {
    auto e = full_enrollment(id);
    e.due_at = due;
    CHECK(store.commit(inserting(e)) == committed);
  }
  CHECK(store.commit(inserting(an_enrollment("e4"))) == committed);
  auto p = a_payment("1");
  p.due_at = at(12);
  unit_parts paying;
  paying.insert_payment = p;
  CHECK(store.commit(paying) == committed);

  CHECK(ids_of(store.run(find_due{at(40), 10}).keys) == texts{"payment pay_1", "subscription open_early",
                                                              "subscription waits", "subscription open_late",
                                                              "enrollment e1", "enrollment e2"});
  CHECK(ids_of(store.run(find_due{at(40), 1}).keys) ==
        texts{"payment pay_1", "subscription open_early", "enrollment e1"});
  CHECK(ids_of(store.run(find_due{at(40), 10, true}).keys) ==
        texts{"subscription open_early", "subscription open_late"});
  CHECK(ids_of(store.run(find_due{at(40), 10, true, at(10)}).keys) == texts{"subscription open_late"});
  CHECK(store.run(find_due{at(40), 10}).keys.at(1) == subscription_named("open_early"));
}

TEST_CASE("subscriptions are found by their id and by the provider's, for any merchant") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const auto put = [&](const entity_key& key, const std::string& provider_id) {
    auto s = a_subscription("");
    s.key = key;
    s.provider_subscription_id = provider_id;
    CHECK(store.commit(inserting(s)) == committed);
  };
  const auto second = subscription_named("s1", environment::live, "merch_2"), first = subscription_named("s1"),
             in_test = subscription_named("s1", environment::test), other = subscription_named("s2");
  put(second, "sub_2");
  put(in_test, "");
  put(first, "sub_1");
  put(other, "sub_1");
  using keys = std::vector<entity_key>;
  CHECK(store.run(find_subscription_keys{"s1"}).keys == keys{first, in_test, second});
  CHECK(store.run(find_subscription_keys{"s1", {}, 2}).keys == keys{first, in_test});
  CHECK(store.run(find_subscription_keys{{}, "sub_1"}).keys == keys{first, other});
  CHECK(store.run(find_subscription_keys{"s1", "sub_2"}).keys == keys{second});
  CHECK(store.run(find_subscription_keys{"S1"}).keys.empty());
  CHECK(store.run(find_subscription_keys{{}, "sub_3"}).keys.empty());
}

TEST_CASE("a merchant's subscriptions are listed in pages") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  for (const auto* id : {"c", "a", "b"}) CHECK(store.commit(inserting(full_subscription(id))) == committed);
  auto others = full_subscription("d");
  others.key.merchant = merchant_id{"merch_2"};
  others.owed.clear();
  others.open.reset();
  auto in_test = a_subscription("e");
  in_test.key.env = environment::test;
  for (const auto& s : {others, in_test}) CHECK(store.commit(inserting(s)) == committed);
  CHECK(subscriptions_listed(store, {merchant_id{"merch_1"}, {}, 10}) == texts{"a", "b", "c"});
  CHECK(subscriptions_listed(store, {merchant_id{"merch_1"}, {}, 2}) == texts{"a", "b"});
  CHECK(subscriptions_listed(store, {merchant_id{"merch_1"}, "b", 2}) == texts{"c"});
  CHECK(subscriptions_listed(store, {merchant_id{"merch_3"}, {}, 2}).empty());
  CHECK(*store.run(find_subscriptions{merchant_id{"merch_2"}}).subscriptions.at(0) == others);
}
