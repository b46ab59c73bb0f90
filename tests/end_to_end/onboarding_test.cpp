// A merchant that cannot charge yet: merchant_not_charge_capable, its setup link, and the exchange of that link.
#include <catch2/catch.hpp>

#include <algorithm>
#include <thread>

#include "merchant.hpp"

using namespace gateway::e2e;

namespace {

/// A merchant whose card connection is not finished.
merchant_account unfinished(const gateway_process& gateway, const std::string& owner_email,
                            const std::string& status = "in_progress") {
  const auto account = new_merchant(gateway, {"Lantern Books", "standard", owner_email, false});
  set_connection(gateway, account.id, "sandbox", status);
  return account;
}

json refusal(api& merchant) {
  const auto answer = merchant.create(server_payment(new_payment_id()));
  REQUIRE(summary_of(answer) == "422 {merchant_not_charge_capable}");
  return json::parse(answer.body)["error"];
}

std::string token_of(const json& error) {
  const auto url = error["setup_url"].text();
  const auto at = url.find("token=");
  REQUIRE(at != std::string::npos);
  return url.substr(at + 6, url.find('&', at) - at - 6);
}

/// The exchange is not signed: any holder of the link may redeem it.
reply redeem(const gateway_process& gateway, const std::string& body) {
  auto client = gateway.connect();
  return client.send(
      {"POST", "/v1/public/onboarding/exchange-setup-token", {{"Content-Type", "application/json"}}, body});
}
reply redeem_token(const gateway_process& gateway, const std::string& token) {
  return redeem(gateway, object{}.set("token", token).text());
}

}  // namespace

TEST_CASE("a merchant that has not finished its set-up gets the complete error with a signed link for its owner") {
  auto& gateway = shared_gateway(GENERATE(from_range(stores())));
  const auto account = unfinished(gateway, "owner@lantern.example");
  api merchant{gateway, account.test};
  const auto error = refusal(merchant);
  CHECK(error["type"] == "merchant_not_charge_capable");
  CHECK(error["code"] == "merchant_not_charge_capable");
  CHECK_FALSE(error["message"].text().empty());
  CHECK(error["merchant_id"] == account.id);
  CHECK(error["setup_url"].text().starts_with(gateway.base_url() + "/portal/setup?token="));
  CHECK(is_timestamp_in_millis(error["setup_url_expires_at"].text()));
  CHECK(seconds_until(error["setup_url_expires_at"].text()) == Approx(3600).margin(30));
  CHECK(error["docs_url"] == gateway.base_url() + "/docs/errors#merchant_not_charge_capable");
  CHECK(error.names() == std::vector<std::string>{"type", "code", "message", "merchant_id", "setup_url",
                                                  "setup_url_expires_at", "providers", "docs_url"});

  REQUIRE(error["providers"].is_array());
  bool listed = false;
  for (const auto& provider : error["providers"].items()) {
    CHECK(provider["id"].text().starts_with("prov_"));
    CHECK_FALSE(provider["display_name"].text().empty());
    CHECK(provider["source"] == "global");
    if (provider["id"] == "prov_sandbox") {
      listed = true;
      CHECK(provider["status"] == "in_progress");
    }
    // The wallet is for another kind of merchant.
    CHECK_FALSE(provider["id"] == "prov_sandbox_wallet");
  }
  CHECK(listed);
}

TEST_CASE("without an owner the link is the reduced one: unsigned, in whole seconds, from the allowlist") {
  auto& gateway = shared_gateway(GENERATE(from_range(stores())));
  const auto account = unfinished(gateway, "");
  api merchant{gateway, account.test};
  const auto error = refusal(merchant);
  const auto url = error["setup_url"].text();
  CHECK(url.starts_with(gateway.base_url() + "/portal/setup?"));
  CHECK(url.find("merchant_id=" + account.id) != std::string::npos);
  CHECK(url.find("token=") == std::string::npos);
  CHECK(is_timestamp_in_seconds(error["setup_url_expires_at"].text()));
  for (const auto& provider : error["providers"].items()) CHECK(provider["source"] == "platform_allowlist");
}

