// The setup link: its contents, its redemption, and that only the gateway can make one.
#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include "gateway/base/crypto.hpp"
#include "http/access/setup_link.hpp"

using namespace gateway;
using namespace gateway::http;

namespace {

constexpr std::string_view key = "key for setup links";
constexpr std::string_view portal = "https://pay.example/portal";
const time_point noon = *parse_seconds("2026-11-20T12:00:00Z") + duration_ms{125};

merchant example(merchant_kind kind = merchant_kind::standard) {
  merchant m;
  m.id = merchant_id{"merch_1"};
  m.name = "Tea & Co";
  m.kind = kind;
  m.owner = user_id{"user_1"};
  m.connections = {{environment::test, provider_kind::sandbox, connection_status::in_progress, ""},
                   {environment::live, provider_kind::sandbox, connection_status::unavailable, ""}};
  return m;
}

std::string token_of(const setup_link& link) { return link.url.substr(link.url.find('=') + 1); }

boost::json::object body_of(const merchant& who, environment env = environment::test,
                            const provider_states& states = sandboxes_only()) {
  const auto link = make_setup_link(who, environment::test, portal, key, noon);
  return boost::json::parse(not_charge_capable_body(who, env, link, "https://pay.example", states))
      .as_object()
      .at("error")
      .as_object();
}

}  // namespace

TEST_CASE("a signed link states for an hour who may set up which merchant") {
  const auto link = make_setup_link(example(), environment::test, portal, key, noon);
  CHECK(link.url.starts_with("https://pay.example/portal/setup?token="));
  CHECK(link.expires_at == "2026-11-20T13:00:00.125Z");
  const auto token = read_setup_token(token_of(link), key, noon);
  REQUIRE(token);
  CHECK(token->merchant.value == "merch_1");
  CHECK(token->user.value == "user_1");
  CHECK(token->id.size() == 32);
  CHECK(read_setup_token(token_of(link), key, noon + std::chrono::minutes{59}));
  CHECK_FALSE(read_setup_token(token_of(link), key, noon + std::chrono::hours{1}));
}

TEST_CASE("two links are never the same") {
  CHECK(token_of(make_setup_link(example(), environment::test, portal, key, noon)) !=
        token_of(make_setup_link(example(), environment::test, portal, key, noon)));
}

TEST_CASE("a token signed for another purpose is not a setup token") {
  const auto genuine = token_of(make_setup_link(example(), environment::test, portal, key, noon));
  CHECK_FALSE(read_setup_token("", key, noon));
  CHECK_FALSE(read_setup_token("x.y", key, noon));
  CHECK_FALSE(read_setup_token(genuine, "another key", noon));
  for (std::size_t i : {std::size_t{0}, genuine.size() / 2, genuine.size() - 1}) {
    auto changed = genuine;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    CHECK_FALSE(read_setup_token(changed, key, noon));
  }
  const auto session = make_setup_session(*read_setup_token(genuine, key, noon), key, noon);
  CHECK(session.expires_at == "2026-11-20T13:00:00.125Z");
  CHECK_FALSE(read_setup_token(session.token, key, noon));
  CHECK_FALSE(read_setup_token(crypto::sign_token(key, "[]"), key, noon));
  CHECK_FALSE(
      read_setup_token(crypto::sign_token(key, R"({"purpose":"psp_setup","expires":9999999999999})"), key, noon));
}

TEST_CASE("a merchant without an owner gets a plain link that expires on a whole second") {
  auto who = example();
  who.owner = {};
  const auto link = make_setup_link(who, environment::test, portal, key, noon);
  CHECK(link.url == "https://pay.example/portal/setup?merchant_id=merch_1");
  CHECK(link.expires_at == "2026-11-20T13:00:00Z");
  const auto error = body_of(who);
  REQUIRE_FALSE(error.at("providers").as_array().empty());
  for (const auto& provider : error.at("providers").as_array())
    CHECK(provider.as_object().at("source").as_string() == "platform_allowlist");
}

TEST_CASE("the refusal has the specification's complete body") {
  const auto error = body_of(example());
  CHECK(error.at("type").as_string() == "merchant_not_charge_capable");
  CHECK(error.at("code").as_string() == "merchant_not_charge_capable");
  CHECK_FALSE(error.at("message").as_string().empty());
  CHECK(error.at("merchant_id").as_string() == "merch_1");
  CHECK(error.at("setup_url_expires_at").as_string() == "2026-11-20T13:00:00.125Z");
  CHECK(error.at("docs_url").as_string() == "https://pay.example/docs/errors#merchant_not_charge_capable");
  const boost::json::array expected{
      {{"id", "prov_sandbox"}, {"display_name", "Sandbox cards"}, {"status", "in_progress"}, {"source", "global"}},
      {{"id", "prov_sandbox_hosted"},
       {"display_name", "Sandbox hosted cards"},
       {"status", "not_connected"},
       {"source", "global"}}};
  CHECK(error.at("providers") == boost::json::value(expected));
}

TEST_CASE("a provider is offered where it is configured, also while it does not answer") {
  for (const auto state : {provider_state::ready, provider_state::away}) {
    provider_states states;
    states.set(provider_kind::stripe, state);
    states.set(provider_kind::jazzcash, state);
    auto who = example();
    who.connections.push_back({environment::live, provider_kind::stripe, connection_status::unavailable, "acct_1"});
    boost::json::array expected;
    expected.push_back(boost::json::object{
        {"id", "prov_stripe"}, {"display_name", "Stripe"}, {"status", "unavailable"}, {"source", "global"}});
    CHECK(body_of(who, environment::live, states).at("providers") == boost::json::value(expected));
  }
}

TEST_CASE("the return from a provider has a token of its own, valid for a day") {
  const onboarding_link link{merchant_id{"merch_1"}, environment::live, provider_kind::stripe, "/portal/account",
                             noon + account_link_lifetime};
  const auto token = make_account_token(link, key);
  const auto read = read_account_link(token, key, noon + std::chrono::hours{23});
  REQUIRE(read);
  CHECK(read->merchant.value == "merch_1");
  CHECK(read->env == environment::live);
  CHECK(read->provider == provider_kind::stripe);
  CHECK(read->back == "/portal/account");
  CHECK_FALSE(read_account_link(token, key, noon + std::chrono::hours{24}));
  CHECK_FALSE(read_account_link(token, "another key", noon));
  CHECK_FALSE(read_account_link(make_onboarding_token(link, key), key, noon));
  CHECK_FALSE(read_onboarding_link(token, key, noon));
}

TEST_CASE("live offers sandboxes under --dev only, and a wallet entity is shown no provider") {
  CHECK(body_of(example(), environment::live, {}).at("providers").as_array().empty());
  const auto dev = body_of(example(), environment::live).at("providers").as_array();
  REQUIRE(dev.size() == 2);
  CHECK(dev[0].as_object().at("status").as_string() == "unavailable");
  CHECK(body_of(example(merchant_kind::wallet)).at("providers").as_array().empty());
}
