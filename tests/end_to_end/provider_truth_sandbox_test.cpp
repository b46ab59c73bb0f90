// A payment follows its provider. The sandbox does by an operator's command what a real provider does by itself; each
// row of "What happens at the provider" in docs/served/payments.md is compared over the API, in the timeline and at a
// webhook destination. Disputes are in provider_truth_disputes_test.cpp.
#include <catch2/catch.hpp>

#include "followed_shop.hpp"

using namespace gateway::e2e;

namespace {

using words = std::vector<std::string>;

}  // namespace

TEST_CASE("an authorization that ends at the provider voids the payment, and the event says why") {
  followed_shop s{GENERATE(from_range(stores()))};
  const struct {
    const char *option, *status, *reason;
  } rows[] = {{"--expire", "expired", "authorization_expired"}, {"--cancel", "cancelled", "cancelled_at_provider"}};
  for (const auto& row : rows) {
    CAPTURE(row.option);
    const auto id = s.authorized();
    s.happens("authorization", id, {row.option});
    CHECK(s.merchant.state_of(id) == "voided");
    CHECK(s.last_entries(id, 2) ==
          words{"attempt void " + std::string{row.status} + " provider", "event payment.voided published provider"});
    const auto data = s.event("payment.voided", id);
    CHECK(data["state"] == "voided");
    CHECK(data["amount"] == 4200);
    CHECK(data["void_reason"] == row.reason);
    CHECK(summary_of(s.merchant.capture(id)) == "409 payment not authorized for capture");
    CHECK(summary_of(s.merchant.void_payment(id)) == "409 payment not voidable in current state");
    for (const auto* again : {"--expire", "--cancel"}) CHECK(s.is_refused("authorization", id, {again}));
    CHECK(s.is_refused("capture", id, {"--outside", "4200"}));
  }
  const auto requested = s.authorized();
  REQUIRE(summary_of(s.merchant.void_payment(requested)) == "200 voided");
  CHECK(s.event("payment.voided", requested)["void_reason"] == "requested");
  CHECK(s.last_entries(requested, 2) == words{"attempt void approved api", "event payment.voided published api"});
}

TEST_CASE("a capture at the provider, of all or of a part, is a capture with its event") {
  followed_shop s{GENERATE(from_range(stores()))};
  for (const std::int64_t amount : {4200, 4199, 1}) {
    CAPTURE(amount);
    const auto id = s.authorized();
    CHECK(s.is_refused("capture", id, {"--outside", "4201"}));
    s.happens("capture", id, {"--outside", std::to_string(amount)});
    const auto shown = s.merchant.payment(id);
    CHECK(shown["state"] == "captured");
    CHECK(shown["amount"] == 4200);
    CHECK(shown["captured_amount"] == amount);
    CHECK(shown["remaining_amount"] == amount);
    CHECK(s.last_entries(id, 2) ==
          words{"attempt capture approved provider", "event payment.captured published provider"});
    const auto data = s.event("payment.captured", id);
    CHECK(data["captured_amount"] == amount);
    CHECK_FALSE(data["late"].present());
    // A capture of a captured payment is answered with 200 and changes nothing.
    CHECK(summary_of(s.merchant.capture(id)) == "200 captured");
    CHECK(summary_of(s.merchant.refund(id, amount + 1)) == "422 refund amount exceeds captured amount");
    const auto refund = json::parse(s.merchant.refund(id).body);
    CHECK(refund["state"] == "refunded");
    CHECK(refund["refunded_amount"] == amount);
    CHECK(s.events("payment.captured", id) == 1);
  }
}

