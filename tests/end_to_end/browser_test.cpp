// A customer with a real browser: headless Chromium on the hosted page, and back at the shop.
#include <catch2/catch.hpp>

#include "browser.hpp"
#include "landing_site.hpp"
#include "merchant.hpp"
#include "paths.hpp"

using namespace gateway::e2e;

namespace {

struct checkout {
  gateway_process& gateway = shared_gateway(store_kind::sqlite);
  merchant_account account = new_merchant(gateway);
  api merchant{gateway, account.test};
  landing_site shop;
  browser customer;
  std::string id = new_payment_id();

  void open() {
    const auto answer = merchant.create(redirect_payment(id)
                                            .set("description", "Two books")
                                            .set("success_url", shop.url("/thanks?order=1001"))
                                            .set("cancel_url", shop.url("/basket")));
    REQUIRE(summary_of(answer) == "200 processing");
    customer.open(json::parse(answer.body)["provider.hosted_url"].text());
  }
};

}  // namespace

TEST_CASE("a customer clicks Pay in a browser, lands on success_url, and the payment is captured") {
  checkout c;
  c.open();
  const auto seen = c.customer.text_of("body");
  CHECK(seen.find("42.00") != std::string::npos);
  CHECK(seen.find("Two books") != std::string::npos);
  CHECK(seen.find("Lantern Books") != std::string::npos);
  c.customer.screenshot(work_folder() / "hosted-page.png");

  c.customer.click("button[value=pay]");
  CHECK(c.customer.arrives_at(c.shop.url("/thanks?order=1001")));
  c.customer.screenshot(work_folder() / "hosted-page-paid.png");
  CHECK(c.customer.text_of("h1") == "You are at /thanks");
  CHECK(c.merchant.state_of(c.id) == "captured");
}

TEST_CASE("a customer clicks Decline in a browser and lands on cancel_url") {
  checkout c;
  c.open();
  c.customer.click("button[value=decline]");
  CHECK(c.customer.arrives_at(c.shop.url("/basket")));
  c.customer.screenshot(work_folder() / "hosted-page-declined.png");
  CHECK(c.merchant.state_of(c.id) == "failed");
}

TEST_CASE("a customer clicks Cancel in a browser, comes back and pays") {
  checkout c;
  c.open();
  const auto page = c.customer.url();
  c.customer.click("button[value=cancel]");
  REQUIRE(c.customer.arrives_at(c.shop.url("/basket")));
  CHECK(c.merchant.state_of(c.id) == "processing");
  c.customer.open(page);
  c.customer.click("button[value=pay]");
  CHECK(c.customer.arrives_at(c.shop.url("/thanks")));
  CHECK(c.merchant.state_of(c.id) == "captured");
}

TEST_CASE("a customer passes a challenge in a browser") {
  checkout c;
  const auto answer = c.merchant.create(server_payment(c.id, "pm_card_authenticationRequired"));
  REQUIRE(summary_of(answer) == "200 processing");
  c.customer.open(json::parse(answer.body)["provider.hosted_url"].text());
  c.customer.screenshot(work_folder() / "challenge-page.png");
  c.customer.click("button[value=pay]");
  CHECK(eventually([&] { return c.merchant.state_of(c.id) == "authorized"; }));
  c.customer.screenshot(work_folder() / "challenge-page-passed.png");
}
