// Subscriptions, the sandbox's side of them, and the payments of their cycles, as scenarios under virtual time.
#include <catch2/catch.hpp>

#include "gateway/messages/customer_key.hpp"
#include "world.hpp"

using namespace gateway;
using namespace gateway::testing;

namespace {

const platform_id acme{"plat_acme"};
const merchant_id shop{"merch_1"};
constexpr duration_ms day = std::chrono::hours{24};

merchant shop_with_subscriptions() {
  auto who = demo_merchant();
  who.routes = {{environment::test, provider_kind::sandbox, 1, {}, {payment_method_kind::recurring_card}}};
  return who;
}

struct shop_world : world {
  explicit shop_world(failing_store_ptr rows = std::make_shared<failing_store>(), duration_ms ahead = 0ms)
      : world{std::move(rows), unhurried(), ahead} {
    publish(shop_with_subscriptions());
  }

  static entity_key key_of(std::string_view id) { return subscription_key(shop, environment::test, std::string{id}); }

  static entity_request open(std::string_view id, std::string_view key, unsigned trial_days = 0) {
    open_subscription_checkout wanted;
    wanted.platform = acme;
    wanted.amount = {1900, *currency::parse("EUR")};
    wanted.every = {billing_interval::month, 1};
    wanted.details.customer_ref = "ref-1";
    wanted.details.trial_period_days = trial_days;
    wanted.metadata = {{"plan", "gold"}};
    return {key_of(id), world::write(key, std::string{id} + "open"), subscription_command{wanted}};
  }
  static entity_request cancel(std::string_view id, std::string_view key, const platform_id& by = acme) {
    auto write = world::write(key, std::string{id} + "cancel");
    write.key.principal = by.value;
    return {key_of(id), std::move(write), subscription_command{cancel_subscription{}}};
  }

  subscription stored(std::string_view id) { return rows().subscriptions.at(memory_store::id(key_of(id))); }
  std::string status(std::string_view id) { return std::string{to_string(stored(id).state.status)}; }
  entity_key enrollment(std::string_view id) {
    return enrollment_key(shop, environment::test, "sub_" + stored(id).checkout_session_id.substr(3));
  }
  sandbox_enrollment provider_row(std::string_view id) {
    return rows().enrollments.at(memory_store::id(enrollment(id)));
  }

  void subscribe(std::string_view id, std::string_view key, unsigned trial_days = 0) {
    REQUIRE(ask(open(id, key, trial_days)) == "open_checkout pending");
    REQUIRE(ask({enrollment(id), std::nullopt, enrollment_command{pay_enrollment{}}}) == "view");
  }
  void move(std::string_view id, sandbox_move to, sandbox_telling how = {}) {
    REQUIRE(ask({enrollment(id), std::nullopt, enrollment_command{move_enrollment{to, how}}}) == "view");
  }

  /// The types of the subscription's events, in the order of their numbers.
  std::vector<std::string> events(std::string_view id) {
    std::vector<std::string> types;
    for (const auto& each : rows().run(find_timeline{key_of(id)}).entries)
      if (each.kind == timeline_kind::event) types.push_back(each.operation.substr(each.operation.find('.') + 1));
    return types;
  }
  std::vector<payment> cycles() {
    std::vector<payment> all;
    for (const auto& [key, row] : rows().payments)
      if (row.provider_ref.starts_with("in_")) all.push_back(row);
    return all;
  }
  std::vector<std::string> payment_events(const payment& of) {
    std::vector<std::string> types;
    for (const auto& each : rows().run(find_timeline{of.key}).entries)
      if (each.kind == timeline_kind::event) types.push_back(each.operation);
    return types;
  }
};

using texts = std::vector<std::string>;

}  // namespace

TEST_CASE("a checkout waits for its customer, names a customer of the provider, and is opened once") {
  shop_world w;
  CHECK(w.ask(w.open("s1", "k1")) == "open_checkout pending");
  CHECK(w.ask(w.open("s1", "k1")) == "replay: open_checkout pending");
  CHECK(w.ask(w.open("s1", "k2")) == text_of(problem::subscription_already_exists));
  const auto s = w.stored("s1");
  CHECK(s.hosted_url.starts_with("https://gateway.test/sandbox/subscription/"));
  CHECK(s.checkout_session_id.starts_with("cs_"));
  const auto who = w.rows().customers.at(memory_store::id(customer_key(shop, environment::test, acme, "ref-1")));
  CHECK(who.provider_id == s.state.provider_customer_id);
  CHECK(w.provider_row("s1").what.customer_id == who.provider_id);
  CHECK(w.rows().enrollments.size() == 1);
  CHECK(w.events("s1").empty());
}

