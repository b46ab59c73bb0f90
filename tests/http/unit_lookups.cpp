// Requests that name something that the directory does not have in memory: it is looked up once, and the request is
// served as any other.
#include <catch2/catch.hpp>

#include "gateway/domain/grant.hpp"
#include "http/access/setup_link.hpp"
#include "routes_fixture.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;

namespace {

constexpr std::string_view cold_key = "mk_test_0000000000000009";
constexpr std::string_view credential = "mk_platform_00000001";

const directory_name cold_merchant{directory_name::kind::merchant, "merch_9"};

/// merch_9 and its key are in the store, and not in memory.
struct cold_fixture : gateway_fixture {
  cold_fixture() {
    scene.look_ups = [this](const directory_name& name) {
      const bool there =
          name == cold_merchant || name == directory_name{directory_name::kind::key, std::string{cold_key}};
      if (there) publish_cold();
      return there;
    };
    scene.router = [](const entity_request&) { return entity_reply{problem::payment_not_found}; };
  }

  void publish_cold() {
    merchants.publish(std::make_shared<const api_key>(api_key{key_id{std::string{cold_key}}, merchant_id{"merch_9"},
                                                              environment::test, *parse_scopes("*"), "secret", false}));
    merchant m;
    m.id = merchant_id{"merch_9"};
    m.name = "Cold";
    m.owner = user_id{"user_9"};
    merchants.publish(grant_update{
        {platform_id{"plat_1"}, m.id}, environment::live, {grant_state::active, *parse_scopes("payments:read"), 1}});
    merchants.publish(std::make_shared<const merchant>(std::move(m)));
  }

  client_request by_key(std::string_view id) {
    auto in = get("/v1/payment_intents/pay_1");
    in.key = id;
    return in;
  }
  client_request by_platform(std::string_view merchant) {
    merchants.publish(std::make_shared<const platform_key>(
        platform_key{key_id{std::string{credential}}, platform_id{"plat_1"}, *parse_scopes("*"), "secret"}));
    auto in = by_key(credential);
    in.merchant = merchant;
    return in;
  }
};

}  // namespace

TEST_CASE_METHOD(cold_fixture, "a key that is not in memory is looked up once, and signs from then on") {
  for (int times = 0; times < 2; ++times) CHECK(by_key(cold_key).send(*this).status == 404);
  CHECK(scene.looked_up == std::vector{directory_name{directory_name::kind::key, std::string{cold_key}}});
  CHECK(scene.seen.size() == 2);
}

TEST_CASE_METHOD(cold_fixture, "an unknown key is 401, after a look-up each time") {
  for (int times = 0; times < 2; ++times) CHECK(by_key("mk_test_0000000000000008").send(*this).status == 401);
  CHECK(scene.looked_up.size() == 2);
  CHECK(scene.seen.empty());
}

TEST_CASE_METHOD(cold_fixture, "a key that cannot be a merchant's, or a stale signature, causes no look-up") {
  for (const auto& id : {std::string{"sk_test_1"}, std::string(65, 'm'), "mk_" + std::string(62, 'x'), std::string{},
                         std::string{"mk_platform_00000009"}})
    CHECK(by_key(id).send(*this).status == 401);
  auto in = unsigned_request("GET", "/v1/payment_intents/pay_1");
  const auto long_ago = format_seconds(noon - std::chrono::hours{1});
  in.key_id = cold_key;
  in.timestamp = long_ago;
  in.signature = "00";
  CHECK(run(in).status == 401);
  CHECK(scene.looked_up.empty());
}

TEST_CASE_METHOD(cold_fixture, "a known key with a wrong signature causes the same look-up as an unknown key") {
  auto in = get("/v1/payment_intents/pay_1");
  in.signature_override = std::string(64, '0');
  CHECK(in.send(*this).status == 401);
  REQUIRE(scene.looked_up.size() == 1);
  CHECK(scene.looked_up[0].what == directory_name::kind::key);
  CHECK_FALSE(merchants.find_key(key_id{scene.looked_up[0].text}));
  // The look-up fails in the same way.
  scene.look_ups = [](const directory_name&) { return make_error(actor_errc::store_unavailable); };
  CHECK(in.send(*this).status == 503);
}

