// Subscriptions at the sandbox, in live: checkout, hosted page, cycles, events, cancel.
#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "subscribing.hpp"

using namespace gateway::e2e;

TEST_CASE("a checkout is pending until its customer pays, and then active with a captured cycle") {
  subscribing s{shared_gateway(GENERATE(from_range(stores())))};
  webhook_receiver receiver;
  set_destination(s.gateway, s.who, receiver.url(), "live", every_event);
  const auto id = s.new_id();
  const call same{new_uuid(), {}};
  const auto answer = s.open(s.checkout(id), same);
  INFO(answer.body);
  REQUIRE(answer.status == 200);
  const auto opened = json::parse(answer.body);
  CHECK(opened.names() == std::vector<std::string>{"subscription_id", "status", "hosted_url", "checkout_session_id"});
  CHECK(opened["subscription_id"] == id);
  CHECK(opened["status"] == "pending");
  CHECK(s.open(s.checkout(id), same).body == answer.body);
  CHECK(summary_of(s.open(s.checkout(id))) == "409 subscription already exists");
  CHECK(summary_of(s.open(s.checkout(id).set("amount", 1), same)) == "409 IDEMPOTENCY_KEY_REUSED");
  CHECK(s.status(id) == "pending");

  hosted_page page{s.gateway, opened["hosted_url"].text()};
  CHECK(page.actions() == std::vector<std::string>{"pay", "decline", "cancel"});
  CHECK(page.act("decline").header("Location") == "https://shop.example/back");
  CHECK(s.status(id) == "pending");
  CHECK(hosted_page{s.gateway, opened["hosted_url"].text()}.act("pay").header("Location") ==
        "https://shop.example/thanks");

  const auto now = s.seen(id);
  CHECK(now["status"] == "active");
  CHECK(now["subscription_id"] == id);
  CHECK(now["customer_ref"] == "ref-" + id);
  const auto provider_id = now["provider_subscription_id"].text();
  const auto public_id = "sub_" + s.shop.id + "_" + provider_id;
  CHECK(s.seen(public_id)["subscription_id"] == id);

  REQUIRE(receiver.comes_to(3));
  const auto reported = delivered_ids(receiver);
  CHECK(reported.at("subscription.activated").size() == 1);
  CHECK(reported.at("subscription.invoice_paid").size() == 1);
  CHECK(reported.at("payment.succeeded").size() == 1);
  std::string cycle;
  for (const auto& post : receiver.posts()) {
    const auto data = post.envelope()["data"];
    CHECK(data["customer_ref"] == "ref-" + id);
    if (post.type() == "payment.succeeded") {
      cycle = data["payment_id"].text();
      continue;
    }
    CHECK(data["subscription_id"] == public_id);
    CHECK(data["provider_subscription_id"] == provider_id);
    CHECK(data["subscription_status"] == "active");
    CHECK(data["amount"].dump() == "1900");
    CHECK(data["currency"] == "EUR");
    CHECK(data["interval"] == "month");
    CHECK(data["interval_count"].dump() == "1");
    CHECK(data["period_start"].text().size() == std::string{"2026-01-01T00:00:00Z"}.size());
    CHECK(data["period_start"].text() < data["period_end"].text());
    CHECK(data["subscription_metadata"].dump() == R"({"schedule":"s-7"})");
    const auto type = post.type().substr(post.type().find('.') + 1);
    CHECK(post.event() == "evt_sandbox_subscription_" + type + "_" + data["source_event_id"].text());
  }
  CHECK(s.payment(cycle)["state"] == "captured");
  CHECK(s.payment(cycle)["amount"].dump() == "1900");
  CHECK(summary_of(s.platform.post("/v1/payment_intents/" + cycle + "/refund", R"({"amount":900})", s.as())) ==
        "200 partially_refunded");
  CHECK(s.platform.get("/v1/payment_intents/" + cycle + "/timeline", s.as()).status == 200);
}