TEST_CASE("without a connected route for recurring cards nothing begins") {
  shop_world w;
  w.publish(demo_merchant());
  CHECK(w.ask(w.open("s1", "k1")) == text_of(problem::no_eligible_provider));
  auto waiting = shop_with_subscriptions();
  for (auto& link : waiting.connections) link.status = connection_status::not_connected;
  w.publish(waiting);
  CHECK(w.ask(w.open("s1", "k1")) == text_of(problem::merchant_not_charge_capable));
  CHECK(w.rows().subscriptions.empty());
  CHECK(w.rows().commands.empty());
}

TEST_CASE("the customer pays: the subscription is active, and its first cycle is a captured payment") {
  shop_world w;
  w.subscribe("s1", "k1");
  CHECK(w.status("s1") == "active");
  CHECK(w.events("s1") == texts{"activated", "invoice_paid"});
  REQUIRE(w.cycles().size() == 1);
  const auto cycle = w.cycles()[0];
  CHECK(cycle.state == payment_state::captured);
  CHECK(cycle.captured == 1900);
  CHECK(cycle.key.id == "pay_" + cycle.provider_ref);
  CHECK(w.payment_events(cycle) == texts{"payment.captured"});
  CHECK(w.stored("s1").owed.empty());
  CHECK_FALSE(w.stored("s1").due_at);
  CHECK(w.provider_row("s1").undelivered.empty());
  CHECK(w.ask(world::refund(cycle.key.id, "r1", 900)) == "refund partially_refunded 900/900");
}

TEST_CASE("a year of cycles, made by the provider's clock, makes twelve more payments") {
  shop_world w;
  w.start_reconciler();
  w.subscribe("s1", "k1");
  for (int month = 0; month < 12; ++month) w.advance(31 * day, 31 * day / 4);
  CHECK(w.cycles().size() == 13);
  for (const auto& each : w.cycles()) {
    CHECK(each.state == payment_state::captured);
    CHECK(w.payment_events(each) == texts{"payment.captured"});
  }
  CHECK(w.events("s1").size() == 14);
}

TEST_CASE("a trial bills nothing until it ends") {
  shop_world w;
  w.start_reconciler();
  w.subscribe("s1", "k1", 7);
  CHECK(w.status("s1") == "trialing");
  CHECK(w.events("s1") == texts{"activated"});
  CHECK(w.cycles().empty());
  w.advance(8 * day, day);
  CHECK(w.status("s1") == "active");
  CHECK(w.cycles().size() == 1);
}

TEST_CASE("a failed cycle is a failed payment, and captured once the provider's retry succeeds") {
  shop_world w;
  w.subscribe("s1", "k1");
  w.move("s1", sandbox_move::cycle_failed);
  REQUIRE(w.cycles().size() == 2);
  const auto id = w.cycles()[1].key.id;
  const auto now = [&] { return w.rows().payments.at(memory_store::id(world::key_of(id))); };
  CHECK(now().state == payment_state::failed);
  CHECK(w.status("s1") == "past_due");
  w.move("s1", sandbox_move::cycle_paid);
  CHECK(now().state == payment_state::captured);
  CHECK(w.status("s1") == "active");
  CHECK(w.payment_events(now()) == texts{"payment.failed", "payment.captured"});
  CHECK(w.cycles().size() == 2);
}

TEST_CASE("exhausted retries end the subscription, with one event") {
  shop_world w;
  w.subscribe("s1", "k1");
  w.move("s1", sandbox_move::cycle_exhausted);
  CHECK(w.status("s1") == "canceled");
  auto published = w.events("s1");
  CHECK(std::ranges::count(published, "canceled") == 1);
  CHECK(std::ranges::count(published, "invoice_failed") == 4);
}

TEST_CASE("notifications repeated and in reverse order have the same events once") {
  shop_world w;
  w.subscribe("s1", "k1");
  const auto before = w.events("s1").size();
  w.move("s1", sandbox_move::cycle_failed, {3, true});
  CHECK(w.events("s1").size() == before + 2);  // the failed invoice, and the update to past_due
  CHECK(w.cycles().size() == 2);
  CHECK(w.payment_events(w.cycles()[1]) == texts{"payment.failed"});
}

