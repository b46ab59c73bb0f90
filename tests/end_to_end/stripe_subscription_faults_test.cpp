// Subscriptions at Stripe while Stripe's answer or the gateway's database is missing.
#include <catch2/catch.hpp>

#include <algorithm>
#include <thread>

#include "cluster.hpp"
#include "stripe_subscriber.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;

TEST_CASE(
    "stripe: a cancel whose answer comes too late has an unknown outcome, and is then executed and announced once") {
  stripe_stage on{store_kind::sqlite};
  stripe_subscriber s{on};
  const auto id = s.new_id();
  s.subscribed(id);
  on.stripe.breaks("slow", "DELETE", "/v1/subscriptions/*", 1, 3'500);  // the gateway waits for two seconds
  CHECK(s.cancel(id).status == 502);
  CHECK(s.comes_to(id, "canceled"));
  CHECK(s.delivered("subscription.canceled", 1));
  CHECK(s.cancel(id).status == 200);
  std::this_thread::sleep_for(2s);
  CHECK(s.reported().at("subscription.canceled") == 1);
  CHECK(s.of_kind("unsubscribe").size() == 1);
}

TEST_CASE(
    "stripe: a notification that arrives while the database is away is refused, is posted again, and counts once") {
  const auto database = new_shared_database();
  const auto link = proxy_of(database);
  {
    stripe_stage on{database, behind(*link, database)};
    stripe_subscriber s{on};
    const auto id = s.new_id();
    const auto at_stripe = s.subscribed(id);
    REQUIRE(s.delivered("subscription.invoice_paid", 1));
    link->cut();
    CHECK(on.stripe.move(at_stripe, "cycle_paid") == "active");
    std::this_thread::sleep_for(2s);
    const auto waits = [](const json& reported) { return reported["delivered"] == false; };
    CHECK(eventually(
        [&] { return std::ranges::any_of(on.stripe.reported("notifications")["notifications"].items(), waits); }));
    link->pass();
    CHECK(s.delivered("subscription.invoice_paid", 2));
    CHECK(s.delivered("payment.succeeded", 2));
    const auto captured = s.of_kind("capture");
    REQUIRE(captured.size() == 2);
    for (const auto& each : captured) CHECK(s.payment(cycle_payment(each))["state"] == "captured");
    CHECK(s.reported().at("subscription.activated") == 1);
  }
  drop_database(database);
}
