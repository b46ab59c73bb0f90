// The PKR wallet entity: its answers name no provider, and its errors are neutral.
#include <catch2/catch.hpp>

#include "hosted_page.hpp"
#include "merchant.hpp"

using namespace gateway::e2e;

namespace {

struct wallet_shop {
  gateway_process& gateway;
  merchant_account account;
  api merchant;
  explicit wallet_shop(store_kind store)
      : gateway{shared_gateway(store)},
        account{new_merchant(gateway, {"Bazaar", "wallet", "", false})},
        merchant{gateway, account.test} {}

  json open(const std::string& id, const std::string& flow = "redirect") {
    const auto answer =
        merchant.create(redirect_payment(id, "PKR").set("flow", flow).set("payment_method_type", "pkr_wallet"));
    REQUIRE(summary_of(answer) == "200 processing");
    return json::parse(answer.body);
  }
};

void names_no_provider(const reply& answer) {
  CAPTURE(answer.body);
  const auto body = json::parse(answer.body);
  CHECK_FALSE(body["provider.provider"].present());
  CHECK_FALSE(body["provider.provider_ref"].present());
  CHECK(answer.body.find("sandbox_wallet") == std::string::npos);
}

}  // namespace

TEST_CASE("a wallet payment is opened, paid and reported without naming its provider") {
  wallet_shop s{GENERATE(from_range(stores()))};
  for (const std::string flow : {"redirect", "embedded"}) {
    CAPTURE(flow);
    const auto id = new_payment_id();
    const auto created = s.open(id, flow);
    CHECK(created["provider.status"] == "pending");
    CHECK(created["provider"].names() == std::vector<std::string>{"status", "hosted_url"});
    names_no_provider(s.merchant.view(id));

    hosted_page page{s.gateway, created["provider.hosted_url"].text()};
    CHECK(page.act("pay").status == 303);
    const auto view = s.merchant.view(id);
    CHECK(summary_of(view) == "200 captured");
    names_no_provider(view);

    const auto timeline = s.merchant.timeline(id);
    CHECK(history(timeline) == std::vector<std::string>{"attempt hosted_session pending", "attempt charge approved",
                                                        "event payment.captured published"});
    const auto told_history = json::parse(timeline.body);
    for (const auto& entry : told_history["timeline"].items()) CHECK_FALSE(entry["provider"].present());
    CHECK(timeline.body.find("sandbox") == std::string::npos);
  }
}

TEST_CASE("a declined wallet payment has a neutral error, and a timeline without the provider's own words") {
  wallet_shop s{GENERATE(from_range(stores()))};
  const auto id = new_payment_id();
  hosted_page page{s.gateway, s.open(id)["provider.hosted_url"].text()};
  CHECK(page.act("decline").status == 303);
  const auto view = s.merchant.view(id);
  CHECK(summary_of(view) == "200 failed");
  names_no_provider(view);
  const auto error = json::parse(view.body)["provider.error"];
  CHECK(error["code"] == "PAYMENT_DECLINED");
  CHECK_FALSE(error["message"].text().empty());
  CHECK(error["retryable"].present());
  const auto timeline = s.merchant.timeline(id);
  CHECK(timeline.body.find("card_declined") == std::string::npos);
  const auto told_history = json::parse(timeline.body);
  for (const auto& entry : told_history["timeline"].items()) {
    CHECK_FALSE(entry["provider"].present());
    CHECK(entry["error_code"].text().empty());
    CHECK(entry["message"].text().empty());
  }
}

TEST_CASE("a wallet entity is routed to the wallet without the selector, too") {
  wallet_shop s{GENERATE(from_range(stores()))};
  const auto answer = s.merchant.create(redirect_payment(new_payment_id(), "PKR"));
  CHECK(summary_of(answer) == "200 processing");
  names_no_provider(answer);
}

TEST_CASE("the wallet takes PKR in hosted flows only") {
  wallet_shop s{GENERATE(from_range(stores()))};
  CHECK(summary_of(s.merchant.create(redirect_payment(new_payment_id(), "HKD"))) == "400 currency_not_supported");
  CHECK(summary_of(
            s.merchant.create(redirect_payment(new_payment_id(), "USD").set("payment_method_type", "pkr_wallet"))) ==
        "400 currency_not_supported");
  CHECK(summary_of(s.merchant.create(server_payment(new_payment_id()).set("currency", "PKR"))) ==
        "422 {ROUTING_NO_ELIGIBLE_PROVIDER}");
  CHECK(summary_of(s.merchant.create(
            server_payment(new_payment_id()).set("currency", "PKR").set("payment_method_type", "pkr_wallet"))) ==
        "400 invalid_request");
}

TEST_CASE("the wallet captures at authorization and has no refunds") {
  wallet_shop s{GENERATE(from_range(stores()))};
  const auto id = new_payment_id();
  const auto created = s.open(id);
  CHECK(summary_of(s.merchant.capture(id)) == "422 {provider_operation_unsupported}");
  CHECK(summary_of(s.merchant.void_payment(id)) == "422 {provider_operation_unsupported}");
  CHECK(summary_of(s.merchant.refund(id)) == "409 payment not refundable in current state");
  hosted_page{s.gateway, created["provider.hosted_url"].text()}.act("pay");
  CHECK(summary_of(s.merchant.capture(id)) == "200 captured");
  CHECK(summary_of(s.merchant.void_payment(id)) == "409 payment not voidable in current state");
  const auto refund = s.merchant.refund(id, 100);
  CHECK(summary_of(refund) == "502 refund not supported by configured provider");
  names_no_provider(refund);
  CHECK(s.merchant.payment(id)["refunded_total"] == 0);
}

TEST_CASE("another entity cannot select the wallet") {
  auto& gateway = shared_gateway(store_kind::sqlite);
  api merchant{gateway, new_merchant(gateway).test};
  CHECK(
      summary_of(merchant.create(redirect_payment(new_payment_id(), "PKR").set("payment_method_type", "pkr_wallet"))) ==
      "422 {wallet_not_available}");
}

TEST_CASE("a refusal to a wallet entity that cannot charge lists no providers") {
  wallet_shop s{GENERATE(from_range(stores()))};
  set_connection(s.gateway, s.account.id, "sandbox_wallet", "in_progress");
  const auto answer = s.merchant.create(redirect_payment(new_payment_id(), "PKR"));
  CHECK(summary_of(answer) == "422 {merchant_not_charge_capable}");
  const auto error = json::parse(answer.body)["error"];
  CHECK(error["providers"].is_array());
  CHECK(error["providers"].size() == 0);
}