TEST_CASE(
    "a cancel ends it at once, is repeated with the same answer, and the provider's notification makes the event") {
  shop_world w;
  w.subscribe("s1", "k1");
  CHECK(w.ask(w.cancel("s1", "c1", platform_id{"plat_other"})) == text_of(problem::subscription_not_found));
  CHECK(w.status("s1") == "active");
  CHECK(w.ask(w.cancel("s1", "c1")) == "cancel canceled");
  CHECK(w.ask(w.cancel("s1", "c1", platform_id{"plat_other"})) == text_of(problem::subscription_not_found));
  CHECK(w.ask(w.cancel("s1", "c1")) == "replay: cancel canceled");
  CHECK(w.ask(w.cancel("s1", "c2")) == "cancel canceled");
  CHECK(w.ask(w.cancel("nobody", "c3")) == text_of(problem::subscription_not_found));
  auto published = w.events("s1");
  CHECK(std::ranges::count(published, "canceled") == 1);
  w.move("s1", sandbox_move::cycle_paid);
  CHECK(w.cycles().size() == 1);
}

TEST_CASE("a cancel of a pending checkout closes it at the provider, without an event") {
  shop_world w;
  w.ask(w.open("s1", "k1"));
  CHECK(w.ask(w.cancel("s1", "c1")) == "cancel canceled");
  CHECK(w.events("s1").empty());
  CHECK(w.ask({w.enrollment("s1"), std::nullopt, enrollment_command{pay_enrollment{}}}) == "view");
  CHECK(w.status("s1") == "canceled");
  CHECK(w.cycles().empty());
}

TEST_CASE("an abandoned checkout expires after a day, without an event") {
  shop_world w;
  w.start_reconciler();
  w.ask(w.open("s1", "k1"));
  w.advance(25 * std::chrono::hours{1}, std::chrono::minutes{30});
  CHECK(w.status("s1") == "incomplete_expired");
  CHECK(w.provider_row("s1").what.status == subscription_status::incomplete_expired);
  CHECK(w.events("s1").empty());
}

TEST_CASE("an operator expires a checkout that waits") {
  shop_world w;
  w.ask(w.open("s1", "k1"));
  CHECK(w.ask({w.key_of("s1"), std::nullopt, subscription_command{expire_subscription_checkout{}}}) == "view");
  CHECK(w.status("s1") == "incomplete_expired");
}

TEST_CASE("a payment and a cancel at once never wait for each other") {
  shop_world w;
  w.ask(w.open("s1", "k1"));
  auto paid = w.send({w.enrollment("s1"), std::nullopt, enrollment_command{pay_enrollment{}}});
  auto canceled = w.send(w.cancel("s1", "c1"));
  w.settle();
  CHECK(paid.done());
  CHECK(canceled.answer() == "cancel canceled");
  CHECK(w.status("s1") == "canceled");
}

TEST_CASE("a step of the provider is answered when its subscription knows of it, even while an earlier one is sent") {
  for (int steps = 0; steps < 60; ++steps) {
    CAPTURE(steps);
    shop_world w;
    w.subscribe("s1", "k1");
    const auto start = [&](sandbox_move to) {
      return w.send({w.enrollment("s1"), std::nullopt, enrollment_command{move_enrollment{to, {}}}});
    };
    auto failed = start(sandbox_move::cycle_failed);
    for (int i = 0; i < steps && w.step(); ++i) continue;
    auto paid = start(sandbox_move::cycle_paid);
    while (!failed.done() && w.step()) continue;
    CHECK(w.events("s1").size() > 2);
    while (!paid.done() && w.step()) continue;
    CHECK(paid.answer() == "view");
    CHECK(w.status("s1") == "active");
    w.settle();
    CHECK(w.events("s1") == texts{"activated", "invoice_paid", "invoice_failed", "updated", "invoice_paid", "updated"});
    CHECK(w.provider_row("s1").undelivered.empty());
  }
}

