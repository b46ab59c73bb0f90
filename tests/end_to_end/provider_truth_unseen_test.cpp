// What the gateway finds at Stripe without any notification: by an operator's refresh, in the list of events, by
// itself.
#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "outside_shop.hpp"
#include "paths.hpp"
#include "stripe_subscriber.hpp"

using namespace gateway::e2e;

TEST_CASE("stripe: what happened unseen becomes known at once, each difference with its own events") {
  outside_shop s{false, GENERATE(from_range(stores()))};
  const auto id = s.paid();
  s.at_stripe(id, acts("capture").set("amount", 4000));
  s.at_stripe(id, acts("refund").set("amount", 500));
  const auto refund = s.at_stripe(id, acts("refund").set("amount", 300).set("status", "pending"));
  const auto dispute = s.at_stripe(id, acts("dispute").set("amount", 1000));
  s.to_refund(refund, acts("succeed"));
  s.to_dispute(dispute, "respond");
  s.to_dispute(dispute, "win");
  CHECK(s.merchant.state_of(id) == "authorized");
  s.refresh(id);
  const auto all = s.story(id);
  CHECK(all == lines{"capture approved provider", "payment.captured published provider", "refund approved provider",
                     "payment.partially_refunded published provider", "refund approved provider",
                     "payment.partially_refunded published provider", "dispute needs_response provider",
                     "dispute.opened published provider", "dispute won provider", "dispute.closed published provider"});
  const auto view = s.merchant.payment(id);
  CHECK(view["captured_amount"] == 4000);
  CHECK(view["refunded_total"] == 800);
  CHECK(view["remaining_amount"] == 3200);
  CHECK(s.ledger(id) ==
        lines{"captured 4000", "refunded 500", "refunded 300", "dispute_opened 1000", "dispute_won 1000"});
  s.refresh(id);
  CHECK(s.story(id) == all);
}

TEST_CASE("stripe: every refund is found, also beyond the first page of the list") {
  outside_shop s{false, GENERATE(from_range(stores()))};
  const auto id = s.paid("captured");
  constexpr int count = 120;
  for (int i = 0; i < count; ++i) s.at_stripe(id, acts("refund").set("amount", 10));
  s.refresh(id);
  CHECK(s.merchant.payment(id)["refunded_total"] == 10 * count);
  CHECK(s.refunds(id).size() == count);
  CHECK(s.ledger(id).size() == count + 1);
}

TEST_CASE("stripe: a customer whose deletion was not reported is made again, and nothing is charged twice meanwhile") {
  stripe_platform p{silent_stripe(GENERATE(from_range(stores())))};
  const auto ref = "ref-" + new_uuid();
  const auto for_customer = [&] {
    return stripe_payment(new_payment_id()).set("customer_ref", ref).set("setup_future_usage", "off_session");
  };
  const auto customer = [&] {
    return json::parse(p.platform.get("/v1/customers/by_ref?ref=" + ref, p.as()).body)["provider_customer_id"].text();
  };
  const auto deletes = [&] { p.on.stripe.act(object{}.set("customer", customer()).set("act", "delete")); };
  REQUIRE(summary_of(p.create(for_customer())) == "200 authorized");
  const auto first = customer();
  deletes();
  const call same{new_uuid(), {}};
  const auto body = for_customer();
  const auto answer = p.create(body, same);
  REQUIRE(summary_of(answer) == "200 failed");
  CHECK(json::parse(answer.body)["provider.error.code"] == "customer_not_found");
  CHECK(json::parse(answer.body)["provider.error.retryable"] == true);
  CHECK(p.create(body, same).body == answer.body);
  CHECK(summary_of(p.create(for_customer())) == "200 authorized");
  CHECK(customer() != first);

  std::atomic<bool> over{false};
  std::atomic<int> authorized{0}, odd{0};
  std::vector<std::thread> clients;
  for (int i = 0; i < 4; ++i)
    clients.emplace_back([&] {
      api own{p.gateway, p.who.key};
      while (!over) {
        const auto made = own.post("/v1/payment_intents", for_customer().text(), p.as());
        const auto words = summary_of(made);
        if (words == "200 authorized")
          ++authorized;
        else if (words != "200 failed" || !(json::parse(made.body)["provider.error.code"] == "customer_not_found"))
          ++odd;
      }
    });
  const auto moves = [&] {
    const auto all = p.on.stripe.effects(p.connected);
    return std::ranges::count_if(all, [](const auto& each) { return each.kind == "authorize"; });
  };
  for (int i = 0; i < 8; ++i) {
    const auto before = authorized.load();
    CHECK(eventually([&] { return authorized > before + 3; }));
    if (const auto known = customer(); !known.empty())
      p.on.stripe.act(object{}.set("customer", known).set("act", "delete"));
  }
  over = true;
  for (auto& each : clients) each.join();
  CHECK(odd == 0);
  CHECK(moves() == authorized + 2);
}

