// A change at Stripe without a request of the gateway becomes part of the payment, whether a notification reports it or
// an operator refreshes the payment.
#include <catch2/catch.hpp>

#include "outside_shop.hpp"

using namespace gateway::e2e;

// ---- the charge -----------------------------------------------------------------------------------

TEST_CASE("stripe: an authorization that expires or is cancelled there is voided here, with the reason") {
  outside_shop s{GENERATE(true, false), GENERATE(from_range(stores()))};
  struct row {
    const char* act;
    const char* status;
    const char* reason;
  };
  for (const auto& row :
       {row{"expire", "expired", "authorization_expired"}, row{"cancel", "cancelled", "cancelled_at_provider"}}) {
    CAPTURE(row.act);
    const auto id = s.paid();
    s.at_stripe(id, acts(row.act));
    CHECK(s.learns_state(id, "voided"));
    CHECK(s.story(id) == lines{std::string{"void "} + row.status + " provider", "payment.voided published provider"});
    CHECK(s.told("payment.voided", id)["void_reason"] == row.reason);
    CHECK(s.ledger(id).empty());
    CHECK(summary_of(s.merchant.capture(id)) == "409 payment not authorized for capture");
    CHECK(summary_of(s.merchant.void_payment(id)) == "409 payment not voidable in current state");
  }
  const auto own = s.paid();
  REQUIRE(summary_of(s.merchant.void_payment(own)) == "200 voided");
  CHECK(s.told("payment.voided", own)["void_reason"] == "requested");
}

TEST_CASE("stripe: a capture there is a capture here, in full or in part, and what was not captured is no refund") {
  outside_shop s{GENERATE(true, false), GENERATE(from_range(stores()))};
  const std::int64_t amount = GENERATE(4200, 1500);
  const auto id = s.paid();
  s.at_stripe(id, acts("capture").set("amount", amount));
  CHECK(s.learns_state(id, "captured"));
  const auto view = s.merchant.payment(id);
  CHECK(view["captured_amount"] == amount);
  CHECK(view["remaining_amount"] == amount);
  CHECK(view["refunded_total"] == 0);
  CHECK(view["refunds"].size() == 0);
  CHECK(s.story(id) == lines{"capture approved provider", "payment.captured published provider"});
  const auto told = s.told("payment.captured", id);
  CHECK(told["captured_amount"] == amount);
  CHECK_FALSE(told["late"].present());
  const auto captured = std::to_string(amount);
  CHECK(s.ledger(id) == lines{"captured " + captured});
  // A capture of a captured payment is answered with 200 and changes nothing.
  CHECK(summary_of(s.merchant.capture(id)) == "200 captured");
  CHECK(s.moves() == lines{"authorize 4200 usd", "capture " + captured + " usd"});

  CHECK(s.merchant.refund(id, amount + 1).body == R"({"error":"refund amount exceeds captured amount"})");
  const auto refunded = s.merchant.refund(id);
  CHECK(summary_of(refunded) == "200 refunded");
  CHECK(json::parse(refunded.body)["refunded_amount"] == amount);
  s.refresh(id);
  CHECK(s.merchant.payment(id)["refunds"].size() == 1);
  CHECK(s.ledger(id) == lines{"captured " + captured, "refunded " + captured});
}

TEST_CASE("stripe: a capture of what was captured in part there succeeds, and does not lock the payment") {
  outside_shop s{GENERATE(true, false), GENERATE(from_range(stores()))};
  const auto id = s.paid();
  s.at_stripe(id, acts("capture").set("amount", 4199));
  const auto answer = s.merchant.capture(id);
  CHECK(summary_of(answer) == "200 captured");
  CHECK(json::parse(answer.body)["captured_amount"] == 4199);
  CHECK(s.merchant.payment(id)["captured_amount"] == 4199);
  CHECK(s.ledger(id) == lines{"captured 4199"});
  CHECK(summary_of(s.merchant.refund(id, 4200)) == "422 refund amount exceeds captured amount");
  CHECK(summary_of(s.merchant.refund(id)) == "200 refunded");
  CHECK(s.moves() == lines{"authorize 4200 usd", "capture 4199 usd", "refund 4199 usd"});
}