TEST_CASE("every status except connected refuses, and the same key works once the set-up is finished") {
  auto& gateway = shared_gateway(GENERATE(from_range(stores())));
  for (const std::string status : {"not_connected", "in_progress", "unavailable"}) {
    CAPTURE(status);
    const auto account = unfinished(gateway, "owner@lantern.example", status);
    api merchant{gateway, account.test};
    const auto id = new_payment_id();
    const call same{new_uuid(), {}};
    CHECK(summary_of(merchant.create(server_payment(id), same)) == "422 {merchant_not_charge_capable}");
    CHECK(summary_of(merchant.view(id)) == "404 payment_not_found");
    set_connection(gateway, account.id, "sandbox", "connected");
    const auto answer = merchant.create(server_payment(id), same);
    CHECK(summary_of(answer) == "200 authorized");
    CHECK_FALSE(answer.replayed());
  }
}

TEST_CASE("a setup link is exchanged once, and is 410 afterwards") {
  auto& gateway = shared_gateway(GENERATE(from_range(stores())));
  const auto account = unfinished(gateway, "owner@lantern.example");
  api merchant{gateway, account.test};
  const auto token = token_of(refusal(merchant));

  const auto first = redeem_token(gateway, token);
  REQUIRE(first.status == 200);
  const auto session = json::parse(first.body);
  CHECK(session["merchant_id"] == account.id);
  CHECK(session["scope"] == "psp_setup");
  CHECK_FALSE(session["session_token"].text().empty());
  CHECK(seconds_until(session["expires_at"].text()) > 0);
  CHECK(session.size() == 4);

  CHECK(summary_of(redeem_token(gateway, token)) == "410 token_unusable");
  // Another refusal gives another link.
  CHECK(redeem_token(gateway, token_of(refusal(merchant))).status == 200);
  // The session token is not a setup link.
  CHECK(summary_of(redeem_token(gateway, session["session_token"].text())) == "410 token_unusable");
}

TEST_CASE("of many concurrent exchanges of a setup link one succeeds") {
  auto& gateway = shared_gateway(GENERATE(from_range(stores())));
  const auto account = unfinished(gateway, "owner@lantern.example");
  api merchant{gateway, account.test};
  const auto token = token_of(refusal(merchant));
  std::vector<int> statuses(12);
  std::vector<std::thread> threads;
  for (auto& status : statuses) threads.emplace_back([&] { status = redeem_token(gateway, token).status; });
  for (auto& thread : threads) thread.join();
  CHECK(std::ranges::count(statuses, 200) == 1);
  CHECK(std::ranges::count(statuses, 410) == 11);
}

TEST_CASE("a forged token is 410, and a request without one 400") {
  auto& gateway = shared_gateway(store_kind::sqlite);
  const auto account = unfinished(gateway, "owner@lantern.example");
  api merchant{gateway, account.test};
  const auto token = token_of(refusal(merchant));
  auto altered = token;
  altered[3] = altered[3] == 'A' ? 'B' : 'A';
  for (const auto& forged : {altered, token + "A", token.substr(0, token.size() - 2), std::string{"."},
                             std::string{"a.b"}, std::string{"nonsense"}}) {
    CAPTURE(forged);
    CHECK(summary_of(redeem_token(gateway, forged)) == "410 token_unusable");
  }
  for (const auto* body : {"", "{}", "{", R"({"token":5})", "[]"})
    CHECK(summary_of(redeem(gateway, body)) == "400 invalid_request");
  CHECK(redeem_token(gateway, token).status == 200);
}

TEST_CASE("a spent setup link stays spent after a crash") {
  gateway_options options;
  options.store = GENERATE(from_range(stores()));
  gateway_process gateway{options};
  const auto account = unfinished(gateway, "owner@lantern.example");
  api merchant{gateway, account.test};
  const auto spent = token_of(refusal(merchant)), unspent = token_of(refusal(merchant));
  REQUIRE(redeem_token(gateway, spent).status == 200);
  gateway.kill();
  gateway.start();
  CHECK(summary_of(redeem_token(gateway, spent)) == "410 token_unusable");
  CHECK(redeem_token(gateway, unspent).status == 200);
}

TEST_CASE("links lead to the configured portal") {
  gateway_options options;
  options.arguments = {"--portal-url=https://pay.shop.example/merchants", "--base-url=https://pay.shop.example"};
  gateway_process gateway{options};
  const auto account = unfinished(gateway, "owner@lantern.example");
  api merchant{gateway, account.test};
  const auto error = refusal(merchant);
  CHECK(error["setup_url"].text().starts_with("https://pay.shop.example/merchants/setup?token="));
  CHECK(error["docs_url"] == "https://pay.shop.example/docs/errors#merchant_not_charge_capable");
}
