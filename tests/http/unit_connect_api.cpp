// Platforms' own requests at the routes: the exchange of codes, revokes of grants and of keys, and what their keys may
// not do. Who may act for a merchant is tested in unit_authorization.cpp, grants in actors/.
#include <catch2/catch.hpp>

#include "http/access/auth_codes.hpp"
#include "http/codec/encode_grant.hpp"
#include "routes_fixture.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;

namespace {

constexpr std::string_view platforms_key = "mk_platform_00000001";
constexpr auto callback = "https://p.example/cb";

entity_key binding(std::string_view platform = "plat_1") {
  return binding_key(merchant_id{"merch_1"}, environment::live, platform_id{std::string{platform}});
}

grant_binding granted() {
  grant_binding b;
  b.key = binding();
  b.version = 3;
  b.newest = grant{grant_id{"grant_1"}, *parse_scopes("payments:read payments:write"), user_id{"user_1"}, noon, {}, {}};
  return b;
}

struct platforms_fixture : gateway_fixture {
  platforms_fixture() { publish_platforms_key(false); }
  void publish_platforms_key(bool suspended) {
    merchants.publish(std::make_shared<const platform_key>(platform_key{
        key_id{std::string{platforms_key}}, platform_id{"plat_1"}, *parse_scopes("*"), "secret", false, suspended}));
  }
  std::string code_for(std::string_view platform = "plat_1") const {
    return make_code(binding(platform), shared.code_key).text;
  }
  /// Stores this record under the key of the request.
  void remember(std::string fingerprint, std::optional<answer> result) {
    scene.commands = [=](const find_command& what) {
      command_record record;
      record.key = what.key;
      record.fingerprint = fingerprint;
      record.result = result;
      return command_lookup{record};
    };
  }
};

client_request by_platform(std::string path, std::string body = {}) {
  client_request in;
  in.path = std::move(path);
  in.body = std::move(body);
  in.key = platforms_key;
  return in;
}

std::string token_text(std::string_view code, std::string_view type = "authorization_code") {
  return boost::json::serialize(boost::json::object{{"grant_type", type}, {"code", code}, {"redirect_uri", callback}});
}

client_request exchange(std::string_view code) { return by_platform("/v1/public/connect/token", token_text(code)); }
client_request revoke(std::string body = {}) { return by_platform("/v1/grants/grant_1/revoke", std::move(body)); }
client_request revoke_key(std::string_view id = "mk_platform_00000002") {
  return by_platform("/v1/platform_keys/" + std::string{id} + "/revoke");
}

constexpr std::string_view wrong_grant_type =
    R"({"error":"invalid_request","error_description":"grant_type must be 'authorization_code'",)"
    R"("fields":[{"name":"grant_type","message":"grant_type must be 'authorization_code'"}]})";

/// `400 invalid_grant`, followed by any fault of its shape.
std::string described(const response& out) {
  const auto body = boost::json::parse(std::string{out.sent_body()}).as_object();
  auto text = std::to_string(out.sent_status()) + " " + std::string{body.at("error").as_string()};
  const std::size_t members = body.contains("fields") ? 3 : 2;  // the server adds docs_url
  if (body.size() != members || !body.contains("error_description")) text += " in another shape";
  return text;
}

std::string reported(const response& out) {
  if (out.sent_body().empty()) return std::to_string(out.sent_status());
  return std::to_string(out.sent_status()) + " " + code_in(out);
}

}  // namespace

TEST_CASE_METHOD(platforms_fixture,
                 "the exchange asks the binding that the code names, in the platform's own key space") {
  scene.router = [](const entity_request&) {
    const auto reported = make_grant_encoder()->exchanged(granted(), entity_id{"ent_1"});
    return entity_reply{finished{std::make_shared<const answer>(reported), false}};
  };
  const auto code = code_for();
  const auto out = exchange(code).send(*this);
  CHECK(out.sent_status() == 200);
  CHECK(out.sent_body() == R"({"merchant_id":"merch_1","entity_id":"ent_1","grant_id":"grant_1",)"
                           R"("granted_scopes":["payments:write","payments:read"],"granted_at":"2026-11-20T12:00:00Z",)"
                           R"("platform_id":"plat_1","token_type":"merchant_id"})");
  REQUIRE(scene.seen.size() == 1);
  CHECK(scene.seen[0].key == binding());
  const auto* wanted = command_if<exchange_code>(scene.seen[0].what);
  REQUIRE(wanted);
  CHECK(wanted->platform.value == "plat_1");
  CHECK(wanted->code_hash == code_hash(code));
  CHECK(wanted->redirect_uri == callback);
  REQUIRE(scene.seen[0].write);
  CHECK(scene.seen[0].write->key ==
        command_key{merchant_id{}, environment::live, "plat_1", "0b6f3c1e-54a4-4f1b-9d2c-8e7a6b5c4d3e"});
  CHECK(scene.seen[0].admission);
}

