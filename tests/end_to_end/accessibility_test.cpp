// Checks every page with axe-core in headless Chromium: wide and light, narrow and dark. Screenshots of both are left
// in the work folder for inspection.
#include <catch2/catch.hpp>

#include "browser.hpp"
#include "landing_site.hpp"
#include "npm_package.hpp"
#include "paths.hpp"
#include "platform.hpp"
#include "text.hpp"

using namespace gateway::e2e;

namespace {

/// A platform, a merchant with an owner, and a browser with axe-core.
struct inspection {
  gateway_process gateway{gateway_options{}};
  landing_site site;
  merchant_account shop = new_merchant(gateway, {"Lantern Books", "standard", "ada@lantern.example"});
  browser eyes;
  std::string axe;

  explicit inspection(std::string axe_text) : axe(std::move(axe_text)) {
    add_person(gateway, shop.id, "ada@lantern.example");
    gateway.ctl({"platform", "create", "--name", "Shopfront", "--slug", "shopfront", "--contact", "a@shopfront.example",
                 "--redirect-uri", site.url("/callback")});
  }

  void look(const std::string& name) {
    for (const bool phone : {true, false}) {
      CAPTURE(name, phone);
      eyes.show_as(phone ? 390 : 1100, phone ? 844 : 900, phone);
      eyes.screenshot(work_folder() / ("page-" + name + (phone ? "-phone-dark.png" : ".png")));
      CHECK(eyes.accessibility_faults(axe) == std::vector<std::string>{});
    }
  }
  void check_page(const std::string& target, const std::string& name) {
    eyes.open(target.starts_with("https:") ? target : gateway.base_url() + target);
    look(name);
  }
  void sign_in(const std::string& email, std::string_view password = owner_password) {
    eyes.type("#email", email);
    eyes.type("#password", std::string{password});
    eyes.click("button[value=sign-in]");
  }
  std::string ask(const std::string& scopes) const {
    return "/connect/authorize?client_id=shopfront&state=s1&mode=test&scope=" + percent_encode(scopes) +
           "&redirect_uri=" + percent_encode(site.url("/callback"));
  }
  void press(const std::string& action) { eyes.click("button[value=" + action + "]"); }
};

void look_at_people(inspection& i) {
  i.check_page("/portal/sign-in", "sign-in");
  i.sign_in("ada@lantern.example", "not the password");
  i.look("sign-in-refused");
  const auto invited = i.gateway.ctl(
      {"merchant", "user", "invite", "--merchant", i.shop.id, "--email", "vic@lantern.example", "--role", "viewer"});
  i.check_page(invited["invitation_url"].text(), "invitation");
  i.check_page(invited["invitation_url"].text() + "A", "invitation-unusable");
}

void look_at_consent(inspection& i) {
  i.check_page("/connect/authorize?client_id=nobody", "authorize-fault");
  i.eyes.open(i.gateway.base_url() + i.ask("payments:read customers:read"));
  i.sign_in("ada@lantern.example");
  i.look("consent");
  i.press("connect");
  REQUIRE(i.eyes.arrives_at(i.site.url("/callback?code=")));
  i.check_page(i.ask("payments:read payments:write customers:write"), "consent-widening");
  const auto second = new_merchant(i.gateway, {"Second Shop"}), third = new_merchant(i.gateway, {"Third Shop"});
  add_person(i.gateway, second.id, "ada@lantern.example");
  add_person(i.gateway, third.id, "ada@lantern.example", "viewer");
  i.eyes.open(i.gateway.base_url() + i.ask("payments:read"));
  i.sign_in("ada@lantern.example");  // setting a password as an operator ends the session
  i.look("consent-several");
  i.check_page("/portal/account", "account");
  i.press("sign-out");
  add_person(i.gateway, i.shop.id, "vic@lantern.example", "viewer");
  i.eyes.open(i.gateway.base_url() + i.ask("payments:read"));
  i.sign_in("vic@lantern.example");
  i.look("consent-refused");
}

void look_at_setup(inspection& i) {
  set_connection(i.gateway, i.shop.id, "sandbox", "not_connected");
  api merchant{i.gateway, i.shop.test};
  const auto refused = merchant.create(server_payment(new_payment_id()));
  REQUIRE(summary_of(refused) == "422 {merchant_not_charge_capable}");
  const auto link = json::parse(refused.body)["error"]["setup_url"].text();
  i.eyes.open(i.gateway.base_url() + "/portal/account");
  i.press("sign-out");
  i.check_page(link, "setup-redeem");
  i.press("redeem");
  i.sign_in("ada@lantern.example");
  i.look("setup-providers");
  i.eyes.click("input[value=sandbox]");
  i.press("connect");
  i.look("setup-onboarding");
  i.press("finish");
  i.look("setup-done");
  i.check_page(link, "setup-unusable");
}

void look_at_checkout(inspection& i) {
  api merchant{i.gateway, i.shop.test};
  const auto answer = merchant.create(redirect_payment(new_payment_id()).set("description", "Two books"));
  REQUIRE(summary_of(answer) == "200 processing");
  const auto page = json::parse(answer.body)["provider.hosted_url"].text();
  i.check_page(page, "checkout");
  i.check_page(page + "?lang=zh-Hant", "checkout-chinese");
  i.check_page(page + "?lang=ur", "checkout-urdu");
  i.eyes.click("section form[novalidate] button");
  i.look("checkout-card-refused");
  i.eyes.open(page);
  i.press("decline");
  i.check_page(page, "checkout-declined");
  const auto challenge = merchant.create(server_payment(new_payment_id(), "pm_card_authenticationRequired"));
  i.check_page(json::parse(challenge.body)["provider.hosted_url"].text(), "challenge");
  i.press("pay");
  i.look("challenge-passed");
  i.check_page("/checkout/returned?payment_intent=pi_1", "returned");
}

/// Checks one page of each kind under /docs.
void look_at_documentation(inspection& i) {
  i.check_page("/docs", "docs");
  for (const auto* page :
       {"signing", "platforms", "errors", "reference", "reference-payments", "reference-shared", "nothing-here"})
    i.check_page(std::string{"/docs/"} + page, std::string{"docs-"} + page);
}

void look_at_subscription(inspection& i) {
  live_platform p{i.gateway};
  set_route(i.gateway, p.shop.id, "sandbox", "EUR", "card,recurring_card", "live");
  const auto answer = p.platform.post("/v1/subscription_checkouts",
                                      object{}
                                          .set("subscription_id", "box")
                                          .set("customer_ref", "reader-17")
                                          .set("amount", 1900)
                                          .set("currency", "EUR")
                                          .set("interval", "month")
                                          .set("trial_period_days", 14)
                                          .set("success_url", "https://shop.example/thanks")
                                          .set("cancel_url", "https://shop.example/back")
                                          .set("description", "The monthly box")
                                          .text(),
                                      p.as());
  REQUIRE(answer.status == 200);
  i.check_page(json::parse(answer.body)["hosted_url"].text(), "subscription");
}

/// The pages of a merchant that has payments of all kinds, a subscription and a customer.
void look_at_member_pages(inspection& i) {
  live_platform p{i.gateway};
  add_person(i.gateway, p.shop.id, "mia@lantern.example");
  set_route(i.gateway, p.shop.id, "sandbox", "EUR,HKD", "card,recurring_card", "live");
  api merchant{i.gateway, p.shop.live};
  const auto pay = [&](const std::string& token, const std::string& currency, const std::string& name) {
    const auto id = new_payment_id();
    merchant.create(server_payment(id, token)
                        .set("currency", currency)
                        .set("customer_name", name)
                        .set("customer_email", "reader@lantern.example")
                        .set("description", "Two maps of Lantau, and one atlas")
                        .set("metadata", object{}.set("order", "LB-1042")));
    return id;
  };
  for (const std::string currency : {"HKD", "EUR"}) {
    pay("pm_card_chargeDeclined", currency, "Eve Chan");
    pay("pm_card_chargeDeclinedInsufficientFunds", currency, "Someone With A Rather Long Name Of Many Parts");
  }
  const auto captured = pay("pm_card_visa", "HKD", "Ada Wong");
  REQUIRE(summary_of(merchant.capture(captured)) == "200 captured");
  REQUIRE(merchant.refund(captured, 1'000).status == 200);
  const auto declined = pay("pm_card_captureDeclined", "HKD", "Ada Wong");
  merchant.capture(declined);
  const auto waiting = new_payment_id();
  REQUIRE(summary_of(merchant.create(redirect_payment(waiting))) == "200 processing");
  const auto answer = p.platform.post("/v1/subscription_checkouts",
                                      object{}
                                          .set("subscription_id", "box")
                                          .set("customer_ref", "reader-17")
                                          .set("amount", 1900)
                                          .set("currency", "EUR")
                                          .set("interval", "month")
                                          .set("success_url", "https://shop.example/thanks")
                                          .set("cancel_url", "https://shop.example/back")
                                          .text(),
                                      p.as());
  REQUIRE(answer.status == 200);
  const auto page = [&](const std::string& what) { return "/portal/" + p.shop.id + "/live/" + what; };
  i.eyes.open(i.gateway.base_url() + "/portal/account");
  if (i.eyes.url().find("/portal/sign-in") == std::string::npos) i.press("sign-out");
  REQUIRE(i.eyes.arrives_at(i.gateway.base_url() + "/portal/sign-in"));
  i.sign_in("mia@lantern.example");
  REQUIRE(i.eyes.arrives_at(i.gateway.base_url() + page("")));
  i.look("member-overview");
  i.check_page(page("?days=90&currency=EUR"), "member-overview-90-days");
  i.check_page(page("payments"), "member-payments");
  i.check_page(page("payments?state=failed"), "member-payments-failed");
  i.check_page(page("payments?q=LB-1042"), "member-payments-searched");
  i.check_page(page("payments?q=nothing"), "member-payments-none");
  i.check_page(page("payments/" + captured), "member-payment-refunded");
  i.check_page(page("payments/" + declined), "member-payment-declined");
  i.check_page(page("payments/" + waiting), "member-payment-waiting");
  i.check_page(page("subscriptions"), "member-subscriptions");
  i.check_page(page("subscriptions/box"), "member-subscription-pending");
  i.eyes.open(json::parse(answer.body)["hosted_url"].text());
  i.press("pay");
  i.check_page(page("subscriptions/box"), "member-subscription");
  i.check_page(page("branding"), "member-branding");
  i.check_page(page("customers"), "member-customers");
  i.eyes.click("table.brief tbody th a");
  i.look("member-customer");
  i.check_page("/portal/" + p.shop.id + "/test/subscriptions", "member-subscriptions-test");
}

}  // namespace

TEST_CASE("axe finds nothing on any page, light or dark, wide or narrow") {
  std::string why;
  auto axe = axe_core(why);
  if (axe.empty()) {
    WARN("NOT RUN: the npm package axe-core cannot be installed: " << why);
    return;
  }
  inspection i{std::move(axe)};
  look_at_people(i);
  look_at_consent(i);
  look_at_setup(i);
  look_at_checkout(i);
  look_at_documentation(i);
  look_at_subscription(i);
  look_at_member_pages(i);
}
