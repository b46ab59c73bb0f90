// Payments for a platform's customers, as scenarios under virtual time.
#include <catch2/catch.hpp>

#include "gateway/messages/customer_key.hpp"
#include "world.hpp"

using namespace gateway;
using namespace gateway::testing;

namespace {

const platform_id acme{"plat_acme"};

entity_key customer_of(std::string_view ref) {
  return customer_key(merchant_id{"merch_1"}, environment::test, acme, ref);
}

/// `method` empty: the method saved last, off session.
entity_request create_for(std::string_view ref, std::string_view id, std::string_view key,
                          std::string_view method = "pm_card_visa") {
  auto request = world::create(id, key, method);
  std::get<create_payment>(std::get<payment_command>(request.what)).customer =
      wanted_customer{acme, std::string{ref}, true, method.empty()};
  return request;
}

entity_request charge(std::string_view ref, std::string_view id, std::string_view key,
                      std::string_view method = "pm_card_visa", bool at_once = true) {
  charge_saved c;
  c.amount = {4200, *currency::parse("HKD")};
  c.customer = wanted_customer{acme, std::string{ref}, false, false};
  c.details.payment_method = method;
  c.details.captures_at_once = at_once;
  return {world::key_of(id), world::write(key, std::string{id} + "charge"), c};
}

std::optional<customer> stored(world& w, std::string_view ref) {
  const auto at = w.rows().customers.find(memory_store::id(customer_of(ref)));
  return at == w.rows().customers.end() ? std::nullopt : std::optional{at->second};
}

std::string methods(world& w, std::string_view ref) {
  const auto who = stored(w, ref);
  if (!who) return "nobody";
  std::string text;
  for (const auto& each : who->methods) text += (text.empty() ? "" : " ") + each;
  return text;
}

/// The number of different keys under which a customer was to be made at the provider.
std::size_t customer_keys(world& w) {
  std::set<std::string> keys;
  for (const auto& call : w.calls().calls)
    if (!call.customer_key.empty()) keys.insert(call.customer_key);
  return keys.size();
}

}  // namespace

TEST_CASE("the first payment makes the customer and saves the method, later ones use it") {
  world w;
  CHECK(w.ask(create_for("ref-1", "pay_1", "k1")) == "create authorized 0/0");
  const auto who = stored(w, "ref-1");
  REQUIRE(who);
  CHECK(who->provider_id.starts_with("cus_"));
  CHECK(methods(w, "ref-1") == "pm_card_visa");
  CHECK(w.read("pay_1")->customer->provider_id == who->provider_id);
  CHECK(w.ask(create_for("ref-1", "pay_2", "k2")) == "create authorized 0/0");
  CHECK(w.calls().calls.back().customer_key.empty());
  CHECK(w.calls().calls.back().subject.customer->provider_id == who->provider_id);
  CHECK(stored(w, "ref-1")->version == who->version);
}

TEST_CASE("the customer is durable before the payment's outcome, and that before the answer") {
  world w;
  auto p = w.send(create_for("ref-1", "pay_1", "k1"));
  while (!stored(w, "ref-1")) REQUIRE(w.step());
  CHECK(w.rows().payments.at(memory_store::id(w.key_of("pay_1"))).state == payment_state::created);
  CHECK_FALSE(p.done());
  w.settle();
  CHECK(p.answer() == "create authorized 0/0");
}

TEST_CASE("two payments of a new customer at once make it under one key") {
  world w;
  auto one = w.send(create_for("ref-1", "pay_1", "k1"));
  auto other = w.send(create_for("ref-1", "pay_2", "k2", "pm_card_captureDeclined"));
  w.settle();
  CHECK(one.answer() == "create authorized 0/0");
  CHECK(other.answer() == "create authorized 0/0");
  CHECK(customer_keys(w) == 1);
  CHECK(stored(w, "ref-1")->methods.size() == 2);
}

