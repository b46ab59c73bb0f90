// Payments through Stripe by the server flow, from their creation to their end: the answers to callers, and the
// stand-in's effects.
#include <catch2/catch.hpp>

#include "stripe_fixture.hpp"

using namespace gateway::e2e;

TEST_CASE("stripe: a payment is authorized, captured, refunded in part and in whole, and the ledger agrees") {
  stripe_shop s{shared_stripe(GENERATE(from_range(stores())))};
  const auto id = new_payment_id();
  const auto created = json::parse(s.merchant.create(stripe_payment(id)).body);
  CHECK(created["state"] == "authorized");
  CHECK(created["provider.provider"] == "stripe");
  CHECK(created["provider.status"] == "approved");
  CHECK(created["provider.provider_ref"].text().starts_with("pi_"));
  CHECK(s.moves() == lines{"authorize 4200 usd"});

  CHECK(summary_of(s.merchant.capture(id)) == "200 captured");
  CHECK(summary_of(s.merchant.refund(id, 1000)) == "200 partially_refunded");
  CHECK(summary_of(s.merchant.refund(id, R"({"amount":200,"reason":"one page missing"})")) == "200 partially_refunded");
  CHECK(s.merchant.refund(id, 3001).body == R"({"error":"refund amount exceeds captured amount"})");
  CHECK(summary_of(s.merchant.refund(id)) == "200 refunded");
  CHECK(s.moves() ==
        lines{"authorize 4200 usd", "capture 4200 usd", "refund 1000 usd", "refund 200 usd", "refund 3000 usd"});
  for (const auto& each : s.on.stripe.effects(s.connected)) CHECK_FALSE(each.idempotency_key.empty());

  const auto view = s.merchant.payment(id);
  CHECK(view["refunded_total"] == 4200);
  CHECK(view["provider.provider_ref"] == created["provider.provider_ref"].text());
  CHECK(history(s.merchant.timeline(id)) ==
        lines{"attempt authorize approved", "attempt capture approved", "event payment.captured published",
              "attempt refund approved", "event payment.partially_refunded published", "attempt refund approved",
              "event payment.partially_refunded published", "attempt refund approved",
              "event payment.refunded published"});
}

TEST_CASE("stripe: a void releases the authorization, and nothing can be captured after it") {
  stripe_shop s{shared_stripe(GENERATE(from_range(stores())))};
  const auto id = s.paid();
  CHECK(summary_of(s.merchant.void_payment(id, R"({"reason":"ordered twice"})")) == "200 voided");
  CHECK(summary_of(s.merchant.capture(id)) == "409 payment not authorized for capture");
  CHECK(s.moves() == lines{"authorize 4200 usd", "cancel 4200 usd"});
}

TEST_CASE("stripe: the same request again gets the same answer, for the same payment") {
  stripe_shop s{shared_stripe(GENERATE(from_range(stores())))};
  const auto id = new_payment_id();
  const call same{new_uuid(), {}};
  const auto first = s.merchant.create(stripe_payment(id), same);
  const auto again = s.merchant.create(stripe_payment(id), same);
  CHECK(again.replayed());
  CHECK(again.body == first.body);
  CHECK(s.moves() == lines{"authorize 4200 usd"});
}

TEST_CASE("stripe: each decline has its code, and none moves money") {
  stripe_shop s{shared_stripe(GENERATE(from_range(stores())))};
  struct row {
    const char* card;
    const char* code;  ///< empty: any
    const char* category;
  };
  const std::vector<row> rows{
      {"pm_card_chargeDeclined", "card_declined", "provider"},
      {"pm_card_chargeDeclinedInsufficientFunds", "insufficient_funds", "provider"},
      {"pm_card_chargeDeclinedExpiredCard", "expired_card", "provider"},
      {"pm_card_chargeDeclinedIncorrectCvc", "incorrect_cvc", "provider"},
      {"pm_card_chargeDeclinedProcessingError", "processing_error", "provider"},
      {"pm_card_chargeDeclinedLostCard", "", "provider"},
      {"pm_card_riskLevelHighest", "", "risk"},
      {"pm_card_of_nobody", "payment_method_not_found", "validation"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.card);
    const auto id = new_payment_id();
    const auto answer = s.merchant.create(stripe_payment(id, row.card));
    CHECK(summary_of(answer) == "200 failed");
    const auto error = json::parse(answer.body)["provider.error"];
    if (*row.code) CHECK(error["code"] == row.code);
    CHECK_FALSE(error["code"].text().empty());
    CHECK(error["category"] == row.category);
    CHECK_FALSE(error["message"].text().empty());
    CHECK_FALSE(error["outcome"].present());
    CHECK(s.merchant.state_of(id) == "failed");
  }
  CHECK(s.moves().empty());
}

TEST_CASE("stripe: a refund that the bank refuses is 502, and returns nothing") {
  stripe_shop s{shared_stripe(GENERATE(from_range(stores())))};
  const auto id = s.paid("captured", "pm_card_refundFail");
  CHECK(summary_of(s.merchant.refund(id, 1000)) == "502 refund rejected by provider");
  CHECK(s.merchant.payment(id)["refunded_total"] == 0);
  CHECK(s.moves() == lines{"authorize 4200 usd", "capture 4200 usd"});
}

