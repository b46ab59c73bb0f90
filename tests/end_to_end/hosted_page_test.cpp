// The hosted pages over HTTP: what the customer sees, what each button does, and what a forger cannot do.
#include <catch2/catch.hpp>

#include <algorithm>
#include <regex>

#include "hosted_page.hpp"
#include "merchant.hpp"

using namespace gateway::e2e;

namespace {

struct shop {
  gateway_process& gateway;
  merchant_account account;
  api merchant;
  explicit shop(store_kind store)
      : gateway{shared_gateway(store)},
        account{new_merchant(gateway, {"Lantern & Sons", "standard", "", false})},
        merchant{gateway, account.test} {}

  std::string open(const object& payment) {
    const auto answer = merchant.create(payment);
    REQUIRE(summary_of(answer) == "200 processing");
    const auto provider = json::parse(answer.body)["provider"];
    CHECK(provider["status"] == "pending");
    CHECK_FALSE(provider["provider_ref"].text().empty());
    const auto url = provider["hosted_url"].text();
    CHECK(url.starts_with(gateway.base_url() + "/"));
    return url;
  }
  hosted_page page(const std::string& url) { return {gateway, url}; }
};

constexpr const char* thanks = "https://shop.example/thanks";
constexpr const char* basket = "https://shop.example/basket";

/// The value that a Content-Security-Policy gives to a directive.
std::string directive(const reply& answer, const std::string& name) {
  const auto policy = answer.header("Content-Security-Policy").value_or("");
  const auto at = policy.find(name + ' ');
  return at == std::string::npos ? "" : policy.substr(at, policy.find(';', at) - at);
}

}  // namespace

TEST_CASE("the page shows the amount, the description and the merchant, and offers to pay, to decline and to cancel") {
  shop s{GENERATE(from_range(stores()))};
  const auto page =
      s.page(s.open(redirect_payment(new_payment_id()).set("description", "Two \"books\" & <b>more</b>")));
  CHECK(page.answer().status == 200);
  CHECK(page.answer().header("Content-Type").value_or("").starts_with("text/html"));
  CHECK(page.answer().header("Cache-Control") == "no-store");
  CHECK(page.html().find("42.00") != std::string::npos);
  CHECK(page.html().find("HKD") != std::string::npos);
  CHECK(page.html().find("Lantern & Sons") != std::string::npos);
  CHECK(page.html().find("Two \"books\" & <b>more</b>") != std::string::npos);
  CHECK(page.answer().body.find("<b>more</b>") == std::string::npos);
  CHECK_FALSE(page.csrf().empty());
  for (const std::string action : {"pay", "decline", "cancel"}) CHECK(std::ranges::count(page.actions(), action) == 1);
}

TEST_CASE("the page cannot be framed, and its form leads to the gateway and back to the shop only") {
  shop s{store_kind::sqlite};
  const auto page =
      s.page(s.open(redirect_payment(new_payment_id()).set("cancel_url", "https://basket.shop.example/x")));
  const auto form_action = directive(page.answer(), "form-action");
  CHECK(form_action.find("'self'") != std::string::npos);
  CHECK(form_action.find("https://shop.example") != std::string::npos);
  CHECK(form_action.find("https://basket.shop.example") != std::string::npos);
  CHECK_FALSE(directive(page.answer(), "default-src").empty());
  CHECK(page.answer().header("X-Content-Type-Options") == "nosniff");
  CHECK(page.answer().header("Referrer-Policy").has_value());
  const auto cookie = page.answer().header("Set-Cookie").value_or("");
  if (!cookie.empty())
    for (const std::string attribute : {"Secure", "HttpOnly", "SameSite"})
      CHECK(cookie.find(attribute) != std::string::npos);
}

TEST_CASE("amounts are shown with the digits of their currency") {
  shop s{store_kind::sqlite};
  const auto shown = [&](const char* currency, std::int64_t amount) {
    return s.page(s.open(redirect_payment(new_payment_id(), currency).set("amount", amount))).html();
  };
  CHECK(std::regex_search(shown("JPY", 4200), std::regex{"4,?200\\b"}));
  CHECK(shown("JPY", 4200).find("42.00") == std::string::npos);
  CHECK(shown("KWD", 4200).find("4.200") != std::string::npos);
  CHECK(shown("USD", 5).find("0.05") != std::string::npos);
}

TEST_CASE("paying captures the payment and returns the customer to success_url") {
  shop s{GENERATE(from_range(stores()))};
  for (const std::string flow : {"redirect", "embedded"}) {
    CAPTURE(flow);
    const auto id = new_payment_id();
    const auto answer = s.page(s.open(redirect_payment(id).set("flow", flow))).act("pay");
    CHECK(answer.status == 303);
    CHECK(answer.header("Location") == thanks);
    CHECK(s.merchant.state_of(id) == "captured");
    CHECK(history(s.merchant.timeline(id)) == std::vector<std::string>{"attempt hosted_session pending",
                                                                       "attempt charge approved",
                                                                       "event payment.captured published"});
    CHECK(summary_of(s.merchant.refund(id)) == "200 refunded");
  }
}

