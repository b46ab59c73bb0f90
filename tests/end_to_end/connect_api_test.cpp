// The life of a platform's access: the exchange of codes, payments on behalf of a merchant, and revokes.
#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "platform.hpp"

using namespace gateway::e2e;

namespace {

/// Adds the environment as a query parameter, which the signature does not cover.
std::string in_test(const std::string& target) { return target + "?environment=test"; }

std::string token_body(const std::string& code, const std::string& redirect_uri,
                       const std::string& type = "authorization_code") {
  return object{}.set("grant_type", type).set("code", code).set("redirect_uri", redirect_uri).text();
}

/// An error of the token endpoint, which has a description, in one line.
std::string token_error(const reply& answer) {
  const auto body = json::parse(answer.body);
  const std::size_t members = body["fields"].present() ? 4 : 3;
  const bool whole = body["error"].is_string() && body["error_description"].is_string() &&
                     body["docs_url"].is_string() && body.size() == members;
  return std::to_string(answer.status) + ' ' + body["error"].text() + (whole ? "" : " (not described)");
}

}  // namespace

TEST_CASE("a code is exchanged once, and the answer describes the grant") {
  auto& gateway = shared_gateway(GENERATE(from_range(stores())));
  const pair_of_parties both{gateway};
  api platform{gateway, both.who.key};
  const auto code = both.code("live");
  call first;
  const auto answer = exchange(platform, both.who, code, first);
  REQUIRE(answer.status == 200);
  const auto reported = json::parse(answer.body);
  CHECK(reported.names() == std::vector<std::string>{"merchant_id", "entity_id", "grant_id", "granted_scopes",
                                                     "granted_at", "platform_id", "token_type"});
  CHECK(reported["merchant_id"] == both.shop.id);
  CHECK(reported["entity_id"] == both.shop.entity_id);
  CHECK(reported["grant_id"].text().starts_with("grant_"));
  CHECK(reported["platform_id"] == both.who.id);
  CHECK(reported["token_type"] == "merchant_id");

  const auto again = exchange(platform, both.who, code, first);
  CHECK(again.status == 200);
  CHECK(again.body == answer.body);
  CHECK(again.header("Idempotent-Replayed") == "true");
  CHECK(token_error(exchange(platform, both.who, code)) == "400 invalid_grant");
}

TEST_CASE("of two exchanges of one code at once, one gets the grant") {
  auto& gateway = shared_gateway(GENERATE(from_range(stores())));
  const pair_of_parties both{gateway};
  for (int round = 0; round < 5; ++round) {
    const auto code = both.code("live");
    std::vector<int> statuses(4);
    std::vector<std::thread> threads;
    for (auto& status : statuses)
      threads.emplace_back([&] {
        api platform{gateway, both.who.key};
        status = exchange(platform, both.who, code).status;
      });
    for (auto& each : threads) each.join();
    CHECK(std::ranges::count(statuses, 200) == 1);
    CHECK(std::ranges::count(statuses, 400) == 3);
  }
}

TEST_CASE("a code is not valid for another platform, for another address, or after a revoke") {
  auto& gateway = shared_gateway(GENERATE(from_range(stores())));
  const pair_of_parties both{gateway};
  api platform{gateway, both.who.key};
  const auto code = both.code("live");
  const auto other = new_platform(gateway, "o" + new_uuid().substr(0, 8));
  api stranger{gateway, other.key};
  const auto path = "/v1/public/connect/token";
  CHECK(token_error(stranger.post(path, token_body(code, both.who.redirect_uri))) == "400 invalid_grant");
  CHECK(token_error(platform.post(path, token_body(code, both.who.redirect_uri + "/"))) == "400 invalid_grant");
  CHECK(token_error(platform.post(path, token_body(code + "A", both.who.redirect_uri))) == "400 invalid_grant");
  CHECK(token_error(platform.post(path, token_body(code, both.who.redirect_uri, "password"))) == "400 invalid_request");
  api shop{gateway, both.shop.live};
  CHECK(token_error(shop.post(path, token_body(code, both.who.redirect_uri))) == "422 platform_key_required");
  // None of these attempts has spent the code.
  const auto grant = json::parse(exchange(platform, both.who, code).body)["grant_id"].text();

  const auto late = both.code("live");
  CHECK(platform.post("/v1/grants/" + grant + "/revoke").status == 204);
  CHECK(token_error(exchange(platform, both.who, late)) == "400 invalid_grant");
}