TEST_CASE_METHOD(cold_fixture, "while a write's signer and merchant are looked up, the write holds no admission") {
  std::vector<std::size_t> waiting;
  scene.look_ups = [&, there = scene.look_ups](const directory_name& name) {
    scene.seen.clear();  // a request that was passed on holds its admission
    waiting.push_back(shared.writes.waiting());
    return there(name);
  };
  auto by_cold_key = client_request{};
  by_cold_key.key = cold_key;
  by_cold_key.send(*this);
  auto by_nobody = client_request{};
  by_nobody.key = "mk_test_0000000000000008";
  by_nobody.send(*this);
  auto for_cold_merchant = by_platform("merch_9");
  for_cold_merchant.method = "POST";
  for_cold_merchant.path = "/v1/payment_intents";
  for_cold_merchant.send(*this);
  REQUIRE(waiting.size() >= 2);
  CHECK(std::ranges::count(waiting, 0U) == static_cast<std::ptrdiff_t>(waiting.size()));
}

TEST_CASE_METHOD(cold_fixture, "a platform acts for a merchant that is not in memory, by its grant") {
  CHECK(by_platform("merch_9").send(*this).status == 404);
  CHECK(scene.looked_up == std::vector{cold_merchant});
  CHECK(scene.seen.size() == 1);
  CHECK(code_in(by_platform("merch_8").send(*this)) == "GRANT_NOT_FOUND");
  CHECK(code_in(by_platform(std::string(65, 'm')).send(*this)) == "GRANT_NOT_FOUND");
  CHECK(scene.looked_up.size() == 2);
}

TEST_CASE_METHOD(cold_fixture,
                 "while the signer cannot be looked up the answer is 503 with Retry-After, and no actor is asked") {
  for (const auto& [why, code] : {std::pair{actor_errc::store_unavailable, "store_unavailable"},
                                  std::pair{actor_errc::overloaded, "overloaded"}}) {
    scene.look_ups = [why = why](const directory_name&) { return make_error(why); };
    for (const auto& in : {by_key(cold_key), by_platform("merch_9")}) {
      const auto out = in.send(*this);
      CHECK(out.status == 503);
      CHECK(code_in(out) == code);
      CHECK_FALSE(header(out, "Retry-After").empty());
    }
  }
  CHECK(scene.seen.empty());
}

TEST_CASE_METHOD(cold_fixture,
                 "a setup link opens for a merchant that is not in memory, and is busy while the look-up fails") {
  merchant who;
  who.id = merchant_id{"merch_9"};
  who.owner = user_id{"user_9"};
  const auto link = make_setup_link(who, environment::test, shared.portal_url, shared.setup_token_key, noon);
  const auto token = link.url.substr(link.url.find("token=") + 6);
  auto in = unsigned_request("GET", "/portal/setup");
  const auto query = "token=" + token;
  in.query = query;
  in.has_query = true;
  const auto look =
      std::exchange(scene.look_ups, [](const directory_name&) { return make_error(actor_errc::store_unavailable); });
  CHECK(run(in).status == 503);
  scene.look_ups = look;
  const auto page = run(in);
  CHECK(page.status == 200);
  CHECK(page.body.find("Cold") != std::string::npos);
}

TEST_CASE_METHOD(cold_fixture, "operators name merchants and destinations that are not in memory") {
  const auto ask = [&](std::string_view path, std::string_view body) {
    return run(unsigned_request("POST", path, body), handle_operator);
  };
  CHECK(ask("/operator/events/list", R"({"merchant_id":"merch_9"})").status == 200);
  CHECK(ask("/operator/customers/list", R"({"merchant_id":"merch_9"})").status == 200);
  CHECK(scene.looked_up == std::vector{cold_merchant});
  CHECK(ask("/operator/events/list", R"({"merchant_id":"merch_8"})").status == 404);
  CHECK(ask("/operator/deliveries/redeliver", R"({"destination_id":"dest_9"})").status == 404);
  CHECK(scene.looked_up.back() == directory_name{directory_name::kind::destination, "dest_9"});
  scene.look_ups = [](const directory_name&) { return make_error(actor_errc::store_unavailable); };
  CHECK(ask("/operator/events/list", R"({"merchant_id":"merch_8"})").status == 503);
}