TEST_CASE("declining fails the payment and returns the customer to cancel_url") {
  shop s{GENERATE(from_range(stores()))};
  const auto id = new_payment_id();
  const auto answer = s.page(s.open(redirect_payment(id))).act("decline");
  CHECK(answer.status == 303);
  CHECK(answer.header("Location") == basket);
  const auto view = s.merchant.payment(id);
  CHECK(view["state"] == "failed");
  CHECK(view["provider.status"] == "declined");
  CHECK(view["provider.error.code"] == "card_declined");
  CHECK_FALSE(view["provider.hosted_url"].present());
  const auto lines = history(s.merchant.timeline(id));
  CHECK(std::ranges::count(lines, "event payment.failed published") == 1);
}

TEST_CASE("cancelling leaves the payment open: the customer may come back and pay") {
  shop s{GENERATE(from_range(stores()))};
  const auto id = new_payment_id();
  const auto url = s.open(redirect_payment(id));
  const auto answer = s.page(url).act("cancel");
  CHECK(answer.status == 303);
  CHECK(answer.header("Location") == basket);
  CHECK(s.merchant.state_of(id) == "processing");
  CHECK(s.page(url).act("pay").status == 303);
  CHECK(s.merchant.state_of(id) == "captured");
}

TEST_CASE("a page accepts one outcome: afterwards it shows that outcome and its form does nothing") {
  shop s{GENERATE(from_range(stores()))};
  const auto id = new_payment_id();
  const auto url = s.open(redirect_payment(id));
  auto first = s.page(url), second = s.page(url);
  REQUIRE(first.act("pay").status == 303);
  const auto late = second.act("decline");
  CHECK(late.status < 500);
  CHECK(s.merchant.state_of(id) == "captured");
  const auto after = s.page(url);
  CHECK(after.answer().status < 500);
  CHECK(after.actions().empty());
  const auto lines = history(s.merchant.timeline(id));
  CHECK(std::ranges::count(lines, "event payment.captured published") == 1);
}

TEST_CASE("two concurrent clicks count as one") {
  shop s{GENERATE(from_range(stores()))};
  const auto id = new_payment_id();
  const auto url = s.open(redirect_payment(id));
  auto first = s.page(url), second = s.page(url);
  std::thread one{[&] { first.act("pay"); }}, other{[&] { second.act("pay"); }};
  one.join();
  other.join();
  CHECK(history(s.merchant.timeline(id)) == std::vector<std::string>{"attempt hosted_session pending",
                                                                     "attempt charge approved",
                                                                     "event payment.captured published"});
}

TEST_CASE("a checkout that the shop cancels can no longer be paid") {
  shop s{GENERATE(from_range(stores()))};
  const auto id = new_payment_id(), paid = new_payment_id();
  const auto url = s.open(redirect_payment(id));
  auto page = s.page(url);
  const call cancelling{new_uuid(), {}};
  const auto cancelled = s.merchant.cancel(id, R"({"reason":"out of stock"})", cancelling);
  CHECK(summary_of(cancelled) == "200 failed");
  CHECK(json::parse(cancelled.body)["provider.error.code"] == "checkout_cancelled");
  CHECK(s.merchant.cancel(id, R"({"reason":"out of stock"})", cancelling).body == cancelled.body);
  CHECK(summary_of(s.merchant.cancel(id)) == "200 failed");

  CHECK(page.act("pay").status == 410);
  CHECK(s.page(url).answer().status == 410);
  CHECK(s.merchant.state_of(id) == "failed");
  CHECK(history(s.merchant.timeline(id)) == std::vector<std::string>{"attempt hosted_session pending",
                                                                     "attempt cancel approved",
                                                                     "event payment.failed published"});

  CHECK(s.page(s.open(redirect_payment(paid))).act("pay").status == 303);
  CHECK(summary_of(s.merchant.cancel(paid)) == "409 payment not cancellable in current state");
  CHECK(s.merchant.state_of(paid) == "captured");
}

