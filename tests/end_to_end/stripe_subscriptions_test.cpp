// Subscriptions at Stripe, in live: a year of cycles, one of which fails, the cancel, a checkout that is never paid,
// and notifications that arrive twice, late and in any order.
#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <thread>

#include "stripe_subscriber.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;

TEST_CASE("stripe: a year of cycles, one of which fails and is retried: each is a captured payment, announced once") {
  stripe_subscriber s{shared_stripe(GENERATE(from_range(stores())))};
  const auto id = s.new_id();
  const auto at_stripe = s.subscribed(id);
  const auto first_end = s.seen(id)["period_end"].text();
  for (int cycle = 2; cycle <= 12; ++cycle) {
    if (cycle == 5) {
      CHECK(s.on.stripe.move(at_stripe, "cycle_failed") == "past_due");
      CHECK(s.comes_to(id, "past_due"));
      CHECK(s.delivered("payment.failed", 1));
      const auto failed = s.payment(cycle_payment(s.of_kind("decline").back()));
      CHECK(failed["state"] == "failed");
      CHECK(failed["provider.error.code"] == "insufficient_funds");
    }
    CHECK(s.on.stripe.move(at_stripe, "cycle_paid") == "active");
  }
  CHECK(s.delivered("subscription.invoice_paid", 12));
  CHECK(s.delivered("payment.succeeded", 12));
  CHECK(s.comes_to(id, "active"));
  CHECK(eventually([&] { return s.seen(id)["period_end"].text() > first_end; }));
  const auto reported = s.reported();
  CHECK(reported.at("subscription.activated") == 1);
  CHECK(reported.at("subscription.invoice_failed") == 1);
  CHECK(reported.at("payment.failed") == 1);
  CHECK_FALSE(reported.contains("subscription.canceled"));

  // The ledger and the rows agree.
  const auto captured = s.of_kind("capture");
  REQUIRE(captured.size() == 12);
  std::set<std::string> payments;
  for (const auto& each : captured) {
    const auto payment = s.payment(cycle_payment(each));
    CAPTURE(each.invoice);
    CHECK(payment["state"] == "captured");
    CHECK(payment["amount"] == each.amount);
    payments.insert(cycle_payment(each));
  }
  CHECK(payments.size() == 12);

  const auto refund = [&](const std::string& payment, const std::string& body) {
    return summary_of(s.platform.post("/v1/payment_intents/" + payment + "/refund", body, s.as()));
  };
  const auto retried = cycle_payment(captured[4]);
  CHECK(refund(retried, R"({"amount":900})") == "200 partially_refunded");
  CHECK(refund(retried, "") == "200 refunded");
  CHECK(refund(cycle_payment(captured.back()), "") == "200 refunded");
  const auto refunds = s.of_kind("refund");
  REQUIRE(refunds.size() == 3);
  CHECK(refunds[0].text() == "refund 900 eur");
  CHECK(refunds[1].text() == "refund 1000 eur");
  CHECK(refunds[1].payment_intent == captured[4].payment_intent);
  CHECK(refunds[2].payment_intent == captured.back().payment_intent);
}

TEST_CASE("stripe: a trial costs nothing until it ends") {
  stripe_subscriber s{shared_stripe(store_kind::sqlite)};
  const auto id = s.new_id();
  const auto answer = s.open(subscribing::checkout(id).set("trial_period_days", 14));
  REQUIRE(answer.status == 200);
  CHECK(s.on.stripe.click(json::parse(answer.body)["hosted_url"].text(), "pay").status == 303);
  CHECK(s.comes_to(id, "trialing"));
  CHECK(s.of_kind("capture").empty());
  CHECK(s.on.stripe.move(s.seen(id)["provider_subscription_id"].text(), "cycle_paid") == "active");
  CHECK(s.comes_to(id, "active"));
  CHECK(s.delivered("payment.succeeded", 1));
  CHECK(s.of_kind("capture").size() == 1);
}