TEST_CASE("stripe: amounts are sent in Stripe's own unit, and one that Stripe cannot take is never rounded") {
  stripe_shop s{shared_stripe(store_kind::sqlite)};
  struct row {
    const char* currency;
    std::int64_t amount;
    const char* move;  ///< empty: none, because the payment fails
  };
  // https://docs.stripe.com/currencies
  const std::vector<row> rows{
      {"USD", 4200, "authorize 4200 usd"},
      {"JPY", 4200, "authorize 4200 jpy"},
      {"KWD", 4200, "authorize 4200 kwd"},
      {"KWD", 4201, ""},
      {"UGX", 4200, ""},
      {"USD", 100'000'000, ""},
  };
  for (const auto& row : rows) {
    CAPTURE(row.currency, row.amount);
    const auto before = s.moves().size();
    const auto id = new_payment_id();
    const auto answer = s.merchant.create(stripe_payment(id).set("currency", row.currency).set("amount", row.amount));
    const auto after = s.moves();
    if (*row.move) {
      CHECK(summary_of(answer) == "200 authorized");
      REQUIRE(after.size() == before + 1);
      CHECK(after.back() == row.move);
      CHECK(summary_of(s.merchant.capture(id)) == "200 captured");
      CHECK(summary_of(s.merchant.refund(id)) == "200 refunded");
    } else {
      CHECK(summary_of(answer) == "200 failed");
      CHECK(after.size() == before);
    }
  }
}

TEST_CASE("stripe: a challenge is passed on the bank's page, and the payment continues by the notification") {
  stripe_shop s{shared_stripe(GENERATE(from_range(stores())))};
  const bool passes = GENERATE(true, false);
  const auto id = new_payment_id();
  const auto answer = s.merchant.create(stripe_payment(id, "pm_card_authenticationRequired"));
  REQUIRE(summary_of(answer) == "200 processing");
  const auto page = json::parse(answer.body)["provider.hosted_url"].text();
  REQUIRE(page.starts_with(s.on.stripe.url()));
  CHECK(s.on.stripe.open(page).status == 200);
  CHECK(s.on.stripe.click(page, passes ? "approve" : "fail").status == 303);
  CHECK(s.comes_to(id, passes ? "authorized" : "failed"));
  CHECK(s.moves() == (passes ? lines{"authorize 4200 usd"} : lines{}));
  if (passes) CHECK(summary_of(s.merchant.capture(id)) == "200 captured");
}

TEST_CASE("stripe: an account that has disconnected is account_invalid, and works again when it is back") {
  stripe_shop s{shared_stripe(GENERATE(from_range(stores())))};
  const auto held = s.paid();
  s.on.stripe.set_account(s.connected, "gone");
  const auto answer = s.merchant.create(stripe_payment(new_payment_id()));
  CHECK(summary_of(answer) == "200 failed");
  CHECK(json::parse(answer.body)["provider.error.code"] == "account_invalid");
  CHECK(json::parse(answer.body)["provider.error.category"] == "auth");
  s.on.stripe.set_account(s.connected, "active");
  CHECK(summary_of(s.merchant.capture(held)) == "200 captured");
}

TEST_CASE("stripe: its keys and secrets are in no log and no list") {
  auto& on = shared_stripe(store_kind::sqlite);
  stripe_shop s{on};
  s.paid("captured");
  const auto listed = on.gateway.run_ctl({"provider", "list"}).out;
  CHECK(listed.find("stripe") != std::string::npos);
  const auto log = on.gateway.log();
  for (const std::string secret : {"sk_test_0123456789", "sk_live_0123456789", "whsec_0123456789"}) {
    CHECK(listed.find(secret) == std::string::npos);
    CHECK(log.find(secret) == std::string::npos);
  }
}

// ---- platforms, in live ---------------------------------------------------------------------------

namespace {

object for_customer(object payment, const std::string& ref) {
  return payment.set("customer_ref", ref).set("setup_future_usage", "off_session");
}

object charge_of(const std::string& ref, const std::string& method) {
  return object{}
      .set("payment_id", new_payment_id())
      .set("amount", 4200)
      .set("currency", "USD")
      .set("customer_ref", ref)
      .set("payment_method_id", method);
}

}  // namespace

TEST_CASE("stripe: a create makes one customer, saves the method, and the method is charged again") {
  stripe_platform p{shared_stripe(GENERATE(from_range(stores())))};
  const auto ref = "ref-" + new_uuid();
  REQUIRE(summary_of(p.create(for_customer(stripe_payment(new_payment_id()), ref))) == "200 authorized");
  REQUIRE(p.methods(ref).size() == 1);
  const auto method = p.methods(ref).front();
  CHECK(method.starts_with("pm_"));
  const auto found = json::parse(p.platform.get("/v1/customers/by_ref?ref=" + percent_encode(ref), p.as()).body);
  CHECK(found["provider_customer_id"].text().starts_with("cus_"));

  const auto charged = json::parse(p.charge(charge_of(ref, method)).body);
  CHECK(charged["status"] == "succeeded");
  CHECK(charged["state"] == "captured");
  CHECK(charged["provider"] == "stripe");
  // Off session, without a method, the most recently saved one is charged.
  CHECK(summary_of(p.create(for_customer(stripe_payment(new_payment_id()).without("payment_method"), ref))) ==
        "200 authorized");
  CHECK(p.on.stripe.moves(p.connected) == lines{"authorize 4200 usd", "capture 4200 usd", "authorize 4200 usd"});
  std::size_t customers = 0;
  for (const auto& each : p.on.stripe.effects(p.connected)) customers += each.kind == "customer";
  CHECK(customers == 1);
}