TEST_CASE("a refund at the provider counts once, and what remains can be refunded here") {
  followed_shop s{GENERATE(from_range(stores()))};
  const auto id = s.captured();
  s.happens("refund", id, {"--outside", "1200"});
  auto shown = s.merchant.payment(id);
  CHECK(shown["state"] == "partially_refunded");
  CHECK(shown["refunded_total"] == 1200);
  CHECK(shown["remaining_amount"] == 3000);
  REQUIRE(shown["refunds"].size() == 1);
  CHECK(shown["refunds"].at(0)["amount"] == 1200);
  CHECK(shown["refunds"].at(0)["currency"] == "HKD");
  CHECK(shown["refunds"].at(0)["status"] == "succeeded");
  CHECK(shown["refunds"].at(0)["origin"] == "provider");
  CHECK(is_timestamp_in_seconds(shown["refunds"].at(0)["created_at"].text()));
  CHECK(s.event("payment.partially_refunded", id)["refunded_amount"] == 1200);
  CHECK(s.last_entries(id, 2) ==
        words{"attempt refund approved provider", "event payment.partially_refunded published provider"});

  const auto rest = json::parse(s.merchant.refund(id).body);
  CHECK(rest["state"] == "refunded");
  CHECK(rest["refunded_amount"] == 3000);
  CHECK(rest["refunded_total"] == 4200);
  CHECK(rest["remaining_amount"] == 0);
  CHECK(s.is_refused("refund", id, {"--outside", "1"}));

  const auto answer = s.merchant.get(api::path(id, "/refunds"));
  CHECK(answer.status == 200);
  const auto listed = json::parse(answer.body);
  CHECK(listed.names() == words{"payment_id", "refunds"});
  CHECK(listed["payment_id"] == id);
  REQUIRE(listed["refunds"].size() == 2);
  CHECK(listed["refunds"].at(0)["origin"] == "provider");
  CHECK(listed["refunds"].at(1)["origin"] == "api");
  CHECK(listed["refunds"].at(1)["refund_id"] == rest["refund_id"].text());
  CHECK(s.merchant.payment(id)["refunds"].dump() == listed["refunds"].dump());
  CHECK(summary_of(s.merchant.get(api::path("pay_unknown", "/refunds"))) == "404 payment_not_found");

  // Two refunds of one amount are two.
  const auto twice = s.captured();
  for (int i = 0; i < 2; ++i) s.happens("refund", twice, {"--outside", "500"});
  shown = s.merchant.payment(twice);
  CHECK(shown["refunded_total"] == 1000);
  REQUIRE(shown["refunds"].size() == 2);
  CHECK(shown["refunds"].at(0)["refund_id"].text() != shown["refunds"].at(1)["refund_id"].text());
}

TEST_CASE("a refund that stays pending counts as refunded, and settles without another event") {
  followed_shop s{GENERATE(from_range(stores()))};
  const auto id = s.captured("pm_card_refundPending");
  const call same;
  const auto answer = s.merchant.refund(id, R"({"amount":1000,"reason":"torn"})", same);
  CHECK(summary_of(answer) == "200 partially_refunded");
  const auto body = json::parse(answer.body);
  CHECK(body["provider.status"] == "pending");
  CHECK(body["refunded_amount"] == 1000);
  CHECK(body["refunded_total"] == 1000);
  CHECK(body["remaining_amount"] == 3200);
  const auto refund = body["refund_id"].text();
  const auto seen = [&] { return s.merchant.payment(id)["refunds"].at(0); };
  CHECK(seen()["refund_id"] == refund);
  CHECK(seen()["status"] == "pending");
  CHECK(seen()["reason"] == "torn");
  CHECK(seen()["origin"] == "api");
  CHECK_FALSE(seen()["failure_code"].present());
  CHECK(s.event("payment.partially_refunded", id)["refunded_amount"] == 1000);

  CHECK(s.is_refused("refund", id, {"--settle", "re_unknown"}));
  s.happens("refund", id, {"--settle", refund});
  CHECK(seen()["status"] == "succeeded");
  CHECK(s.merchant.payment(id)["refunded_total"] == 1000);
  CHECK(s.is_refused("refund", id, {"--settle", refund}));
  // The stored answer is what it was.
  const auto replay = s.merchant.refund(id, R"({"amount":1000,"reason":"torn"})", same);
  CHECK(replay.replayed());
  CHECK(replay.body == answer.body);
  CHECK(summary_of(s.merchant.refund(id)) == "200 refunded");
  s.event("payment.refunded", id);
  CHECK(s.events("payment.partially_refunded", id) == 1);
}

TEST_CASE("a refund that fails after it was accepted gives its amount back to be refunded again") {
  followed_shop s{GENERATE(from_range(stores()))};
  const struct {
    const char* method;
    std::int64_t first, failing;
    const char* state;
  } rows[] = {{"pm_card_refundPending", 1000, 3200, "partially_refunded"},
              {"pm_card_refundPending", 0, 4200, "captured"},
              {"pm_card_visa", 1000, 200, "partially_refunded"},
              {"pm_card_visa", 0, 4200, "captured"}};
  for (const auto& row : rows) {
    CAPTURE(row.method, row.first, row.failing);
    const auto id = s.captured(row.method);
    if (row.first > 0) s.refunded(id, row.first);
    const auto refund = s.refunded(id, row.failing);
    s.happens("refund", id, {"--fail", refund});
    const auto shown = s.merchant.payment(id);
    CHECK(shown["state"] == row.state);
    CHECK(shown["refunded_total"] == row.first);
    CHECK(shown["remaining_amount"] == 4200 - row.first);
    const auto failed = shown["refunds"].items().back();
    CHECK(failed["refund_id"] == refund);
    CHECK(failed["status"] == "failed");
    CHECK_FALSE(failed["failure_code"].text().empty());
    CHECK(failed["origin"] == "api");
    CHECK(s.last_entries(id, 1) == words{"event payment.refund_failed published provider"});
    const auto data = s.event("payment.refund_failed", id);
    CHECK(data["state"] == row.state);
    CHECK(data["refund_id"] == refund);
    CHECK(data["amount"] == row.failing);
    CHECK(data["refunded_amount"] == row.first);
    CHECK(data["failure_code"] == failed["failure_code"].text());
    CHECK(s.is_refused("refund", id, {"--fail", refund}));
    CHECK(s.is_refused("refund", id, {"--settle", refund}));
    const auto again = json::parse(s.merchant.refund(id).body);
    CHECK(again["state"] == "refunded");
    CHECK(again["refunded_amount"] == 4200 - row.first);
    CHECK(again["refund_id"].text() != refund);
  }
}