TEST_CASE("a platform takes test and live payments for a merchant, until the grant is revoked") {
  auto& gateway = shared_gateway(GENERATE(from_range(stores())));
  const pair_of_parties both{gateway};
  api platform{gateway, both.who.key};
  const auto behalf = [&] { return on_behalf_of(both.shop.id); };
  const auto create = [&](const std::string& target) {
    const auto id = new_payment_id();
    return std::pair{id, platform.post(target, server_payment(id).text(), behalf())};
  };
  const std::string creates = "/v1/payment_intents";
  CHECK(summary_of(create(creates).second) == "403 GRANT_NOT_FOUND");

  const auto in_test_mode = both.grant("test");
  CHECK(in_test_mode.merchant == both.shop.id);
  CHECK(summary_of(create(creates).second) == "403 MERCHANT_GRANT_REQUIRED");
  const auto [tested, made] = create(in_test(creates));
  CHECK(summary_of(made) == "200 authorized");
  CHECK(summary_of(platform.post(in_test(api::path(tested, "/capture")), "", behalf())) == "200 captured");
  CHECK(summary_of(platform.post(in_test(api::path(tested, "/refund")), "", behalf())) == "200 refunded");
  const auto [voided, another] = create(in_test(creates));
  CHECK(summary_of(another) == "200 authorized");
  CHECK(summary_of(platform.post(in_test(api::path(voided, "/void")), "", behalf())) == "200 voided");
  // The payment belongs to the merchant: the merchant's own key reads it.
  api shop{gateway, both.shop.test};
  CHECK(shop.state_of(tested) == "refunded");

  const auto in_live = both.grant("live");
  CHECK(in_live.id != in_test_mode.id);
  const auto [paid, live] = create(creates);
  CHECK(summary_of(live) == "200 authorized");
  CHECK(summary_of(platform.post(api::path(paid, "/capture"), "", behalf())) == "200 captured");

  call revoke;
  const auto path = "/v1/grants/" + in_live.id + "/revoke";
  const auto gone = platform.post(path, R"({"reason":"moved on"})", revoke);
  CHECK(gone.status == 204);
  CHECK(gone.body.empty());
  CHECK(summary_of(create(creates).second) == "403 GRANT_NOT_FOUND");
  CHECK(summary_of(create(in_test(creates)).second) == "200 authorized");
  const auto again = platform.post(path, R"({"reason":"moved on"})", revoke);
  CHECK(again.status == 204);
  CHECK(again.header("Idempotent-Replayed") == "true");
  CHECK(platform.post(path).status == 204);
  const auto listed = gateway.ctl({"grant", "list", "--merchant", both.shop.id, "--platform", both.who.id})["grants"];
  REQUIRE(listed.size() == 2);
  for (std::size_t i = 0; i < listed.size(); ++i) {
    const bool live_one = listed.at(i)["mode"] == "live";
    CHECK(listed.at(i)["status"] == (live_one ? "revoked" : "active"));
    if (live_one) CHECK(listed.at(i)["reason"] == "moved on");
  }
}

TEST_CASE("an idempotency key belongs to the platform, the addressed merchant and the environment") {
  auto& gateway = shared_gateway(GENERATE(from_range(stores())));
  const pair_of_parties both{gateway};
  both.grant("test");
  const auto live = both.grant("live");
  api platform{gateway, both.who.key};
  api second_key{gateway, mint_platform_key(gateway, both.who.id)};
  api shop{gateway, both.shop.test};
  auto how = on_behalf_of(both.shop.id);
  const auto target = std::string{"/v1/payment_intents"};
  const auto id = new_payment_id();
  const auto body = server_payment(id).text();
  const auto first = platform.post(in_test(target), body, how);
  CHECK(summary_of(first) == "200 authorized");
  // Another key of the platform is the same caller.
  const auto replay = second_key.post(in_test(target), body, how);
  CHECK(replay.body == first.body);
  CHECK(replay.header("Idempotent-Replayed") == "true");
  // In another environment, from the merchant itself or without a merchant, the key is another one.
  CHECK(summary_of(platform.post(target, body, how)) == "200 authorized");
  call same;
  same.key = how.key;
  CHECK(summary_of(shop.create(server_payment(id), same)) == "409 payment already exists");
  CHECK(platform.post("/v1/grants/" + live.id + "/revoke", "", same).status == 204);
  CHECK(token_error(platform.post("/v1/public/connect/token", token_body("c", "https://a.example"), same)) ==
        "409 IDEMPOTENCY_KEY_REUSED");
}