TEST_CASE_METHOD(platforms_fixture, "every error of the exchange has a description") {
  const auto with = [&](auto change) {
    auto in = exchange(code_for());
    change(in);
    return described(in.send(*this));
  };
  CHECK(with([](auto& in) { in.signature_override = std::string(64, 'a'); }) == "401 PLATFORM_KEY_INVALID");
  CHECK(with([](auto& in) { in.key = "mk_test_0000000000000001"; }) == "422 platform_key_required");
  CHECK(with([](auto& in) { in.idempotency = ""; }) == "400 idempotency_key_required");
  CHECK(with([](auto& in) { in.idempotency = "1"; }) == "400 idempotency_key_invalid");
  CHECK(with([](auto& in) { in.content_type = "text/plain"; }) == "415 unsupported_media_type");
  for (const auto body :
       {"", "{", "[]", R"({"grant_type":"authorization_code"})", R"({"grant_type":"authorization_code","code":"c"})",
        R"({"grant_type":"authorization_code","code":1,"redirect_uri":"x"})",
        R"({"grant_type":"password","code":"c","redirect_uri":"x"})", R"({"code":"c"})"})
    CHECK(with([&](auto& in) { in.body = body; }) == "400 invalid_request");
  for (const auto why : {problem::invalid_grant, problem::request_in_progress, problem::idempotency_key_reused,
                         problem::store_unavailable, problem::overloaded}) {
    scene.router = [=](const entity_request&) { return entity_reply{why}; };
    const auto& row = row_of(code_of(why));
    CHECK(with([](auto&) {}) == std::to_string(row.status) + " " + std::string{row.text});
  }
  scene.router = [](const entity_request&) { return make_error(actor_errc::store_unavailable); };
  CHECK(with([](auto&) {}) == "503 store_unavailable");
  publish_platforms_key(true);
  CHECK(with([](auto&) {}) == "401 PLATFORM_SUSPENDED");

  publish_platforms_key(false);
  auto in = exchange("c");
  in.body = token_text("c", "password");
  const auto body = boost::json::parse(std::string{in.send(*this).sent_body()}).as_object();
  CHECK(body.at("error_description").as_string() == "grant_type must be 'authorization_code'");
}

TEST_CASE_METHOD(platforms_fixture,
                 "a grant_type that is not a string, or too long, is rejected as any other unknown one") {
  for (const std::string type : {"1", "null", "[\"authorization_code\"]", "{}", "\"\"", "\"password\""}) {
    CAPTURE(type);
    auto in = exchange("c");
    in.body = R"({"grant_type":)" + type + R"(,"code":"c","redirect_uri":"https://p.example/cb"})";
    const auto out = in.send(*this);
    CHECK(out.body == wrong_grant_type);
  }
  auto in = exchange("c");
  in.body = token_text("c", std::string(100, 'x'));
  CHECK(in.send(*this).body == wrong_grant_type);
}

TEST_CASE_METHOD(platforms_fixture, "a merchant's key gets platform_key_required only after all other checks") {
  const auto by_merchant = [](client_request in) {
    in.key = "mk_test_0000000000000001";
    return in;
  };
  for (const auto& [whole, bad_body] :
       {std::pair{by_merchant(exchange(code_for())), R"({"code":"c"})"}, std::pair{by_merchant(revoke_key()), "[]"}}) {
    CAPTURE(whole.path);
    scene.commands = [](const find_command&) { return command_lookup{}; };
    const auto with = [&, whole = whole](auto change) {
      auto in = whole;
      change(in);
      return reported(in.send(*this));
    };
    CHECK(with([](auto& in) { in.signature_override = std::string(64, 'a'); }) == "401 unauthorized");
    CHECK(with([](auto& in) { in.idempotency = ""; }) == "400 idempotency_key_required");
    CHECK(with([](auto& in) { in.idempotency = "1"; }) == "400 idempotency_key_invalid");
    CHECK(with([&, bad = bad_body](auto& in) { in.body = bad; }) == "400 invalid_request");
    CHECK(with([](auto& in) {
            in.body = "{}";
            in.content_type = "text/plain";
          }) == "415 unsupported_media_type");
    CHECK(with([](auto&) {}) == "422 platform_key_required");
    std::vector<command_key> looked_for;
    scene.commands = [&](const find_command& what) {
      looked_for.push_back(what.key);
      command_record record;
      record.key = what.key;
      record.fingerprint = "of another request";
      record.result = answer{200, "{}"};
      return command_lookup{record};
    };
    CHECK(with([](auto&) {}) == "409 IDEMPOTENCY_KEY_REUSED");
    REQUIRE(looked_for.size() == 1);
    CHECK(looked_for[0] ==
          command_key{merchant_id{"merch_1"}, environment::test, "", "0b6f3c1e-54a4-4f1b-9d2c-8e7a6b5c4d3e"});
  }
  // A grant's revoke accepts platforms only and rejects a merchant's key as an invalid client.
  auto in = by_merchant(revoke());
  in.idempotency = "";
  CHECK(described(in.send(*this)) == "401 invalid_client");
  CHECK(scene.seen.empty());
}