TEST_CASE("subscription events are sent only to destinations that list them") {
  subscribing s{shared_gateway(store_kind::sqlite)};
  webhook_receiver receiver;
  set_destination(s.gateway, s.who, receiver.url(), "live");
  s.subscribe(s.new_id());
  receiver.comes_to(1);
  const auto reported = delivered_ids(receiver);
  CHECK(reported.size() == 1);
  CHECK(reported.contains("payment.succeeded"));
}

TEST_CASE(
    "an operator moves a subscription through cycles, failures and retries, with repeated and reordered "
    "notifications") {
  subscribing s{shared_gateway(GENERATE(from_range(stores())))};
  webhook_receiver receiver;
  set_destination(s.gateway, s.who, receiver.url(), "live", every_event);
  const auto id = s.subscribe(s.new_id());
  CHECK(s.move({id, "--cycle", "failed", "--repeat", "3", "--reorder"})["status"] == "past_due");
  CHECK(s.status(id) == "past_due");
  CHECK(s.move({id, "--cycle", "paid"})["status"] == "active");
  CHECK(s.move({id, "--merchant", s.shop.id, "--update", "--repeat", "2"})["status"] == "active");
  REQUIRE(receiver.comes_to(10));
  const auto reported = delivered_ids(receiver);
  CHECK(reported.at("subscription.invoice_failed").size() == 1);
  CHECK(reported.at("payment.failed").size() == 1);
  CHECK(reported.at("subscription.invoice_paid").size() == 2);
  CHECK(reported.at("payment.succeeded").size() == 2);
  CHECK(reported.at("subscription.updated").size() == 3);  // past_due, active again, and the update
  // An invoice of zero has an event and no payment.
  CHECK(s.move({id, "--cycle", "paid", "--amount", "0"})["status"] == "active");
  REQUIRE(eventually([&] { return delivered_ids(receiver)["subscription.invoice_paid"].size() == 3; }));
  const auto posts = receiver.posts();
  const auto is_free = [](const auto& post) {
    return post.type() == "subscription.invoice_paid" && post.envelope()["data"]["amount"].dump() == "0";
  };
  CHECK(std::ranges::count_if(posts, is_free) == 1);
  CHECK(delivered_ids(receiver).at("payment.succeeded").size() == 2);
  CHECK(s.move({id, "--cycle", "exhausted"})["status"] == "canceled");
  CHECK(s.seen(id)["canceled_at"].text().ends_with("Z"));
  const auto too_late = s.gateway.run_ctl({"sandbox", "subscription", id, "--merchant", s.shop.id, "--cycle", "paid"});
  CHECK(too_late.code == 1);
  CHECK(too_late.err.find("has ended, as canceled") != std::string::npos);
}

TEST_CASE("a cycle that needs its customer names a page that approves or declines it, also after a restart") {
  gateway_process gateway{{.store = GENERATE(from_range(stores()))}};
  subscribing s{gateway};
  webhook_receiver receiver;
  set_destination(s.gateway, s.who, receiver.url(), "live", every_event);
  const auto id = s.subscribe(s.new_id());
  CHECK_FALSE(s.seen(id)["hosted_url"].present());
  CHECK(s.move({id, "--cycle", "action"})["status"] == "past_due");
  const auto page = s.seen(id)["hosted_url"].text();
  REQUIRE_FALSE(page.empty());
  REQUIRE(eventually([&] { return delivered_ids(receiver)["subscription.invoice_failed"].size() == 1; }));
  for (const auto& post : receiver.posts())
    if (post.type() == "subscription.invoice_failed") CHECK(post.envelope()["data"]["hosted_url"] == page);

  gateway.kill();
  gateway.start();
  s.platform = api{gateway, s.who.key};
  CHECK(s.seen(id)["hosted_url"] == page);
  const bool approves = GENERATE(true, false);
  CHECK(hosted_page{gateway, page}.act("cancel").header("Location") == "https://shop.example/back");
  CHECK(s.seen(id)["hosted_url"] == page);
  CHECK(hosted_page{gateway, page}.act(approves ? "pay" : "decline").header("Location") ==
        (approves ? "https://shop.example/thanks" : "https://shop.example/back"));
  CHECK(s.status(id) == (approves ? "active" : "past_due"));
  CHECK_FALSE(s.seen(id)["hosted_url"].present());
  const hosted_page after{gateway, page};
  CHECK(after.answer().status == (approves ? 200 : 410));
  CHECK(after.actions().empty());
}