TEST_CASE("an operator's revoke, a suspension and a revoked key take effect when they are answered") {
  auto& gateway = shared_gateway(GENERATE(from_range(stores())));
  const pair_of_parties both{gateway};
  const auto grant = both.grant("test");
  api platform{gateway, both.who.key};
  const auto create = [&](api& by) {
    return summary_of(
        by.post(in_test("/v1/payment_intents"), server_payment(new_payment_id()).text(), on_behalf_of(both.shop.id)));
  };
  CHECK(create(platform) == "200 authorized");
  gateway.ctl({"platform", "suspend", both.who.id});
  CHECK(create(platform) == "401 PLATFORM_SUSPENDED");
  CHECK(summary_of(platform.post("/v1/grants/" + grant.id + "/revoke")) == "401 invalid_client");
  gateway.ctl({"platform", "resume", both.who.id});
  CHECK(create(platform) == "200 authorized");

  const auto spare = mint_platform_key(gateway, both.who.id);
  api with_spare{gateway, spare};
  CHECK(create(with_spare) == "200 authorized");
  const auto path = "/v1/platform_keys/" + spare.key_id + "/revoke";
  call how;
  CHECK(platform.post(path, "", how).status == 204);
  CHECK(platform.post(path, "", how).header("Idempotent-Replayed") == "true");
  CHECK(platform.post(path).status == 204);
  CHECK(create(with_spare) == "401 PLATFORM_KEY_INVALID");
  CHECK(summary_of(platform.post("/v1/platform_keys/mk_platform_00000000/revoke")) == "404 not_found");

  const auto ended = gateway.ctl({"grant", "revoke", grant.id});
  CHECK(ended["id"] == grant.id);
  CHECK(ended["status"] == "revoked");
  CHECK(create(platform) == "403 GRANT_NOT_FOUND");
  CHECK(gateway.ctl({"grant", "list", "--platform", both.who.id})["grants"].at(0)["reason"] == "operator_requested");
}

TEST_CASE("a revoke's reason is limited in characters, not bytes, and the first reason is kept") {
  auto& gateway = shared_gateway(GENERATE(from_range(stores())));
  const pair_of_parties both{gateway};
  const auto grant = both.grant("live");
  api platform{gateway, both.who.key};
  std::string reason;
  for (int i = 0; i < 200; ++i) reason += "\xf0\x9f\x8d\xb5";
  const auto revoke = [&](const std::string& why) {
    return platform.post("/v1/grants/" + grant.id + "/revoke", object{}.set("reason", why).text());
  };
  const auto listed = [&] { return gateway.ctl({"grant", "list", "--platform", both.who.id})["grants"].at(0); };
  CHECK(summary_of(revoke(reason + "\xf0\x9f\x8d\xb5")) == "400 invalid_request");
  CHECK(listed()["status"] == "active");
  CHECK(revoke(reason).status == 204);
  CHECK(listed()["status"] == "revoked");
  CHECK(listed()["reason"] == reason);
  const auto revoked_at = listed()["revoked_at"].text();
  CHECK(revoke("another one").status == 204);
  CHECK(listed()["reason"] == reason);
  CHECK(listed()["revoked_at"] == revoked_at);
}

TEST_CASE("an exchange for test connects the merchant so that it can be charged there") {
  auto& gateway = shared_gateway(GENERATE(from_range(stores())));
  const pair_of_parties both{gateway};
  set_connection(gateway, both.shop.id, "sandbox", "not_connected");
  api shop{gateway, both.shop.test};
  CHECK(summary_of(shop.create(server_payment(new_payment_id()))) == "422 {merchant_not_charge_capable}");
  both.grant("test");
  api platform{gateway, both.who.key};
  CHECK(summary_of(platform.post(in_test("/v1/payment_intents"), server_payment(new_payment_id()).text(),
                                 on_behalf_of(both.shop.id))) == "200 authorized");
}

TEST_CASE("a merchant's key gets platform_key_required only after all earlier checks") {
  auto& gateway = shared_gateway(store_kind::sqlite);
  const pair_of_parties both{gateway};
  api shop{gateway, both.shop.test};
  const std::string token = "/v1/public/connect/token", revoke = "/v1/platform_keys/mk_platform_00000000/revoke";
  const auto whole = token_body("c", both.who.redirect_uri);
  call no_key, used;
  no_key.key.clear();
  CHECK(token_error(shop.post(token, whole, no_key)) == "400 idempotency_key_required");
  CHECK(summary_of(shop.post(revoke, "", no_key)) == "400 idempotency_key_required");
  CHECK(token_error(shop.post(token, "{}")) == "400 invalid_request");
  CHECK(summary_of(shop.post(revoke, "[]")) == "400 invalid_request");
  REQUIRE(summary_of(shop.create(server_payment(new_payment_id()), used)) == "200 authorized");
  CHECK(token_error(shop.post(token, whole, used)) == "409 IDEMPOTENCY_KEY_REUSED");
  CHECK(summary_of(shop.post(revoke, "", used)) == "409 IDEMPOTENCY_KEY_REUSED");
  CHECK(token_error(shop.post(token, whole)) == "422 platform_key_required");
  CHECK(summary_of(shop.post(revoke)) == "422 {platform_key_required}");
  CHECK(summary_of(shop.post("/v1/grants/grant_1/revoke", "", no_key)) == "401 invalid_client");
}