TEST_CASE("whichever commit fails while the customer pays on the page, each cycle is charged once") {
  // The commits: the provider's row; the creation: counted and published; the cycle: published, charged, removed from
  // the outbox; and later ones.
  for (const auto trouble : {fault::before_commit, fault::after_commit, fault::held_up})
    for (std::size_t at = 0; at < 8; ++at) {
      CAPTURE(static_cast<int>(trouble), at);
      shop_world w;
      w.start_reconciler();
      w.ask(w.open("s1", "k1"));
      for (std::size_t i = 0; i < at; ++i) w.rows().faults.push_back(fault::none);
      w.rows().faults.push_back(trouble);
      CHECK(w.ask({w.enrollment("s1"), std::nullopt, enrollment_command{pay_enrollment{}}}) != "nothing");
      w.rows().land();
      w.ask({w.enrollment("s1"), std::nullopt, enrollment_command{pay_enrollment{}}});
      w.advance(5min, 1s);
      CHECK(w.status("s1") == "active");
      CHECK(w.events("s1") == texts{"activated", "invoice_paid"});
      REQUIRE(w.cycles().size() == 1);
      CHECK(w.cycles()[0].state == payment_state::captured);
      CHECK(w.payment_events(w.cycles()[0]) == texts{"payment.captured"});
      CHECK(w.stored("s1").owed.empty());
      CHECK(w.provider_row("s1").undelivered.empty());
    }
}

TEST_CASE("a gateway that crashes at any step between the page and the cycle's payment makes each cycle exactly once") {
  for (int steps = 1; steps < 60; steps += 2) {
    CAPTURE(steps);
    auto rows = std::make_shared<failing_store>();
    {
      shop_world w{rows};
      w.ask(w.open("s1", "k1"));
      w.send({w.enrollment("s1"), std::nullopt, enrollment_command{pay_enrollment{}}});
      for (int i = 0; i < steps && w.step(); ++i) continue;
    }
    shop_world w{rows, 1s};
    w.start_reconciler();
    w.ask({w.enrollment("s1"), std::nullopt, enrollment_command{pay_enrollment{}}});
    w.advance(2min, 1s);
    CHECK(w.events("s1") == texts{"activated", "invoice_paid"});
    REQUIRE(w.cycles().size() == 1);
    CHECK(w.payment_events(w.cycles()[0]) == texts{"payment.captured"});
    CHECK(w.stored("s1").owed.empty());
  }
}

TEST_CASE("a gateway that crashes at any step of a checkout or a cancel answers both in the end") {
  for (int steps = 1; steps < 40; steps += 2) {
    CAPTURE(steps);
    auto rows = std::make_shared<failing_store>();
    {
      shop_world w{rows};
      w.send(w.open("s1", "k1"));
      for (int i = 0; i < steps && w.step(); ++i) continue;
    }
    {
      shop_world w{rows};
      CHECK_THAT(w.ask(w.open("s1", "k1")), Catch::EndsWith("open_checkout pending"));
      CHECK(w.rows().enrollments.size() == 1);
      w.send(w.cancel("s1", "c1"));
      for (int i = 0; i < steps && w.step(); ++i) continue;
    }
    shop_world w{rows};
    CHECK_THAT(w.ask(w.cancel("s1", "c1")), Catch::EndsWith("cancel canceled"));
  }
}

TEST_CASE("a checkout whose key was revoked while it waited does not begin") {
  shop_world w;
  auto request = w.open("s1", "k1");
  request.by = asked_by{key_id{"mk_platform_gone"}, acme};
  CHECK(w.ask(std::move(request)) == text_of(problem::key_ended));
  CHECK(w.rows().subscriptions.empty());
}

TEST_CASE("a caller's payment with the id of a cycle's stays unchanged, and the subscription continues") {
  shop_world w;
  w.ask(w.open("s1", "k1"));
  const auto bare = w.enrollment("s1").id;
  auto both = shop_with_subscriptions();
  both.routes.push_back(demo_merchant().routes.front());
  w.publish(std::move(both));
  const auto taken = "pay_in_" + bare + "_1";
  w.ask(world::create(taken, "k2"));
  w.ask({w.enrollment("s1"), std::nullopt, enrollment_command{pay_enrollment{}}});
  CHECK(w.read(taken)->state == payment_state::authorized);
  CHECK(w.events("s1") == texts{"activated", "invoice_paid"});
  CHECK(w.stored("s1").owed.empty());
}