TEST_CASE(
    "stripe: a payment that is paid there after it had failed becomes captured, late, and the operator is warned") {
  outside_shop s{GENERATE(true, false), GENERATE(from_range(stores()))};
  const auto id = new_payment_id();
  REQUIRE(summary_of(s.merchant.create(stripe_payment(id, "pm_card_chargeDeclined"))) == "200 failed");
  // The customer tries again at Stripe.
  s.at_stripe(id, acts("pay").set("capture", true));
  CHECK(s.learns_state(id, "captured"));
  CHECK(s.merchant.payment(id)["captured_amount"] == 4200);
  CHECK(s.story(id) == lines{"charge approved provider", "payment.captured published provider"});
  CHECK(s.told("payment.captured", id)["late"] == true);
  CHECK(s.ledger(id) == lines{"failed 4200", "captured 4200"});
  CHECK(s.on.gateway.log().find("\"payment_differs_at_provider\"") != std::string::npos);
  CHECK(summary_of(s.merchant.refund(id)) == "200 refunded");
}

// ---- refunds --------------------------------------------------------------------------------------

TEST_CASE("stripe: a refund in the dashboard counts once: in the state, the totals, the list and the ledger") {
  outside_shop s{GENERATE(true, false), GENERATE(from_range(stores()))};
  const auto id = s.paid("captured");
  s.at_stripe(id, acts("refund").set("amount", 1200));
  CHECK(s.learns_state(id, "partially_refunded"));
  for (int again = 0; again < 2; ++again) s.refresh(id);
  const auto view = s.merchant.payment(id);
  CHECK(view["refunded_total"] == 1200);
  CHECK(view["remaining_amount"] == 3000);
  REQUIRE(view["refunds"].size() == 1);
  const auto refund = view["refunds"].at(0);
  CHECK(refund["refund_id"].text().starts_with("re_"));
  CHECK(refund["amount"] == 1200);
  CHECK(refund["currency"] == "USD");
  CHECK(refund["status"] == "succeeded");
  CHECK(refund["origin"] == "provider");
  CHECK(s.refunds(id).dump() == view["refunds"].dump());
  CHECK(s.story(id) == lines{"refund approved provider", "payment.partially_refunded published provider"});
  CHECK(s.told("payment.partially_refunded", id)["refunded_amount"] == 1200);
  CHECK(s.ledger(id) == lines{"captured 4200", "refunded 1200"});

  s.at_stripe(id, acts("refund"));
  CHECK(s.learns_state(id, "refunded"));
  CHECK(s.told("payment.refunded", id)["refunded_amount"] == 4200);
  CHECK(s.refunds(id).size() == 2);
  CHECK(s.ledger(id) == lines{"captured 4200", "refunded 1200", "refunded 3000"});
  CHECK(summary_of(s.merchant.refund(id)) == "409 payment not refundable in current state");
}

TEST_CASE("stripe: a refund of the rest returns what was not refunded in the dashboard") {
  outside_shop s{GENERATE(true, false), GENERATE(from_range(stores()))};
  const auto id = s.paid("captured");
  s.at_stripe(id, acts("refund").set("amount", 1200));
  // Whether the gateway knows of it already or not.
  const auto rest = s.merchant.refund(id);
  CHECK(summary_of(rest) == "200 refunded");
  const auto answer = json::parse(rest.body);
  CHECK(answer["refunded_amount"] == 3000);
  CHECK(answer["refunded_total"] == 4200);
  CHECK(answer["remaining_amount"] == 0);
  const auto listed = s.refunds(id);
  REQUIRE(listed.size() == 2);
  CHECK(listed.at(0)["origin"] == "provider");
  CHECK(listed.at(1)["origin"] == "api");
  CHECK(listed.at(1)["refund_id"] == answer["refund_id"].text());
  CHECK(s.moves() == lines{"authorize 4200 usd", "capture 4200 usd", "refund 1200 usd", "refund 3000 usd"});
}