TEST_CASE("stripe: a customer who is declined on the page may try again there, and subscribes once") {
  stripe_subscriber s{shared_stripe(store_kind::sqlite)};
  const auto id = s.new_id();
  const call same{new_uuid(), {}};
  const auto answer = s.open(subscribing::checkout(id), same);
  REQUIRE(answer.status == 200);
  CHECK(s.open(subscribing::checkout(id), same).body == answer.body);
  CHECK(summary_of(s.open(subscribing::checkout(id))) == "409 subscription already exists");
  const auto page = json::parse(answer.body)["hosted_url"].text();
  CHECK(s.on.stripe.click(page, "decline").status == 200);
  CHECK(s.status(id) == "pending");
  CHECK(s.on.stripe.click(page, "pay").status == 303);
  CHECK(s.on.stripe.click(page, "pay").status == 410);
  CHECK(s.comes_to(id, "active"));
  CHECK(s.of_kind("session").size() == 1);
  CHECK(s.of_kind("customer").size() == 1);
  CHECK(s.of_kind("capture").size() == 1);
}

TEST_CASE("stripe: a cancel is immediate, executed once whichever answers are lost, and announced once") {
  stripe_stage on{GENERATE(from_range(stores()))};
  stripe_subscriber s{on};
  const auto id = s.new_id();
  s.subscribed(id);
  const int lost = GENERATE(0, 1, 3);
  CAPTURE(lost);
  if (lost > 0) on.stripe.breaks("cut_after", "DELETE", "/v1/subscriptions/*", lost);
  auto answer = s.cancel(id);
  if (answer.status != 200) {
    CHECK(answer.status == 502);
    answer = s.cancel(id);
  }
  REQUIRE(eventually([&] { return s.cancel(id).status == 200; }));
  const auto said = json::parse(s.cancel(id).body);
  CHECK(said["subscription_id"] == id);
  CHECK(said["status"] == "canceled");
  CHECK(s.cancel(id).body == s.cancel(id).body);
  CHECK(s.status(id) == "canceled");
  CHECK(s.delivered("subscription.canceled", 1));
  std::this_thread::sleep_for(1s);
  CHECK(s.reported().at("subscription.canceled") == 1);
  CHECK(s.of_kind("unsubscribe").size() == 1);
}