TEST_CASE("a cancel is immediate, repeated with the same answer, and announced once") {
  subscribing s{shared_gateway(GENERATE(from_range(stores())))};
  webhook_receiver receiver;
  set_destination(s.gateway, s.who, receiver.url(), "live", every_event);
  const auto id = s.subscribe(s.new_id());
  CHECK(s.cancel("nobody").status == 404);
  CHECK(summary_of(s.cancel("nobody")) == "404 subscription_not_found");
  const auto public_id = "sub_" + s.shop.id + "_" + s.seen(id)["provider_subscription_id"].text();
  const auto first = s.cancel(public_id);
  REQUIRE(first.status == 200);
  const auto said = json::parse(first.body);
  CHECK(said.names() == std::vector<std::string>{"subscription_id", "status", "canceled_at"});
  CHECK(said["subscription_id"] == id);
  CHECK(said["status"] == "canceled");
  CHECK(s.cancel(id).body == first.body);
  CHECK(s.status(id) == "canceled");
  CHECK(s.platform.request("DELETE", "/v1/subscriptions/" + id, {}, s.as({"", {}})).status == 400);
  REQUIRE(receiver.comes_to(4));
  CHECK(delivered_ids(receiver).at("subscription.canceled").size() == 1);
}

TEST_CASE("a pending checkout is canceled, or expired by an operator, without an event, and its page is closed") {
  subscribing s{shared_gateway(GENERATE(from_range(stores())))};
  webhook_receiver receiver;
  set_destination(s.gateway, s.who, receiver.url(), "live", every_event);
  const bool by_operator = GENERATE(false, true);
  const auto id = s.new_id();
  const auto answer = s.open(s.checkout(id));
  REQUIRE(answer.status == 200);
  if (by_operator)
    CHECK(s.move({id, "--expire"})["status"] == "incomplete_expired");
  else
    CHECK(json::parse(s.cancel(id).body)["status"] == "canceled");
  const hosted_page page{s.gateway, json::parse(answer.body)["hosted_url"].text()};
  CHECK(page.answer().status >= 400);
  CHECK(page.actions().empty());
  CHECK(s.status(id) == (by_operator ? "incomplete_expired" : "canceled"));
  CHECK(receiver.count() == 0);
}

TEST_CASE("checkouts are refused in order: fields, caller, environment, routes") {
  auto& gateway = shared_gateway(store_kind::sqlite);
  subscribing s{gateway};
  const auto good = [&] { return s.checkout("e-1"); };
  for (const auto& wrong :
       {good().without("subscription_id"), s.checkout("a b"), good().without("customer_ref"), good().without("amount"),
        s.checkout("e-1").set("amount", 0), s.checkout("e-1").set("currency", "XXX"),
        s.checkout("e-1").set("interval", "decade"), s.checkout("e-1").set("interval_count", -1),
        s.checkout("e-1").set("trial_period_days", -1), good().without("success_url"), good().without("cancel_url"),
        s.checkout("e-1").set("success_url", "http://shop.example/")})
    CHECK(summary_of(s.open(wrong)) == "400 invalid_request");
  CHECK(summary_of(s.open(s.checkout("e-1").set("merchant_id", "merch_other"))) == "400 merchant_id_mismatch");
  api merchant{gateway, s.shop.live};
  CHECK(summary_of(merchant.post("/v1/subscription_checkouts", good().text())) == "422 {platform_key_required}");
  CHECK(summary_of(merchant.post("/v1/subscription_checkouts", "{}")) == "400 invalid_request");
  set_route(gateway, s.shop.id, "sandbox", "EUR,USD", "card", "live");
  CHECK(summary_of(s.open(good())).starts_with("422 "));
  CHECK(summary_of(s.view("e-1")) == "404 subscription_not_found");
}
