// A payment is identified by merchant, environment and payment_id.
#include <catch2/catch.hpp>

#include "merchant.hpp"

using namespace gateway::e2e;

TEST_CASE("test and live are kept apart: the same payment_id is another payment, and each key sees its own") {
  auto& gateway = shared_gateway(GENERATE(from_range(stores())));
  const auto account = new_merchant(gateway, {"Lantern Books", "standard", "", true});
  api test{gateway, account.test}, live{gateway, account.live};
  const auto id = new_payment_id();

  REQUIRE(summary_of(test.create(server_payment(id))) == "200 authorized");
  CHECK(summary_of(live.view(id)) == "404 payment_not_found");
  CHECK(summary_of(live.timeline(id)) == "404 payment_not_found");
  CHECK(summary_of(live.capture(id)) == "404 payment_not_found");
  CHECK(summary_of(live.void_payment(id)) == "404 payment_not_found");
  CHECK(summary_of(live.refund(id)) == "404 payment_not_found");

  REQUIRE(summary_of(live.create(server_payment(id).set("amount", 100))) == "200 authorized");
  CHECK(summary_of(live.capture(id)) == "200 captured");
  CHECK(test.payment(id)["state"] == "authorized");
  CHECK(test.payment(id)["amount"] == 4200);
  CHECK(live.payment(id)["amount"] == 100);
}

TEST_CASE("an Idempotency-Key used in test is free in live") {
  auto& gateway = shared_gateway(GENERATE(from_range(stores())));
  const auto account = new_merchant(gateway, {"Lantern Books", "standard", "", true});
  api test{gateway, account.test}, live{gateway, account.live};
  const call same{new_uuid(), {}};
  CHECK(summary_of(test.create(server_payment(new_payment_id()), same)) == "200 authorized");
  const auto answer = live.create(server_payment(new_payment_id()), same);
  CHECK(summary_of(answer) == "200 authorized");
  CHECK_FALSE(answer.replayed());
}

TEST_CASE(
    "two merchants may use the same payment_id and the same Idempotency-Key, and never see each other's payments") {
  auto& gateway = shared_gateway(GENERATE(from_range(stores())));
  const auto first = new_merchant(gateway), second = new_merchant(gateway);
  api one{gateway, first.test}, other{gateway, second.test};
  const auto id = new_payment_id();
  const call same{new_uuid(), {}};
  REQUIRE(summary_of(one.create(server_payment(id), same)) == "200 authorized");
  CHECK(summary_of(other.view(id)) == "404 payment_not_found");
  CHECK(summary_of(other.capture(id)) == "404 payment_not_found");
  const auto answer = other.create(server_payment(id).set("amount", 7), same);
  CHECK(summary_of(answer) == "200 authorized");
  CHECK_FALSE(answer.replayed());
  CHECK(one.payment(id)["amount"] == 4200);
  CHECK(other.payment(id)["amount"] == 7);
}

TEST_CASE("a payment_id is used once, whatever the payment's outcome") {
  auto& gateway = shared_gateway(GENERATE(from_range(stores())));
  const auto account = new_merchant(gateway);
  api merchant{gateway, account.test};
  for (const std::string token : {"pm_card_visa", "pm_card_chargeDeclined", "pm_card_authenticationRequired"}) {
    const auto id = new_payment_id();
    REQUIRE(merchant.create(server_payment(id, token)).status == 200);
    CHECK(summary_of(merchant.create(server_payment(id))) == "409 payment already exists");
    CHECK(summary_of(merchant.create(server_payment(id, token))) == "409 payment already exists");
  }
}

TEST_CASE("concurrent creates of one payment_id under many keys: exactly one succeeds") {
  auto& gateway = shared_gateway(GENERATE(from_range(stores())));
  const auto account = new_merchant(gateway);
  const auto id = new_payment_id();
  std::vector<std::string> words(16);
  std::vector<std::thread> threads;
  for (auto& word : words)
    threads.emplace_back(
        [&] { word = summary_of(api{gateway, account.test}.create(server_payment(id, "pm_card_slow_50"))); });
  for (auto& thread : threads) thread.join();
  CHECK(std::ranges::count(words, "200 authorized") == 1);
  CHECK(std::ranges::count(words, "409 payment already exists") == 15);
  api merchant{gateway, account.test};
  CHECK(history(merchant.timeline(id)) == std::vector<std::string>{"attempt authorize approved"});
}

TEST_CASE("without --dev the sandbox does not serve live payments") {
  gateway_options options;
  options.dev = false;
  gateway_process gateway{options};
  const auto account = new_merchant(gateway);
  const auto live = mint_key(gateway, account.id, "live");
  // The gateway may refuse this connection; if it does not, the connection must not be used.
  gateway.run_ctl({"connection", "set", "--merchant", account.id, "--mode", "live", "--provider", "sandbox", "--status",
                   "connected"});
  gateway.run_ctl({"route", "set", "--merchant", account.id, "--mode", "live", "--provider", "sandbox", "--currencies",
                   "HKD", "--methods", "card"});
  api test{gateway, account.test}, real{gateway, live};
  CHECK(summary_of(test.create(server_payment(new_payment_id()))) == "200 authorized");
  const auto id = new_payment_id();
  CHECK(real.create(server_payment(id)).status == 422);
  CHECK(summary_of(real.view(id)) == "404 payment_not_found");
}