TEST_CASE("stripe: a checkout for a customer whose deletion was not reported fails, and the next makes the customer") {
  stripe_subscriber s{silent_stripe(GENERATE(from_range(stores())))};
  const auto ref = "ref-" + new_uuid();
  const auto open = [&] { return s.open(subscribing::checkout(s.new_id()).set("customer_ref", ref)); };
  REQUIRE(open().status == 200);
  const auto found = s.platform.get("/v1/customers/by_ref?ref=" + ref, s.as());
  s.on.stripe.act(
      object{}.set("customer", json::parse(found.body)["provider_customer_id"].text()).set("act", "delete"));
  const auto failed = open();
  INFO(failed.body);
  CHECK(failed.status == 502);
  CHECK(open().status == 200);
}

TEST_CASE("stripe: the list of events reports a dashboard refund of which no notification was posted") {
  outside_shop s{false, GENERATE(from_range(stores()))};
  const auto id = s.paid("captured");
  s.at_stripe(id, acts("refund").set("amount", 1200));
  s.on.gateway.ctl({"provider", "backfill", "stripe", "--mode", "test"});
  CHECK(eventually([&] { return s.merchant.state_of(id) == "partially_refunded"; }));
  CHECK(s.told("payment.partially_refunded", id)["refunded_amount"] == 1200);
}

TEST_CASE("stripe: without notifications and without an operator the gateway finds that an authorization has ended") {
  const auto store = GENERATE(from_range(stores()));
  stripe_process stripe;
  auto options = beside(stripe, store);
  options.folder = new_folder("truth");
  if (store == store_kind::mysql) options.database = new_shared_database();
  const auto id = new_payment_id();
  {
    gateway_process gateway{options};
    configure_stripe(gateway, stripe);
    stripe.set("notifications", R"({"silent":true})");
    const auto account = new_merchant(gateway);
    route_to_stripe(gateway, account.id, stripe.new_account());
    api merchant{gateway, account.test};
    const auto made = merchant.create(stripe_payment(id));
    REQUIRE(summary_of(made) == "200 authorized");
    stripe.act(acts("expire").set("payment_intent", json::parse(made.body)["provider.provider_ref"].text()));
    gateway.terminate();
  }
  // An authorized payment is asked after at least once a day.
  options.arguments.emplace_back("--clock-offset=25h");
  {
    const gateway_process gateway{options};
    const auto state = "SELECT state FROM payments WHERE payment_id = '" + id + "'";
    CHECK(eventually([&] { return lines_of(gateway.sql(state)) == lines{"voided"}; }));
  }
  if (keeps_data()) return;
  if (options.database) drop_database(*options.database);
  std::error_code ignored;
  std::filesystem::remove_all(options.folder, ignored);
}

// ---- the stand-in ---------------------------------------------------------------------------------

TEST_CASE("stripe's stand-in lists all events of an account, newest first, in pages in both directions") {
  outside_shop s{false, GENERATE(from_range(stores()))};
  const auto id = s.paid("captured");
  s.at_stripe(id, acts("refund").set("amount", 1200).set("notify", false));
  const auto list = [&](const std::string& query) { return s.on.stripe.read(s.connected, "/v1/events" + query); };
  const auto types = [](const json& page) {
    lines all;
    for (const auto& each : page["data"].items()) all.push_back(each["type"].text());
    return all;
  };
  const auto whole = list("?limit=100");
  CHECK(types(whole) == lines{"charge.refunded", "refund.created", "payment_intent.succeeded", "charge.captured",
                              "payment_intent.amount_capturable_updated", "charge.succeeded",
                              "payment_intent.created"});
  CHECK(whole["has_more"] == false);
  const auto id_at = [&](std::size_t index) { return whole["data"].at(index)["id"].text(); };
  const auto older = list("?limit=2&starting_after=" + id_at(1));
  CHECK(types(older) == lines{"payment_intent.succeeded", "charge.captured"});
  CHECK(older["has_more"] == true);
  const auto newer = list("?limit=2&ending_before=" + id_at(3));
  CHECK(types(newer) == lines{"refund.created", "payment_intent.succeeded"});
  CHECK(newer["has_more"] == true);
  CHECK(types(list("?type=charge.*")) == lines{"charge.refunded", "charge.captured", "charge.succeeded"});
  CHECK(list("?created%5Bgte%5D=4102444800")["data"].size() == 0);
  CHECK(s.on.stripe.read(s.on.stripe.new_account(), "/v1/events")["data"].size() == 0);
}