TEST_CASE("stripe: a pending refund counts as refunded, and stays so when it succeeds") {
  outside_shop s{GENERATE(true, false), GENERATE(from_range(stores()))};
  const auto id = s.paid("captured");
  const auto refund = s.at_stripe(id, acts("refund").set("amount", 1000).set("status", "pending"));
  const auto has_status = [](const char* status) {
    return [status](const json& now) { return now["refunds"].at(0)["status"] == status; };
  };
  CHECK(s.learns(id, has_status("pending")));
  CHECK(s.merchant.payment(id)["refunded_total"] == 1000);
  CHECK(s.merchant.state_of(id) == "partially_refunded");
  s.to_refund(refund, acts("succeed"));
  CHECK(s.learns(id, has_status("succeeded")));
  CHECK(s.merchant.payment(id)["refunded_total"] == 1000);
  CHECK(s.refunds(id).size() == 1);
  CHECK(s.ledger(id) == lines{"captured 4200", "refunded 1000"});
}

TEST_CASE("stripe: when a refund fails after it was accepted, its amount can be refunded again") {
  outside_shop s{GENERATE(true, false), GENERATE(from_range(stores()))};
  const std::string status = GENERATE(as<std::string>{}, "pending", "succeeded");
  const auto id = s.paid("captured");
  const auto refund = s.at_stripe(id, acts("refund").set("amount", 1000).set("status", status));
  CHECK(s.learns_state(id, "partially_refunded"));
  s.to_refund(refund, acts("fail").set("failure_reason", "lost_or_stolen_card"));
  CHECK(s.learns_state(id, "captured"));
  const auto view = s.merchant.payment(id);
  CHECK(view["refunded_total"] == 0);
  CHECK(view["remaining_amount"] == 4200);
  REQUIRE(view["refunds"].size() == 1);
  const auto failed = view["refunds"].at(0);
  CHECK(failed["status"] == "failed");
  CHECK(failed["failure_code"] == "lost_or_stolen_card");
  const auto told = s.told("payment.refund_failed", id);
  CHECK(told["refund_id"] == failed["refund_id"].text());
  CHECK(told["amount"] == 1000);
  CHECK(told["refunded_amount"] == 0);
  CHECK(told["failure_code"] == "lost_or_stolen_card");
  CHECK(s.ledger(id) == lines{"captured 4200", "refunded 1000", "refund_failed 1000"});
  CHECK(summary_of(s.merchant.refund(id)) == "200 refunded");
}

TEST_CASE("stripe: a refund through the gateway that is pending there is pending here, and can fail later") {
  outside_shop s{GENERATE(true, false), GENERATE(from_range(stores()))};
  const auto id = s.paid("captured", "pm_card_pendingRefund");
  const auto answer = s.merchant.refund(id, 1000);
  CHECK(summary_of(answer) == "200 partially_refunded");
  const auto body = json::parse(answer.body);
  CHECK(body["provider.status"] == "pending");
  REQUIRE(s.refunds(id).size() == 1);
  const auto listed = s.refunds(id).at(0);
  CHECK(listed["refund_id"] == body["refund_id"].text());
  CHECK(listed["status"] == "pending");
  CHECK(listed["origin"] == "api");

  const auto made = s.on.stripe.events(s.connected, "refund.created");
  REQUIRE(made.size() == 1);
  s.to_refund(made.front()["data.object.id"].text(), acts("fail"));
  CHECK(s.learns_state(id, "captured"));
  CHECK(s.merchant.payment(id)["refunded_total"] == 0);
  CHECK(s.told("payment.refund_failed", id)["refund_id"] == body["refund_id"].text());
}

// ---- disputes -------------------------------------------------------------------------------------

namespace {

/// The status of the payment's only dispute.
std::function<bool(const json&)> is_disputed_as(const std::string& status) {
  return [status](const json& now) { return now["disputes"].at(0)["status"] == status; };
}

}  // namespace

