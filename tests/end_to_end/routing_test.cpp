// The provider of a payment: chosen by the merchant's connections and routes, in the order in which the routes were
// set.
#include <catch2/catch.hpp>

#include "merchant.hpp"

using namespace gateway::e2e;

namespace {

struct shop {
  gateway_process& gateway;
  merchant_account account;
  api merchant;
  explicit shop(store_kind store)
      : gateway{shared_gateway(store)}, account{new_merchant(gateway)}, merchant{gateway, account.test} {}

  std::string provider_of(const object& payment) {
    const auto answer = merchant.create(payment);
    return answer.status == 200 ? json::parse(answer.body)["provider.provider"].text() : summary_of(answer);
  }
};

}  // namespace

TEST_CASE("a new merchant's test mode takes cards in every currency") {
  shop s{GENERATE(from_range(stores()))};
  for (const auto* currency : {"HKD", "USD", "EUR", "JPY", "KWD", "PKR"})
    CHECK(s.provider_of(server_payment(new_payment_id()).set("currency", currency)) == "sandbox");
  CHECK(s.provider_of(redirect_payment(new_payment_id(), "USD")) == "sandbox");
}

TEST_CASE("routes are tried in the order they were first set, and a replaced route keeps its place") {
  shop s{GENERATE(from_range(stores()))};
  set_connection(s.gateway, s.account.id, "sandbox_hosted", "connected");
  set_route(s.gateway, s.account.id, "sandbox_hosted", "HKD", "card");
  CHECK(s.provider_of(redirect_payment(new_payment_id())) == "sandbox");

  set_route(s.gateway, s.account.id, "sandbox", "HKD,USD", "card");
  CHECK(s.provider_of(redirect_payment(new_payment_id())) == "sandbox");

  // The first route no longer takes the payment, or is not connected any more: the next one does.
  set_route(s.gateway, s.account.id, "sandbox", "USD", "card");
  CHECK(s.provider_of(redirect_payment(new_payment_id())) == "sandbox_hosted");
  set_route(s.gateway, s.account.id, "sandbox", "HKD,USD", "card");
  CHECK(s.provider_of(redirect_payment(new_payment_id())) == "sandbox");
  set_connection(s.gateway, s.account.id, "sandbox", "unavailable");
  CHECK(s.provider_of(redirect_payment(new_payment_id())) == "sandbox_hosted");
}

TEST_CASE("the hosted card route takes HKD redirects only in test") {
  shop s{GENERATE(from_range(stores()))};
  set_route(s.gateway, s.account.id, "sandbox", "JPY", "card");
  set_connection(s.gateway, s.account.id, "sandbox_hosted", "connected");
  set_route(s.gateway, s.account.id, "sandbox_hosted", "HKD,USD", "card");

  CHECK(s.provider_of(redirect_payment(new_payment_id())) == "sandbox_hosted");
  CHECK(s.provider_of(redirect_payment(new_payment_id(), "USD")) == "422 {ROUTING_NO_ELIGIBLE_PROVIDER}");
  CHECK(s.provider_of(server_payment(new_payment_id())) == "422 {ROUTING_NO_ELIGIBLE_PROVIDER}");
  CHECK(s.provider_of(redirect_payment(new_payment_id()).set("flow", "embedded")) ==
        "422 {ROUTING_NO_ELIGIBLE_PROVIDER}");
  CHECK(s.provider_of(server_payment(new_payment_id()).set("currency", "JPY")) == "sandbox");
}

TEST_CASE("a payment without an accepting route does not exist") {
  shop s{GENERATE(from_range(stores()))};
  set_route(s.gateway, s.account.id, "sandbox", "JPY", "card");
  const auto id = new_payment_id();
  const auto answer = s.merchant.create(server_payment(id));
  CHECK(summary_of(answer) == "422 {ROUTING_NO_ELIGIBLE_PROVIDER}");
  CHECK(json::parse(answer.body)["error.docs_url"] ==
        s.gateway.base_url() + "/docs/errors#ROUTING_NO_ELIGIBLE_PROVIDER");
  CHECK(summary_of(s.merchant.view(id)) == "404 payment_not_found");
}

TEST_CASE("a payment stays with its provider when routes and connections change") {
  shop s{GENERATE(from_range(stores()))};
  const auto id = new_payment_id();
  REQUIRE(summary_of(s.merchant.create(server_payment(id))) == "200 authorized");
  set_connection(s.gateway, s.account.id, "sandbox", "not_connected");
  CHECK(summary_of(s.merchant.capture(id)) == "200 captured");
  CHECK(summary_of(s.merchant.refund(id)) == "200 refunded");
}

TEST_CASE("routes and connections survive a restart") {
  gateway_options options;
  options.store = GENERATE(from_range(stores()));
  gateway_process gateway{options};
  const auto account = new_merchant(gateway);
  set_connection(gateway, account.id, "sandbox_hosted", "connected");
  set_route(gateway, account.id, "sandbox_hosted", "HKD", "card");
  set_route(gateway, account.id, "sandbox", "USD", "card");
  gateway.kill();
  gateway.start();
  api merchant{gateway, account.test};
  CHECK(json::parse(merchant.create(redirect_payment(new_payment_id())).body)["provider.provider"] == "sandbox_hosted");
  CHECK(
      json::parse(merchant.create(server_payment(new_payment_id()).set("currency", "USD")).body)["provider.provider"] ==
      "sandbox");
  CHECK(summary_of(merchant.create(server_payment(new_payment_id()))) == "422 {ROUTING_NO_ELIGIBLE_PROVIDER}");
}
