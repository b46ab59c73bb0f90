// Invoices of subscriptions at Stripe that are not simply the price: of zero, credited, prorated, and one that needs
// its customer. And a warning that changes nothing.
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "stripe_subscriber.hpp"

using namespace gateway::e2e;

namespace {

/// The data of the delivered events of one type, each event once.
std::vector<json> data_of(const webhook_receiver& receiver, const std::string& type) {
  std::map<std::string, json> all;
  for (const auto& post : receiver.posts())
    if (post.type() == type) all.emplace(post.event(), post.envelope()["data"]);
  std::vector<json> found;
  for (const auto& [id, data] : all) found.push_back(data);
  return found;
}

/// The amounts of the ledger's entries of a merchant, in order: `captured 1900`.
lines ledger_of(const gateway_process& gateway, const std::string& merchant) {
  lines found;
  for (auto row : lines_of(gateway.sql("SELECT kind, amount FROM ledger WHERE merchant_id = '" + merchant +
                                       "' ORDER BY "
                                       "kind, amount;"))) {
    std::ranges::replace(row, '\t', ' ');
    found.push_back(row);
  }
  return found;
}

}  // namespace

TEST_CASE("stripe: the zero invoice of a trial is reported with amount 0, and moves no money") {
  stripe_subscriber s{shared_stripe(GENERATE(from_range(stores())))};
  const auto id = s.new_id();
  const auto answer = s.open(subscribing::checkout(id).set("trial_period_days", 14));
  REQUIRE(answer.status == 200);
  REQUIRE(s.on.stripe.click(json::parse(answer.body)["hosted_url"].text(), "pay").status == 303);
  CHECK(s.comes_to(id, "trialing"));
  REQUIRE(s.delivered("subscription.invoice_paid", 1));
  const auto reported = data_of(s.receiver, "subscription.invoice_paid").front();
  CHECK(reported["amount"] == 0);
  CHECK(reported["subscription_status"] == "trialing");
  CHECK(ledger_of(s.gateway, s.shop.id).empty());
  const auto invoice = "pay_" + s.on.stripe.events(s.connected, "invoice.paid").front()["data.object.id"].text();
  CHECK(s.platform.get(api::path(invoice), s.as()).status == 404);

  CHECK(s.on.stripe.move(s.seen(id)["provider_subscription_id"].text(), "cycle_paid") == "active");
  CHECK(s.delivered("subscription.invoice_paid", 2));
  CHECK(s.delivered("payment.succeeded", 1));
  CHECK(ledger_of(s.gateway, s.shop.id) == lines{"captured 1900"});
}

TEST_CASE("stripe: a cycle that failed for 1900 and of which 950 was credited is paid, and booked, with 950") {
  stripe_subscriber s{shared_stripe(GENERATE(from_range(stores())))};
  const auto id = s.new_id();
  const auto at_stripe = s.subscribed(id);
  CHECK(s.on.stripe.move(at_stripe, "cycle_failed") == "past_due");
  REQUIRE(s.delivered("subscription.invoice_failed", 1));
  CHECK(data_of(s.receiver, "subscription.invoice_failed").front()["amount"] == 1900);
  s.on.stripe.move(at_stripe, "credit", 950);
  CHECK(s.on.stripe.move(at_stripe, "cycle_paid") == "active");
  REQUIRE(s.delivered("subscription.invoice_paid", 2));
  lines amounts;
  for (const auto& each : data_of(s.receiver, "subscription.invoice_paid")) amounts.push_back(each["amount"].dump());
  std::ranges::sort(amounts);
  CHECK(amounts == lines{"1900", "950"});
  const auto cycle = cycle_payment(s.of_kind("capture").back());
  REQUIRE(eventually([&] { return s.payment(cycle)["state"] == "captured"; }));
  CHECK(s.payment(cycle)["captured_amount"] == 950);
  CHECK(s.payment(cycle)["amount"] == 950);
  CHECK(ledger_of(s.gateway, s.shop.id) == lines{"captured 950", "captured 1900", "failed 1900"});
  CHECK(summary_of(s.platform.post(api::path(cycle, "/refund"), R"({"amount":951})", s.as())).starts_with("422 "));
  CHECK(summary_of(s.platform.post(api::path(cycle, "/refund"), "", s.as())) == "200 refunded");
}

TEST_CASE("stripe: a prorated invoice is reported and booked with what it costs, for its own cycle") {
  stripe_subscriber s{shared_stripe(GENERATE(from_range(stores())))};
  const std::int64_t prorated = GENERATE(600, -600);
  const auto id = s.new_id();
  const auto at_stripe = s.subscribed(id);
  const auto begins = s.seen(id)["period_end"].text();
  s.on.stripe.move(at_stripe, "prorate", prorated);
  CHECK(s.on.stripe.move(at_stripe, "cycle_paid") == "active");
  REQUIRE(s.delivered("subscription.invoice_paid", 2));
  bool is_reported = false;
  for (const auto& each : data_of(s.receiver, "subscription.invoice_paid"))
    if (each["amount"] == 1900 + prorated) {
      is_reported = true;
      CHECK(each["period_start"] == begins);
    }
  CHECK(is_reported);
  const auto cycle = cycle_payment(s.of_kind("capture").back());
  REQUIRE(eventually([&] { return s.payment(cycle)["state"] == "captured"; }));
  CHECK(s.payment(cycle)["captured_amount"] == 1900 + prorated);
  CHECK(s.seen(id)["amount"] == 1900);
}

TEST_CASE("stripe: a cycle that needs its customer has the address of Stripe's page until it is paid") {
  stripe_subscriber s{shared_stripe(GENERATE(from_range(stores())))};
  const auto id = s.new_id();
  const auto at_stripe = s.subscribed(id);
  CHECK(s.on.stripe.move(at_stripe, "cycle_action") == "past_due");
  REQUIRE(s.delivered("subscription.invoice_failed", 1));
  const auto page = data_of(s.receiver, "subscription.invoice_failed").front()["hosted_url"].text();
  CHECK(page.starts_with("https://invoice.stripe.com/"));
  CHECK(eventually([&] { return s.seen(id)["hosted_url"] == page; }));
  CHECK(s.on.stripe.move(at_stripe, "cycle_paid") == "active");
  CHECK(eventually([&] { return !s.seen(id)["hosted_url"].present(); }));
  CHECK(s.comes_to(id, "active"));
}

TEST_CASE("stripe: an early fraud warning is applied, and changes nothing: the payment is as Stripe has it") {
  stripe_shop s{shared_stripe(GENERATE(from_range(stores())))};
  api merchant{s.on.gateway, s.account.test};
  const auto id = new_payment_id();
  REQUIRE(summary_of(merchant.post("/v1/payment_intents", stripe_payment(id).text())) == "200 authorized");
  REQUIRE(summary_of(merchant.capture(id)) == "200 captured");
  const auto before = merchant.payment(id).dump();
  s.on.stripe.act(
      object{}.set("payment_intent", merchant.payment(id)["provider.provider_ref"].text()).set("act", "warn"));
  const auto warnings = s.on.stripe.events(s.connected, "radar.early_fraud_warning.created");
  REQUIRE(warnings.size() == 1);
  const auto applied = [&] {
    const auto found = notifications(s.on.gateway, warnings.front()["id"].text());
    return found.size() == 1 && found.front()["state"] == "applied";
  };
  CHECK(eventually(applied));
  CHECK(merchant.payment(id).dump() == before);
}