TEST_CASE("stripe: a dispute is opened, answered and won, and no refund is made while it is open") {
  outside_shop s{GENERATE(true, false), GENERATE(from_range(stores()))};
  const auto id = s.paid("captured");
  const auto dispute = s.at_stripe(id, acts("dispute").set("reason", "product_not_received"));
  CHECK(s.learns(id, is_disputed_as("needs_response")));
  auto view = s.merchant.payment(id);
  CHECK(view["state"] == "captured");
  CHECK(view["disputed_amount"] == 4200);
  const auto opened = view["disputes"].at(0);
  CHECK(opened["dispute_id"].text().starts_with("dp_"));
  CHECK(opened["payment_id"] == id);
  CHECK(opened["amount"] == 4200);
  CHECK(opened["currency"] == "USD");
  CHECK(opened["reason"] == "product_not_received");
  CHECK(opened["evidence_due_by"].is_string());
  CHECK(opened["opened_at"].is_string());
  CHECK_FALSE(opened["closed_at"].present());
  CHECK(s.told("dispute.opened", id).dump() == opened.dump());
  CHECK(summary_of(s.merchant.refund(id)) == "409 payment disputed");
  CHECK(summary_of(s.merchant.refund(id, 100)) == "409 payment disputed");

  s.to_dispute(dispute, "respond");
  CHECK(s.learns(id, is_disputed_as("under_review")));
  CHECK(s.told("dispute.updated", id)["status"] == "under_review");
  CHECK(summary_of(s.merchant.refund(id, 100)) == "409 payment disputed");

  s.to_dispute(dispute, "win");
  CHECK(s.learns(id, is_disputed_as("won")));
  view = s.merchant.payment(id);
  CHECK(view["disputed_amount"] == 0);
  CHECK(view["disputes"].size() == 1);
  CHECK(view["disputes"].at(0)["closed_at"].is_string());
  CHECK(s.told("dispute.closed", id)["status"] == "won");
  CHECK(s.ledger(id) == lines{"captured 4200", "dispute_opened 4200", "dispute_won 4200"});
  CHECK(s.story(id) == lines{"dispute needs_response provider", "dispute.opened published provider",
                             "dispute under_review provider", "dispute.updated published provider",
                             "dispute won provider", "dispute.closed published provider"});
  CHECK(summary_of(s.merchant.refund(id)) == "200 refunded");
}

TEST_CASE("stripe: what a dispute has lost can no longer be refunded") {
  outside_shop s{GENERATE(true, false), GENERATE(from_range(stores()))};
  const auto id = s.paid("captured");
  const auto dispute = s.at_stripe(id, acts("dispute").set("amount", 1000));
  CHECK(s.learns(id, is_disputed_as("needs_response")));
  CHECK(s.merchant.payment(id)["disputed_amount"] == 1000);
  s.to_dispute(dispute, "lose");
  CHECK(s.learns(id, is_disputed_as("lost")));
  const auto view = s.merchant.payment(id);
  CHECK(view["state"] == "captured");
  CHECK(view["disputed_amount"] == 0);
  CHECK(view["remaining_amount"] == 3200);
  CHECK(s.told("dispute.closed", id)["status"] == "lost");
  CHECK(s.ledger(id) == lines{"captured 4200", "dispute_opened 1000", "dispute_lost 1000"});
  CHECK(summary_of(s.merchant.refund(id, 3201)) == "422 refund amount exceeds captured amount");
  CHECK(json::parse(s.merchant.refund(id).body)["refunded_amount"] == 3200);
  CHECK(summary_of(s.merchant.refund(id)) == "409 payment not refundable in current state");
}

TEST_CASE("stripe: an inquiry takes no money and forbids no refund, until it becomes a chargeback") {
  outside_shop s{GENERATE(true, false), GENERATE(from_range(stores()))};
  const auto id = s.paid("captured");
  const auto dispute = s.at_stripe(id, acts("dispute").set("amount", 2000).set("status", "warning_needs_response"));
  CHECK(s.learns(id, is_disputed_as("warning")));
  CHECK(s.merchant.payment(id)["disputed_amount"] == 0);
  CHECK(s.told("dispute.opened", id)["status"] == "warning");
  CHECK(summary_of(s.merchant.refund(id, 100)) == "200 partially_refunded");
  s.to_dispute(dispute, "escalate");
  CHECK(s.learns(id, is_disputed_as("needs_response")));
  CHECK(s.merchant.payment(id)["disputed_amount"] == 2000);
  CHECK(s.told("dispute.updated", id)["status"] == "needs_response");
  CHECK(summary_of(s.merchant.refund(id, 100)) == "409 payment disputed");

  const auto other = s.paid("captured");
  const auto inquiry = s.at_stripe(other, acts("dispute").set("status", "warning_needs_response"));
  CHECK(s.learns(other, is_disputed_as("warning")));
  s.to_dispute(inquiry, "close");
  CHECK(s.learns(other, is_disputed_as("won")));
  CHECK(s.ledger(other) == lines{"captured 4200"});
}