TEST_CASE("of two first payments at two providers each saves its method under its own provider's customer id") {
  world w;
  const auto hkd = *currency::parse("HKD"), usd = *currency::parse("USD");
  w.published().publish(provider_kind::stripe, environment::test, std::make_shared<const provider_settings>());
  auto shop = demo_merchant();
  shop.connections.push_back({environment::test, provider_kind::stripe, connection_status::connected, "acct_1"});
  shop.routes = {{environment::test, provider_kind::sandbox, 1, {hkd}, {payment_method_kind::card}},
                 {environment::test, provider_kind::stripe, 2, {usd}, {payment_method_kind::card}}};
  w.publish(std::move(shop));

  auto slow = w.send(create_for("ref-1", "pay_1", "k1", "pm_card_slow_3000"));
  w.settle();
  provider_result at_stripe{provider_status::approved, "pi_1", {}, {}};
  at_stripe.customer_id = "cus_stripe";
  at_stripe.saved_method = "pm_stripe";
  w.calls().says_once = at_stripe;
  auto in_dollars = create_for("ref-1", "pay_2", "k2", "pm_stripe");
  std::get<create_payment>(std::get<payment_command>(in_dollars.what)).amount = {4200, usd};
  CHECK(w.ask(std::move(in_dollars)) == "create authorized 0/0");
  w.advance(4s);
  CHECK(slow.answer() == "create authorized 0/0");
  CHECK(methods(w, "ref-1") == "pm_stripe pm_card_slow_3000");

  const auto called = [&](entity_request request) {
    w.calls().says_once = provider_result{provider_status::approved, "ch_1", {}, {}};
    w.ask(std::move(request));
    const auto& subject = w.calls().calls.back().subject;
    return std::pair{subject.provider, subject.customer->provider_id};
  };
  CHECK(called(charge("ref-1", "pay_3", "k3", "pm_card_slow_3000")) ==
        std::pair{provider_kind::sandbox, w.read("pay_1")->customer->provider_id});
  auto charge_dollars = charge("ref-1", "pay_4", "k4", "pm_stripe");
  std::get<charge_saved>(std::get<payment_command>(charge_dollars.what)).amount = {4200, usd};
  CHECK(called(std::move(charge_dollars)) == std::pair{provider_kind::stripe, std::string{"cus_stripe"}});
  // In a currency that only the other provider takes, the method is not charged at all.
  const auto calls = w.calls().calls.size();
  CHECK(w.ask(charge("ref-1", "pay_5", "k5", "pm_stripe")) == text_of(problem::no_eligible_provider));
  CHECK(w.calls().calls.size() == calls);
}

TEST_CASE("a merchant that has changed its account gets new customers there, and no earlier saved method is charged") {
  world w;
  w.ask(create_for("ref-1", "pay_1", "k1"));
  auto shop = demo_merchant();
  shop.connections.front().account = "acct_2";
  w.publish(std::move(shop));
  CHECK(w.ask(charge("ref-1", "pay_2", "k2")) == "charge failed 0/0");
  CHECK(w.read("pay_2")->error->code == "payment_method_not_found");
  w.ask(create_for("ref-1", "pay_3", "k3", "pm_card_captureDeclined"));
  CHECK_FALSE(w.calls().calls.back().customer_key.empty());
  CHECK(w.ask(charge("ref-1", "pay_4", "k4", "pm_card_captureDeclined", false)) == "charge authorized 0/0");
}

TEST_CASE("a declined payment saves nothing, and the customer stays") {
  world w;
  CHECK(w.ask(create_for("ref-1", "pay_1", "k1", "pm_card_chargeDeclined")) == "create failed 0/0");
  CHECK(methods(w, "ref-1").empty());
}

TEST_CASE("off session charges the method saved last, and is refused if none is saved") {
  world w;
  CHECK(w.ask(create_for("ref-1", "pay_1", "k1", "")) == text_of(problem::no_saved_method));
  CHECK(w.calls().calls.empty());
  CHECK(w.rows().commands.empty());
  w.ask(create_for("ref-1", "pay_2", "k2"));
  w.ask(create_for("ref-1", "pay_3", "k3", "pm_card_refundFail"));
  CHECK(w.ask(create_for("ref-1", "pay_1", "k1", "")) == "create authorized 0/0");
  CHECK(w.read("pay_1")->details.payment_method == "pm_card_refundFail");
  CHECK(w.ask(create_for("ref-1", "pay_1", "k1", "")) == "replay: create authorized 0/0");
}

TEST_CASE("a charge of a saved method is captured at once, or authorised and captured later") {
  world w;
  w.ask(create_for("ref-1", "pay_1", "k1"));
  CHECK(w.ask(charge("ref-1", "pay_2", "k2")) == "charge captured 0/0");
  CHECK(w.ask(charge("ref-1", "pay_2", "k2")) == "replay: charge captured 0/0");
  CHECK(w.ask(charge("ref-1", "pay_3", "k3", "pm_card_visa", false)) == "charge authorized 0/0");
  CHECK(w.ask(w.capture("pay_3", "k4")) == "capture captured 0/0");
  CHECK(w.ask(w.refund("pay_2", "k5", 200)) == "refund partially_refunded 200/200");
}

TEST_CASE("a charge of an unsaved method fails without a provider call, before and after a crash") {
  auto rows = std::make_shared<failing_store>();
  {
    world w{rows};
    CHECK(w.ask(charge("ref-1", "pay_1", "k1")) == "charge failed 0/0");
    CHECK(w.read("pay_1")->error->code == "payment_method_not_found");
    // The begin commits, and the gateway dies before the finish.
    rows->faults = {fault::none, fault::before_commit};
    CHECK(w.ask(charge("ref-1", "pay_2", "k2")) == text_of(problem::store_unavailable));
    CHECK(w.calls().calls.empty());
  }
  world again{rows};
  CHECK(again.ask(charge("ref-1", "pay_2", "k2")) == "replay: charge failed 0/0");
  CHECK(again.calls().calls.empty());
}