TEST_CASE("a payment that is paid after it had failed is captured late") {
  followed_shop s{GENERATE(from_range(stores()))};
  const auto declined = new_payment_id(), given_up = new_payment_id();
  REQUIRE(summary_of(s.merchant.create(server_payment(declined, "pm_card_chargeDeclined"))) == "200 failed");
  REQUIRE(summary_of(s.merchant.create(redirect_payment(given_up))) == "200 processing");
  REQUIRE(summary_of(s.merchant.cancel(given_up)) == "200 failed");
  for (const auto& id : {declined, given_up}) {
    CAPTURE(id);
    s.event("payment.failed", id);
    s.happens("capture", id, {"--outside", "4200"});
    const auto shown = s.merchant.payment(id);
    CHECK(shown["state"] == "captured");
    CHECK(shown["captured_amount"] == 4200);
    CHECK_FALSE(shown["provider.error"].present());
    const auto data = s.event("payment.captured", id);
    CHECK(data["late"] == true);
    CHECK(data["captured_amount"] == 4200);
    CHECK(s.last_entries(id, 2) ==
          words{"attempt charge approved provider", "event payment.captured published provider"});
    CHECK(s.is_refused("capture", id, {"--outside", "4200"}));
    CHECK(summary_of(s.merchant.refund(id)) == "200 refunded");
  }
}

TEST_CASE("only destinations that list them get the new events, and a repeated look finds nothing new") {
  followed_shop s{GENERATE(from_range(stores()))};
  const auto id = s.captured(), voided = s.authorized();
  s.happens("refund", id, {"--fail", s.refunded(id, 1000)});
  s.happens("dispute", id, {"--open"});
  s.happens("dispute", id, {"--win"});
  s.happens("authorization", voided, {"--expire"});
  for (const auto* type : {"payment.captured", "payment.refund_failed", "dispute.opened", "dispute.closed"})
    s.event(type, id);
  s.event("payment.voided", voided);
  // A delivery's row is committed with its event.
  for (const auto* type : {"payment.captured", "payment.partially_refunded"})
    s.receiver.wait_for(type, id, "/ordinary");
  CHECK(deliveries_to(s.gateway, s.ordinary.id).size() == 2);

  const auto timeline = s.merchant.timeline(id).body, shown = s.merchant.view(id).body;
  for (int i = 0; i < 3; ++i) s.gateway.ctl({"payment", "refresh", id, "--merchant", s.account.id, "--mode", "test"});
  CHECK(s.merchant.timeline(id).body == timeline);
  CHECK(s.merchant.view(id).body == shown);
}

TEST_CASE("what a provider could not do is refused, and leaves the payment as it is") {
  followed_shop s{GENERATE(from_range(stores()))};
  const auto authorized = s.authorized(), captured = s.captured(), refunded = s.captured(), waiting = new_payment_id();
  s.refunded(refunded, 4200);
  REQUIRE(summary_of(s.merchant.create(redirect_payment(waiting))) == "200 processing");
  const struct {
    std::string payment, subject;
    words options;
  } rows[] = {
      {authorized, "dispute", {"--open"}},
      {authorized, "refund", {"--outside", "1"}},
      {captured, "authorization", {"--expire"}},
      {captured, "authorization", {"--cancel"}},
      {captured, "capture", {"--outside", "4200"}},
      {captured, "refund", {"--outside", "4201"}},
      {captured, "refund", {"--outside", "0"}},
      {captured, "dispute", {"--open", "--amount", "4201"}},
      {captured, "dispute", {"--update"}},
      {captured, "dispute", {"--win"}},
      {captured, "dispute", {"--lose"}},
      {captured, "refund", {"--settle", "re_unknown"}},
      {refunded, "refund", {"--outside", "1"}},
      {waiting, "dispute", {"--open"}},
      {waiting, "authorization", {"--expire"}},
      {"pay_unknown", "dispute", {"--open"}},
  };
  for (const auto& row : rows) {
    CAPTURE(row.payment, row.subject, row.options);
    const auto before = s.merchant.view(row.payment).body;
    CHECK(s.gateway.run_ctl(s.lever(row.subject, row.payment, row.options)).code > 0);
    CHECK(s.merchant.view(row.payment).body == before);
  }
  CHECK(s.merchant.payment(captured)["remaining_amount"] == 4200);
}