TEST_CASE("stripe: a method that is detached there is no longer charged, and a deleted customer is created again") {
  stripe_platform p{shared_stripe(GENERATE(from_range(stores())))};
  const auto ref = "ref-" + new_uuid();
  REQUIRE(summary_of(p.create(for_customer(stripe_payment(new_payment_id()), ref))) == "200 authorized");
  REQUIRE(summary_of(p.create(for_customer(stripe_payment(new_payment_id()), ref))) == "200 authorized");
  const auto saved = p.methods(ref);
  REQUIRE(saved.size() == 2);
  const auto customer = [&] {
    const auto answer = p.platform.get("/v1/customers/by_ref?ref=" + percent_encode(ref), p.as());
    return answer.status == 200 ? json::parse(answer.body)["provider_customer_id"].text() : summary_of(answer);
  };
  p.on.stripe.act(object{}.set("payment_method", saved.back()).set("act", "detach"));
  CHECK(eventually([&] { return p.methods(ref) == std::vector<std::string>{saved.front()}; }));
  CHECK(json::parse(p.charge(charge_of(ref, saved.back())).body)["error.code"] == "payment_method_not_found");
  CHECK(json::parse(p.charge(charge_of(ref, saved.front())).body)["status"] == "succeeded");

  const auto first = customer();
  p.on.stripe.act(object{}.set("customer", first).set("act", "delete"));
  CHECK(eventually([&] { return customer() == "404 customer_not_found"; }));
  CHECK(json::parse(p.charge(charge_of(ref, saved.front())).body)["error.code"] == "payment_method_not_found");
  CHECK(summary_of(p.create(for_customer(stripe_payment(new_payment_id()), ref))) == "200 authorized");
  CHECK(customer().starts_with("cus_"));
  CHECK(customer() != first);
  CHECK(p.methods(ref).size() == 1);
}

TEST_CASE("stripe: a customer who was made behind a stored 500 is found, and made once") {
  stripe_platform p{shared_stripe(GENERATE(from_range(stores())))};
  const auto ref = "ref-" + new_uuid();
  p.on.stripe.breaks("error_500_after", "POST", "/v1/customers");
  const auto unknown = p.create(for_customer(stripe_payment(new_payment_id()), ref));
  p.on.stripe.mends();
  CHECK(summary_of(unknown) == "502 provider outcome unknown");
  CHECK(eventually([&] { return p.on.stripe.moves(p.connected) == lines{"authorize 4200 usd"}; }));
  CHECK(eventually([&] { return p.methods(ref).size() == 1; }));
  CHECK(summary_of(p.create(for_customer(stripe_payment(new_payment_id()), ref))) == "200 authorized");
  std::size_t customers = 0;
  for (const auto& each : p.on.stripe.effects(p.connected)) customers += each.kind == "customer";
  CHECK(customers == 1);
}

TEST_CASE(
    "stripe: a saved charge that needs the customer's action returns the SDK's secret, and continues when they have "
    "acted") {
  stripe_platform p{shared_stripe(GENERATE(from_range(stores())))};
  const bool passes = GENERATE(true, false);
  const auto ref = "ref-" + new_uuid();
  const auto first = p.create(for_customer(stripe_payment(new_payment_id(), "pm_card_authenticationRequired"), ref));
  REQUIRE(summary_of(first) == "200 processing");
  p.on.stripe.click(json::parse(first.body)["provider.hosted_url"].text(), "approve");
  REQUIRE(eventually([&] { return p.methods(ref).size() == 1; }));

  const auto answer = json::parse(p.charge(charge_of(ref, p.methods(ref).front())).body);
  REQUIRE(answer["status"] == "requires_action");
  CHECK(answer["state"] == "processing");
  const auto action = answer["next_action"];
  CHECK(action["type"] == "use_provider_sdk");
  CHECK(action["publishable_key"].text().starts_with("pk_live_"));
  CHECK(action["connected_account_id"] == p.connected);
  CHECK(p.on.stripe.confirm(action["client_secret"].text(), passes ? "approve" : "fail").status == 200);
  const auto id = answer["payment_id"].text();
  CHECK(eventually([&] { return p.payment(id)["state"] == (passes ? "captured" : "failed"); }));
  CHECK(p.on.stripe.moves(p.connected) ==
        (passes ? lines{"authorize 4200 usd", "capture 4200 usd"} : lines{"authorize 4200 usd"}));
}