TEST_CASE("if a step of recording the customer fails, the repeated payment succeeds, and both are made once") {
  for (const auto trouble : {fault::before_commit, fault::after_commit, fault::queue_full}) {
    world w;
    w.rows().faults = {fault::none, trouble};  // the begin, then the customer
    const auto first = w.ask(create_for("ref-1", "pay_1", "k1"));
    CHECK(first == text_of(trouble == fault::queue_full ? problem::overloaded : problem::store_unavailable));
    CHECK(w.rows().payments.at(memory_store::id(w.key_of("pay_1"))).open);
    CHECK(w.ask(create_for("ref-1", "pay_1", "k1")) == "replay: create authorized 0/0");
    CHECK(methods(w, "ref-1") == "pm_card_visa");
    CHECK(w.calls().count(operation::create, "pay_1") == 2);
    CHECK(customer_keys(w) == 1);
    CHECK(w.calls().calls[0].provider_key == w.calls().calls[1].provider_key);
  }
}

TEST_CASE("a hosted page saves the customer's method when it is paid") {
  world w;
  auto request = create_for("ref-1", "pay_1", "k1");
  auto& wanted = std::get<create_payment>(std::get<payment_command>(request.what));
  wanted.how = flow::redirect;
  wanted.details.payment_method.clear();
  CHECK(w.ask(std::move(request)) == "create processing 0/0");
  CHECK(methods(w, "ref-1").empty());
  const auto ref = w.read("pay_1")->provider_ref;
  w.ask({w.key_of("pay_1"), std::nullopt, hosted_result{hosted_signal::paid, ref, "pm_fresh"}});
  CHECK(w.read("pay_1")->state == payment_state::captured);
  CHECK(w.read("pay_1")->customer->saved_method == "pm_fresh");
  CHECK(methods(w, "ref-1") == "pm_fresh");
}

TEST_CASE("an operation that waited behind another does not begin once its grant has ended") {
  world w;
  merchant_id shop{"merch_1"};
  const platform_and_merchant who{acme, shop};
  const key_id key{"mk_platform_00000001"};
  const auto scopes = *parse_scopes("payments:write");
  w.published().publish(std::make_shared<const platform_key>(platform_key{key, acme, scopes, "s"}));
  w.published().publish(grant_update{who, environment::test, {grant_state::active, scopes, 1}});
  const auto by_platform = [&](entity_request request) {
    request.by = asked_by{key, acme, scope::payments_write};
    return request;
  };
  auto slow = w.send(by_platform(w.create("pay_1", "k1", "pm_card_slow_5000")));
  w.settle();
  auto behind = w.send(by_platform(w.capture("pay_1", "k2")));
  w.settle();
  SECTION("the grant") {
    w.published().publish(grant_update{who, environment::test, {grant_state::revoked, scopes, 2}});
    w.advance(6s);
    CHECK(behind.answer() == text_of(problem::grant_ended));
  }
  SECTION("the key") {
    w.published().publish(std::make_shared<const platform_key>(platform_key{key, acme, scopes, "s", true}));
    w.advance(6s);
    CHECK(behind.answer() == text_of(problem::key_ended));
  }
  SECTION("the platform") {
    w.published().publish(std::make_shared<const platform_key>(platform_key{key, acme, scopes, "s", false, true}));
    w.advance(6s);
    CHECK(behind.answer() == text_of(problem::platform_suspended));
  }
  CHECK(slow.answer() == "create authorized 0/0");
  CHECK(w.calls().count(operation::capture, "pay_1") == 0);
  CHECK(w.ask(by_platform(w.create("pay_1", "k1", "pm_card_slow_5000"))) == "replay: create authorized 0/0");
}

TEST_CASE("a late customer record of a payment that another node has settled does not displace methods saved since") {
  auto rows = std::make_shared<failing_store>();
  membership first{"node-a", "process a"}, second{"node-b", "process b"};
  for (auto* each : {&first, &second}) each->serve_until(ticks_ms::max());
  // The second node considers the first gone.
  second.set_owners({{"node-b"}, {"process b"}, 1, true});
  world late{rows, unhurried(), 0ms, first}, other{rows, unhurried(), 0ms, second};
  auto waiting = late.send(create_for("ref-1", "pay_1", "k1", "pm_card_slow_3000"));
  late.settle();
  REQUIRE_FALSE(waiting.done());

  auto settled = other.send(create_for("ref-1", "pay_1", "k1", "pm_card_slow_3000"));
  other.advance(4s);
  CHECK(settled.answer() == "replay: create authorized 0/0");
  other.ask(create_for("ref-1", "pay_2", "k2"));
  REQUIRE(methods(other, "ref-1") == "pm_card_slow_3000 pm_card_visa");

  late.advance(4s);
  CHECK(waiting.answer() == "replay: create authorized 0/0");
  CHECK(methods(other, "ref-1") == "pm_card_slow_3000 pm_card_visa");
}