TEST_CASE("without the page's own token a form changes nothing") {
  shop s{GENERATE(from_range(stores()))};
  const auto id = new_payment_id();
  const auto url = s.open(redirect_payment(id));
  const auto foreign = s.page(s.open(redirect_payment(new_payment_id())));
  auto page = s.page(url);
  const auto genuine = "csrf=" + percent_encode(page.csrf());
  for (const std::string& form :
       {std::string{}, std::string{"action=pay"}, std::string{"action=dance"}, std::string{"action=pay&csrf="},
        "action=pay&csrf=" + percent_encode(foreign.csrf()), "action=pay&csrf=" + std::string(64, 'a'),
        "action=pay&" + genuine + "&" + genuine, "action=dance&" + genuine + "&csrf="}) {
    CAPTURE(form);
    CHECK(page.submit(form, true).status == 403);
    CHECK(page.submit(form, false).status == 403);
    CHECK(s.merchant.state_of(id) == "processing");
  }
  // Shorter than an earlier body on this connection: no part of that body may be reused.
  CHECK(page.act("cancel").status == 303);
  CHECK(page.submit("action=cancel&csrf=", true).status == 403);
  const auto odd = page.submit("action=dance&csrf=" + percent_encode(page.csrf()), true);
  CHECK(odd.status == 400);
  CHECK(s.merchant.state_of(id) == "processing");
  CHECK(page.act("pay").status == 303);
}

TEST_CASE("a page whose link was altered is not found") {
  shop s{store_kind::sqlite};
  const auto url = s.open(redirect_payment(new_payment_id()));
  auto altered = url;
  auto& last = altered.back();
  last = last == 'A' ? 'B' : 'A';
  CHECK(s.page(altered).answer().status == 404);
  CHECK(s.page(url + "x").answer().status == 404);
  CHECK(s.page(s.gateway.base_url() + "/sandbox/checkout/nonsense").answer().status == 404);
}

TEST_CASE("a challenge that the customer passes authorizes the payment, and a failed one fails it") {
  shop s{GENERATE(from_range(stores()))};
  const auto passed = new_payment_id(), failed = new_payment_id();
  auto page = s.page(s.open(server_payment(passed, "pm_card_authenticationRequired")));
  CHECK(std::ranges::count(page.actions(), "pay") == 1);
  CHECK(std::ranges::count(page.actions(), "decline") == 1);
  CHECK(page.html().find("Approve") != std::string::npos);
  const auto approved = page.act("pay");
  CHECK((approved.status == 200 || approved.status == 303));
  CHECK(s.merchant.state_of(passed) == "authorized");
  CHECK(history(s.merchant.timeline(passed)) ==
        std::vector<std::string>{"attempt authorize pending", "attempt authorize approved"});
  CHECK(summary_of(s.merchant.capture(passed)) == "200 captured");

  const auto refused = s.page(s.open(server_payment(failed, "pm_card_authenticationRequired"))).act("decline");
  CHECK((refused.status == 200 || refused.status == 303));
  const auto view = s.merchant.payment(failed);
  CHECK(view["state"] == "failed");
  CHECK_FALSE(view["provider.error.code"].text().empty());
}

TEST_CASE("an abandoned checkout fails with checkout_expired") {
  gateway_options options;
  options.store = GENERATE(from_range(stores()));
  options.arguments = {"--hosted-expiry=1s", "--reconcile-interval=100ms"};
  gateway_process gateway{options};
  const auto cards = new_merchant(gateway), wallet = new_merchant(gateway, {"Bazaar", "wallet", "", false});
  api merchant{gateway, cards.test}, bazaar{gateway, wallet.test};
  const auto id = new_payment_id(), challenge = new_payment_id(), neutral = new_payment_id();
  const auto url = json::parse(merchant.create(redirect_payment(id)).body)["provider.hosted_url"].text();
  REQUIRE(summary_of(merchant.create(server_payment(challenge, "pm_card_authenticationRequired"))) == "200 processing");
  REQUIRE(summary_of(bazaar.create(redirect_payment(neutral, "PKR"))) == "200 processing");

  CHECK(eventually([&] {
    return merchant.state_of(id) == "failed" && merchant.state_of(challenge) == "failed" &&
           bazaar.state_of(neutral) == "failed";
  }));
  CHECK(merchant.payment(id)["provider.error.code"] == "checkout_expired");
  CHECK(bazaar.payment(neutral)["provider.error.code"] == "PAYMENT_EXPIRED");
  const auto lines = history(merchant.timeline(id));
  CHECK(std::ranges::count(lines, "event payment.failed published") == 1);
  CHECK(hosted_page{gateway, url}.actions().empty());
}

TEST_CASE("a checkout that was open when the gateway crashed can still be paid") {
  gateway_options options;
  options.store = GENERATE(from_range(stores()));
  gateway_process gateway{options};
  const auto account = new_merchant(gateway);
  const auto id = new_payment_id();
  api before{gateway, account.test};
  const auto url = json::parse(before.create(redirect_payment(id)).body)["provider.hosted_url"].text();
  gateway.kill();
  gateway.start();
  hosted_page page{gateway, url};
  CHECK(page.act("pay").status == 303);
  CHECK(api{gateway, account.test}.state_of(id) == "captured");
}