TEST_CASE_METHOD(
    platforms_fixture,
    "a code that leads nowhere, or to another platform, asks no actor; the idempotency key is checked first") {
  for (const auto& code : {std::string{"nonsense"}, code_for("plat_2")}) {
    scene.commands = [](const find_command&) { return command_lookup{}; };
    CHECK(described(exchange(code).send(*this)) == "400 invalid_grant");
    remember("of another request", answer{200, "{}"});
    CHECK(described(exchange(code).send(*this)) == "409 IDEMPOTENCY_KEY_REUSED");
  }
  scene.commands = [](const find_command&) { return make_error(actor_errc::store_unavailable); };
  CHECK(described(exchange("nonsense").send(*this)) == "503 store_unavailable");
  CHECK(scene.seen.empty());
}

TEST_CASE_METHOD(platforms_fixture, "a grant is revoked by its platform, and the answer is empty") {
  scene.grants = [](const find_grant& what) {
    CHECK(what.id.value == "grant_1");
    return grant_lookup{binding(), true};
  };
  scene.router = [](const entity_request&) {
    return entity_reply{finished{std::make_shared<const answer>(make_grant_encoder()->revoked()), true}};
  };
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"", "integrator_requested"}, {"{}", "integrator_requested"}, {R"({"reason":"over"})", "over"}};
  for (const auto& [body, reason] : rows) {
    const auto out = revoke(std::string{body}).send(*this);
    CHECK(reported(out) == "204");
    CHECK(header(out, "Idempotent-Replayed") == "true");
    const auto* wanted = command_if<revoke_request>(scene.seen.back().what);
    REQUIRE(wanted);
    CHECK(wanted->what.id.value == "grant_1");
    CHECK(wanted->what.reason == reason);
    CHECK(wanted->is_past);
    CHECK(scene.seen.back().key == binding());
    CHECK(scene.seen.back().write->key.merchant.empty());
    CHECK(scene.seen.back().write->key.principal == "plat_1");
  }
}

TEST_CASE_METHOD(platforms_fixture, "an unknown grant, or another platform's, is not found") {
  CHECK(reported(revoke().send(*this)) == "404 GRANT_NOT_FOUND");
  scene.grants = [](const find_grant&) { return grant_lookup{binding("plat_2"), false}; };
  CHECK(reported(revoke().send(*this)) == "404 GRANT_NOT_FOUND");
  remember("of another request", answer{204, ""});
  CHECK(reported(revoke().send(*this)) == "409 IDEMPOTENCY_KEY_REUSED");
  CHECK(scene.seen.empty());
  CHECK(reported(revoke(boost::json::serialize(boost::json::object{{"reason", std::string(201, 'x')}})).send(*this)) ==
        "400 invalid_request");
}

TEST_CASE_METHOD(
    platforms_fixture,
    "every 401 of a grant's revoke is invalid_client, including a merchant's key and a suspended platform's") {
  const auto with = [&](auto change) {
    auto in = revoke();
    change(in);
    return described(in.send(*this));
  };
  CHECK(with([](auto& in) { in.signature_override = std::string(64, 'a'); }) == "401 invalid_client");
  CHECK(with([](auto& in) { in.key = "mk_platform_ffffffff"; }) == "401 invalid_client");
  CHECK(with([](auto& in) { in.key = "mk_test_0000000000000001"; }) == "401 invalid_client");
  CHECK(with([](auto& in) { in.key = ""; }) == "401 invalid_client");
  publish_platforms_key(true);
  CHECK(with([](auto&) {}) == "401 invalid_client");
  publish_platforms_key(false);
  auto in = revoke();
  in.idempotency = "";
  CHECK(reported(in.send(*this)) == "400 idempotency_key_required");
}

