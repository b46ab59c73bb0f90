// A customer with a real browser: headless Chromium on the hosted page, and back at the shop.
#include <catch2/catch.hpp>

#include <fstream>

#include "../png_file.hpp"
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

TEST_CASE("a card is declined in a browser, another one pays, and the page says so when the customer comes back") {
  checkout c;
  c.open();
  const auto page = c.customer.url();
  const auto pay_with = [&](const std::string& number) {
    c.customer.type("#card_number", number);
    c.customer.type("#card_expiry", "12/35");
    c.customer.type("#card_cvc", "123");
    c.customer.click("section form[novalidate] button");
  };
  pay_with("4000000000000002");
  CHECK(c.customer.text_of("#card_number-fault").find("declined") != std::string::npos);
  c.customer.screenshot(work_folder() / "hosted-page-card-declined.png");
  CHECK(c.merchant.state_of(c.id) == "processing");
  c.customer.open(page);
  pay_with("4242424242424242");
  CHECK(c.customer.arrives_at(c.shop.url("/thanks?order=1001")));
  CHECK(c.merchant.state_of(c.id) == "captured");

  c.customer.open(page);
  const auto seen = c.customer.text_of("main");
  CHECK(seen.find("You have paid HKD 42.00") != std::string::npos);
  c.customer.screenshot(work_folder() / "hosted-page-paid-already.png");
  c.customer.click("main a.button");
  CHECK(c.customer.arrives_at(c.shop.url("/thanks?order=1001")));
}

TEST_CASE("a customer reads the page in Urdu by a link, and pays there") {
  checkout c;
  c.open();
  c.customer.click("footer a[hreflang=ur]");
  CHECK(c.customer.text_of("h1") == "اپنی ادائیگی مکمل کریں");
  c.customer.show_as(390, 1200, true);
  c.customer.screenshot(work_folder() / "hosted-page-urdu-phone-dark.png");
  c.customer.click("button[value=pay]");
  CHECK(c.customer.arrives_at(c.shop.url("/thanks")));
  CHECK(c.merchant.state_of(c.id) == "captured");
}

TEST_CASE("a customer sees the branding that an operator has set, and the browser shows the logo") {
  checkout c;
  const auto logo = work_folder() / "logo.png";
  std::ofstream{logo, std::ios::binary} << gateway::testing::png_file{}.text();
  c.gateway.ctl({"merchant", "branding", "--merchant", c.account.id, "--shop-name", "The Lantern", "--colour",
                 "#0a7d4f", "--support", "help@lantern.example", "--logo", logo.string()});
  c.open();
  const auto seen = c.customer.text_of("body");
  CHECK(seen.find("The Lantern") != std::string::npos);
  CHECK(seen.find("help@lantern.example") != std::string::npos);
  c.customer.screenshot(work_folder() / "hosted-page-branded.png");
  const auto picture = c.gateway.connect().send({"GET", "/checkout/logo/" + c.account.id, {}, {}});
  CHECK(picture.status == 200);
  CHECK(picture.header("Content-Type") == "image/png");
  CHECK(picture.body == gateway::testing::png_file{}.text());
  c.gateway.ctl({"merchant", "branding", "--merchant", c.account.id, "--logo", ""});
  CHECK(c.gateway.connect().send({"GET", "/checkout/logo/" + c.account.id, {}, {}}).status == 404);
}