TEST_CASE("stripe: a cancel interrupted by the gateway's death is finished after the restart") {
  stripe_stage on{GENERATE(from_range(stores()))};
  stripe_subscriber s{on};
  const auto id = s.new_id();
  s.subscribed(id);
  on.stripe.breaks("slow", "DELETE", "/v1/subscriptions/*", 1, 1'000);
  std::thread asking{[&] {
    try {
      api{on.gateway, s.who.key}.request("DELETE", "/v1/subscriptions/" + id, {}, s.as());
    } catch (const connection_failed&) {
      // The gateway is killed before it answers.
    }
  }};
  const bool asked = eventually([&] { return on.stripe.reported("requests")["faults.slow"] == 1; });
  on.gateway.kill();
  asking.join();
  REQUIRE(asked);
  on.gateway.start();
  s.platform = api{on.gateway, s.who.key};
  CHECK(s.comes_to(id, "canceled"));
  CHECK(s.delivered("subscription.canceled", 1));
  CHECK(s.of_kind("unsubscribe").size() == 1);
}

TEST_CASE("stripe: an abandoned checkout expires, a canceled one is closed, and neither can be paid any more") {
  stripe_stage on{GENERATE(from_range(stores())), {"--hosted-expiry=3s"}};
  stripe_subscriber s{on};
  const auto abandoned = s.new_id(), canceled = s.new_id();
  const auto page = s.opened(abandoned), other = s.opened(canceled);
  CHECK(json::parse(s.cancel(canceled).body)["status"] == "canceled");
  CHECK(s.comes_to(abandoned, "incomplete_expired"));
  CHECK(s.status(canceled) == "canceled");
  CHECK(on.stripe.click(page, "pay").status == 410);
  CHECK(on.stripe.click(other, "pay").status == 410);
  CHECK(s.of_kind("capture").empty());
  CHECK(s.of_kind("subscribe").empty());
  CHECK(s.receiver.count() == 0);
}

TEST_CASE("stripe: when the customer pays before the cancel, the subscription is canceled") {
  stripe_stage on{store_kind::sqlite};
  stripe_subscriber s{on};
  on.stripe.notifies(on.gateway, object{}.set("delay_ms", 3'000));
  const auto id = s.new_id();
  CHECK(on.stripe.click(s.opened(id), "pay").status == 303);
  CHECK(s.status(id) == "pending");
  CHECK(json::parse(s.cancel(id).body)["status"] == "canceled");
  CHECK(s.of_kind("unsubscribe").size() == 1);
  // Money has moved, so the activation is announced.
  CHECK(s.delivered("subscription.activated", 1));
  CHECK(s.delivered("payment.succeeded", 1));
  CHECK(s.delivered("subscription.canceled", 1));
  CHECK(s.status(id) == "canceled");
}

TEST_CASE("stripe: notifications that arrive twice and in any order have the same result, and each counts once") {
  stripe_stage on{GENERATE(from_range(stores()))};
  stripe_subscriber s{on};
  on.stripe.notifies(on.gateway, object{}.set("copies", 3).set("scatter_ms", 2'000).set("seed", GENERATE(1, 2)));
  const auto id = s.new_id();
  const auto at_stripe = s.subscribed(id);
  for (const auto* step : {"cycle_paid", "cycle_failed", "cycle_failed", "cycle_paid", "update", "delete"})
    on.stripe.move(at_stripe, step);
  CHECK(s.comes_to(id, "canceled"));
  CHECK(s.delivered("subscription.invoice_paid", 3));
  CHECK(s.delivered("subscription.invoice_failed", 2));
  CHECK(s.delivered("subscription.canceled", 1));
  CHECK(s.delivered("payment.succeeded", 3));
  CHECK(s.delivered("payment.failed", 2));
  const auto updates = on.stripe.events(s.connected, "customer.subscription.updated").size();
  CHECK(s.delivered("subscription.updated", updates));
  std::this_thread::sleep_for(3s);
  const auto reported = s.reported();
  CHECK(reported.at("subscription.activated") == 1);
  CHECK(reported.at("subscription.canceled") == 1);
  CHECK(reported.at("payment.succeeded") == 3);
  CHECK(s.status(id) == "canceled");
  for (const auto& each : s.of_kind("capture")) CHECK(s.payment(cycle_payment(each))["state"] == "captured");
}

TEST_CASE("stripe: a notification that cannot be resolved now is resolved later") {
  stripe_stage on{store_kind::sqlite};
  stripe_subscriber s{on};
  const auto id = s.new_id();
  const auto at_stripe = s.subscribed(id);
  // Each of the two is tried again after 5 s, and one of them after 10 s more.
  on.stripe.breaks("error_500_before", "GET", "/v1/*", 3);
  CHECK(on.stripe.move(at_stripe, "cycle_failed") == "past_due");
  CHECK(on.stripe.move(at_stripe, "cycle_paid") == "active");
  CHECK(s.delivered("subscription.invoice_failed", 1));
  CHECK(s.delivered("subscription.invoice_paid", 2));
  CHECK(s.delivered("payment.succeeded", 2));
}

TEST_CASE("stripe: an account that may not be charged opens no checkout") {
  stripe_subscriber s{shared_stripe(store_kind::sqlite)};
  s.on.stripe.set_account(s.connected, "restricted");
  const auto id = s.new_id();
  const auto answer = s.open(subscribing::checkout(id));
  CHECK(answer.status == 502);
  CHECK(s.status(id) == "failed");
  CHECK(s.of_kind("session").empty());
}

TEST_CASE("stripe: another account's events about a subscription change nothing") {
  auto& on = shared_stripe(GENERATE(from_range(stores())));
  stripe_subscriber s{on};
  const auto id = s.new_id();
  const auto at_stripe = s.subscribed(id);
  // An account's owner can set any metadata on its own subscriptions, and Stripe signs the events about them.
  const auto marks =
      object{}.set("gateway_merchant", s.shop.id).set("gateway_subscription", id).set("gateway_key", "pk_1");
  const auto body = stripe_event(on.stripe.new_account(), "customer.subscription.deleted",
                                 object{}
                                     .set("id", at_stripe)
                                     .set("object", "subscription")
                                     .set("status", "canceled")
                                     .set("currency", "eur")
                                     .set("metadata", marks)
                                     .text(),
                                 true);
  auto browser = on.gateway.connect();
  CHECK(notify_of_stripe(browser, body, stripe_signature(stripe_process::webhook_secret, body), "live").status == 200);
  std::this_thread::sleep_for(2s);
  CHECK(s.status(id) == "active");
  CHECK_FALSE(s.reported().contains("subscription.canceled"));
}