TEST_CASE_METHOD(platforms_fixture, "a platform revokes a key of its own, once under one idempotency key") {
  std::vector<revoke_own_key> asked;
  scene.operators = [&](const operator_command& what) {
    asked.push_back(std::get<revoke_own_key>(what));
    return operator_result{named_result{"mk_platform_00000002", "revoked"}};
  };
  const auto out = revoke_key().send(*this);
  CHECK(reported(out) == "204");
  CHECK(header(out, "Idempotent-Replayed").empty());
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].id.value == "mk_platform_00000002");
  CHECK(asked[0].platform.value == "plat_1");
  CHECK(asked[0].write.merchant.empty());
  CHECK(asked[0].write.principal == "plat_1");

  remember(asked[0].fingerprint, answer{204, ""});
  const auto again = revoke_key().send(*this);
  CHECK(reported(again) == "204");
  CHECK(header(again, "Idempotent-Replayed") == "true");
  CHECK(reported(revoke_key("mk_platform_00000003").send(*this)) == "409 IDEMPOTENCY_KEY_REUSED");
  CHECK(asked.size() == 1);
}

TEST_CASE_METHOD(platforms_fixture, "a stored revoke of a key that still signs is executed before it is replayed") {
  merchants.publish(std::make_shared<const platform_key>(
      platform_key{key_id{"mk_platform_00000002"}, platform_id{"plat_1"}, *parse_scopes("payments:write"), "s"}));
  std::string fingerprint;
  unsigned again = 0;
  scene.operators = [&](const operator_command& what) -> operator_result {
    if (const auto* own = std::get_if<revoke_own_key>(&what)) fingerprint = own->fingerprint;
    if (std::holds_alternative<gateway::revoke_key>(what)) ++again;
    return operator_result{named_result{"mk_platform_00000002", "revoked"}};
  };
  revoke_key().send(*this);
  remember(fingerprint, answer{204, ""});
  CHECK(reported(revoke_key().send(*this)) == "204");
  CHECK(again == 1);
}

TEST_CASE_METHOD(platforms_fixture, "another platform's key is not found, and a merchant's key revokes none") {
  scene.operators = [](const operator_command&) { return operator_result{no_such("key", "mk_platform_00000002")}; };
  CHECK(reported(revoke_key().send(*this)) == "404 not_found");
  auto in = revoke_key();
  in.key = "mk_test_0000000000000001";
  CHECK(reported(in.send(*this)) == "422 platform_key_required");
}

TEST_CASE_METHOD(platforms_fixture, "customers, saved charges and subscriptions do not exist in test") {
  for (const auto env : {environment::test, environment::live})
    merchants.publish(
        grant_update{{platform_id{"plat_1"}, merchant_id{"merch_1"}},
                     env,
                     {grant_state::active, *parse_scopes("payments:write payments:read customers:read"), 1}});
  const auto send = [&](std::string_view method, std::string_view path, std::string_view body, std::string_view query) {
    const auto timestamp = format_seconds(noon);
    const auto hash = crypto::hex(crypto::sha256(body));
    const auto signature = crypto::hex(crypto::hmac_sha256("secret", canonical_request(method, path, timestamp, hash)));
    auto in = unsigned_request(method, path, body);
    in.key_id = platforms_key;
    in.timestamp = timestamp;
    in.signature = signature;
    in.idempotency_key = uuid;
    in.service_merchant = "merch_1";
    in.query = query;
    in.has_query = !query.empty();
    return reported(run(in));
  };
  constexpr std::string_view with_customer =
      R"({"payment_id":"pay_1","amount":1,"currency":"HKD","payment_method":"pm_x","customer_ref":"c",)"
      R"("setup_future_usage":"off_session"})";
  constexpr std::string_view charge =
      R"({"payment_id":"pay_1","amount":1,"currency":"HKD","customer_ref":"c","payment_method_id":"pm_x"})";
  constexpr std::string_view checkout =
      R"({"subscription_id":"s","amount":1,"currency":"HKD","customer_ref":"c","interval":"day",)"
      R"("success_url":"https://a.example/","cancel_url":"https://a.example/"})";
  const std::tuple<std::string_view, std::string_view, std::string_view, std::string_view> rows[] = {
      {"POST", "/v1/charges/saved", charge, ""},
      {"GET", "/v1/customers/by_ref", "", "ref=c&"},
      {"POST", "/v1/subscription_checkouts", checkout, ""},
      {"POST", "/v1/payment_intents", with_customer, ""}};
  for (const auto& [method, path, body, query] : rows) {
    const std::string with{query};
    CHECK(send(method, path, body, with + "environment=test") == "422 test_customer_mappings_unavailable");
    CHECK(send(method, path, body, with + "environment=both") == "400 INVALID_ENVIRONMENT");
  }
  CHECK(scene.seen.empty());
}