namespace {

/// A world with a subscription at an external provider, which the test scripts. It is due to be read.
struct read_world : shop_world {
  read_world() {
    published().publish(provider_kind::stripe, environment::test, std::make_shared<const provider_settings>());
    subscription s;
    s.key = key_of("s1");
    s.version = 3;
    s.platform = acme;
    s.provider = provider_kind::stripe;
    s.account = "acct_1";
    s.details.customer_ref = "ref-1";
    s.provider_subscription_id = "sub_9";
    s.state.status = subscription_status::active;
    s.state.provider_customer_id = "cus_1";
    s.state.amount = {1900, *currency::parse("EUR")};
    s.state.period_end = clock().now() + 30 * day;
    s.known = history_position{clock().now() - day, 0, notification_kind::created, "evt_1"};
    s.activated = true;
    s.due_at = clock().now();
    s.created_at = s.updated_at = clock().now() - day;
    rows().subscriptions[memory_store::id(s.key)] = s;
    calls().reads.answer.status = provider_status::approved;
    calls().reads.answer.seen = subscription_statement{"sub_9", s.state, {}};
  }
  void provider_has_paid(std::string invoice, std::int64_t amount = 1900) {
    calls().reads.paid.push_back({std::move(invoice), {amount, *currency::parse("EUR")}, {}, {}, 1, false, {}, {}});
  }
};

}  // namespace

TEST_CASE("a paid invoice whose payment was purged is not found again when the subscription is read") {
  read_world w;
  w.provider_has_paid("in_1");
  w.provider_has_paid("in_2", 950);
  w.rows().purged_payments.insert(memory_store::id(world::key_of("pay_in_1")));
  w.start_reconciler();
  w.advance(3s);
  CHECK(w.events("s1") == texts{"invoice_paid"});
  REQUIRE(w.cycles().size() == 1);
  CHECK(w.cycles()[0].captured == 950);
  CHECK(w.rows().ledger.size() == 1);
  // An attempt at that cycle which is delivered late makes no payment either, and is not repeated for ever.
  subscription_notification late;
  late.event_id = "evt_7";
  late.kind = notification_kind::invoice_paid;
  late.at = w.clock().now();
  late.provider_subscription_id = "sub_9";
  late.state = w.stored("s1").state;
  late.invoice = w.calls().reads.paid.front();
  CHECK(w.ask({w.key_of("s1"), std::nullopt, subscription_command{late}}) == "view");
  w.advance(10s);
  CHECK(w.stored("s1").owed.empty());
  CHECK(w.cycles().size() == 1);
  CHECK(w.rows().ledger.size() == 1);
}

TEST_CASE("a subscription at an external provider is read daily, and what no notification brought is found once") {
  read_world w;
  w.provider_has_paid("in_1");
  w.provider_has_paid("in_2", 950);
  w.provider_has_paid("in_3", 0);
  w.calls().reads.answer.seen->state.status = subscription_status::past_due;
  w.start_reconciler();
  w.advance(3s);
  CHECK(w.status("s1") == "past_due");
  CHECK(w.events("s1") == texts{"invoice_paid", "invoice_paid", "updated"});
  REQUIRE(w.cycles().size() == 2);
  CHECK(w.cycles()[0].captured + w.cycles()[1].captured == 1900 + 950);
  CHECK(w.stored("s1").owed.empty());
  REQUIRE(w.calls().readings.size() == 1);
  CHECK(w.calls().readings.front().subject.provider_subscription_id == "sub_9");

  // Their notifications arrive after all.
  subscription_notification late;
  late.event_id = "evt_7";
  late.kind = notification_kind::invoice_paid;
  late.at = w.clock().now();
  late.provider_subscription_id = "sub_9";
  late.state = w.stored("s1").state;
  late.invoice = w.calls().reads.paid.front();
  CHECK(w.ask({w.key_of("s1"), std::nullopt, subscription_command{late}}) == "view");
  CHECK(w.events("s1").size() == 3);
  for (const auto& each : w.cycles())
    CHECK(std::ranges::count(w.payment_events(each), std::string{"payment.captured"}) == 1);

  // A day later nothing is new.
  const auto due = w.stored("s1").due_at;
  REQUIRE(due);
  CHECK(*due > w.clock().now() + 23h);
  w.advance(day + 10s);
  CHECK(w.calls().readings.size() == 2);
  CHECK(w.events("s1").size() == 3);
  CHECK(w.stored("s1").due_at > w.clock().now());
}

TEST_CASE("a provider that does not say what a subscription is, is asked again, and nothing changes") {
  read_world w;
  w.calls().reads.answer.status = provider_status::unknown;
  w.start_reconciler();
  w.advance(3s);
  CHECK(w.calls().readings.size() == 1);
  CHECK(w.status("s1") == "active");
  CHECK(w.events("s1").empty());
  w.advance(std::chrono::hours{1} + 3s);
  CHECK(w.calls().readings.size() == 2);
}
