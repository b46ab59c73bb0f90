// Payments on Stripe's hosted page: paid, declined and tried again, left, expired; with and without notifications.
#include <catch2/catch.hpp>

#include "stripe_fixture.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;

namespace {

struct hosted {
  std::string id = new_payment_id();
  std::string page;

  explicit hosted(stripe_shop& s, const std::string& flow = "redirect") {
    const auto answer = s.merchant.create(redirect_payment(id, "USD").set("flow", flow));
    REQUIRE(summary_of(answer) == "200 processing");
    const auto provider = json::parse(answer.body)["provider"];
    CHECK(provider["status"] == "pending");
    page = provider["hosted_url"].text();
    REQUIRE(page.starts_with(s.on.stripe.url()));
  }
};

}  // namespace

TEST_CASE(
    "stripe: a payment is paid on the hosted page, captured within seconds, announced by webhook, and refundable") {
  stripe_shop s{shared_stripe(GENERATE(from_range(stores())))};
  webhook_receiver receiver;
  set_destination(s.on.gateway, s.account, receiver.url());
  const hosted one{s, GENERATE("redirect", "embedded")};
  CHECK(s.merchant.state_of(one.id) == "processing");
  const auto back = s.on.stripe.click(one.page, "pay");
  CHECK(back.status == 303);
  CHECK(back.header("Location").value_or("").starts_with("https://shop.example/thanks"));
  CHECK(s.comes_to(one.id, "captured"));
  CHECK(receiver.wait_for("payment.captured", one.id).envelope()["data.amount"] == 4200);
  CHECK(summary_of(s.merchant.refund(one.id, 1200)) == "200 partially_refunded");
  CHECK(summary_of(s.merchant.refund(one.id)) == "200 refunded");
  CHECK(s.moves() == lines{"capture 4200 usd", "refund 1200 usd", "refund 3000 usd"});
}

TEST_CASE("stripe: a customer who is declined on the page may try again there, and pays once") {
  stripe_shop s{shared_stripe(GENERATE(from_range(stores())))};
  const hosted one{s};
  CHECK(s.on.stripe.click(one.page, "decline").status == 200);
  CHECK(s.on.stripe.click(one.page, "pay", "pm_card_chargeDeclinedInsufficientFunds").status == 200);
  // The notification has arrived meanwhile, and the payment still waits.
  CHECK(eventually([&] { return s.on.stripe.events(s.connected, "payment_intent.payment_failed").size() == 2; }));
  std::this_thread::sleep_for(1s);
  CHECK(s.merchant.state_of(one.id) == "processing");
  CHECK(s.on.stripe.click(one.page, "pay").status == 303);
  CHECK(s.comes_to(one.id, "captured"));
  CHECK(s.on.stripe.click(one.page, "pay").status == 410);
  CHECK(s.moves() == lines{"capture 4200 usd"});
}

TEST_CASE("stripe: a customer who goes back to the shop leaves the payment open") {
  stripe_shop s{shared_stripe(store_kind::sqlite)};
  const hosted one{s};
  CHECK(s.on.stripe.click(one.page, "back").header("Location") == "https://shop.example/basket");
  CHECK(s.merchant.state_of(one.id) == "processing");
  CHECK(s.on.stripe.click(one.page, "pay").status == 303);
  CHECK(s.comes_to(one.id, "captured"));
}

TEST_CASE("stripe: the hosted page's customer is saved, and charged again") {
  stripe_platform p{shared_stripe(store_kind::sqlite)};
  const auto ref = "ref-" + new_uuid();
  const auto id = new_payment_id();
  const auto answer =
      p.create(redirect_payment(id, "USD").set("customer_ref", ref).set("setup_future_usage", "off_session"));
  REQUIRE(summary_of(answer) == "200 processing");
  CHECK(p.on.stripe.click(json::parse(answer.body)["provider.hosted_url"].text(), "pay").status == 303);
  CHECK(eventually([&] { return p.payment(id)["state"] == "captured"; }));
  REQUIRE(p.methods(ref).size() == 1);
  const auto charged = p.charge(object{}
                                    .set("payment_id", new_payment_id())
                                    .set("amount", 700)
                                    .set("currency", "USD")
                                    .set("customer_ref", ref)
                                    .set("payment_method_id", p.methods(ref).front()));
  CHECK(json::parse(charged.body)["status"] == "succeeded");
}

TEST_CASE("stripe: when all notifications are lost, the payment is found by asking") {
  stripe_stage on{GENERATE(from_range(stores())), {"--hosted-expiry=6s"}};
  on.stripe.notifies(on.gateway, object{}.set("lose", 1));
  stripe_shop s{on};
  const hosted one{s};
  CHECK(s.on.stripe.click(one.page, "pay").status == 303);
  CHECK(s.comes_to(one.id, "captured", hang_timeout));
  CHECK(s.moves() == lines{"capture 4200 usd"});
  CHECK(notifications(on.gateway).empty());
}

TEST_CASE("stripe: an abandoned payment expires, and can no longer be paid") {
  stripe_stage on{GENERATE(from_range(stores())), {"--hosted-expiry=3s"}};
  stripe_shop s{on};
  const hosted one{s};
  REQUIRE(s.comes_to(one.id, "failed"));
  CHECK(s.merchant.payment(one.id)["provider.error.code"] == "checkout_expired");
  CHECK(s.on.stripe.click(one.page, "pay").status == 410);
  CHECK(s.moves().empty());
}

TEST_CASE("stripe: a payment in the last moment is either paid or expired") {
  stripe_stage on{store_kind::sqlite, {"--hosted-expiry=2s"}};
  stripe_shop s{on};
  std::vector<hosted> all;
  for (int i = 0; i < 12; ++i) {
    all.emplace_back(s);
    std::this_thread::sleep_for(80ms);
  }
  std::this_thread::sleep_for(1s);
  std::vector<int> reported;
  for (const auto& one : all) reported.push_back(on.stripe.click(one.page, "pay").status);
  std::size_t paid = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    CAPTURE(i, reported[i]);
    CHECK(s.comes_to(all[i].id, reported[i] == 303 ? "captured" : "failed"));
    paid += reported[i] == 303;
  }
  CHECK(s.moves().size() == paid);
}
