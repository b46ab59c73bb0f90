// What a caller may do, rule by rule.
#include <catch2/catch.hpp>

#include "http/access/authorization.hpp"

using namespace gateway;
using namespace gateway::http;

namespace {

caller merchants_key(std::string_view scopes, environment env = environment::test) {
  return merchant_key{key_id{"mk_test_1"}, merchant_id{"merch_1"}, env, *parse_scopes(scopes)};
}

request naming(std::string_view merchant) {
  request in;
  in.service_merchant = merchant;
  return in;
}

/// In test the platform has a grant for payments:write and payments:read; in live it has a revoked one for
/// payments:read. merch_2 has a grant in live only, merch_3 in test only, and merch_4 has revoked both.
const directory& published() {
  static directory known;
  static const bool once = [] {
    const auto publish = [](std::string_view merchant, environment env, grant_state state, std::string_view scopes) {
      known.publish(grant_update{
          {platform_id{"plat_1"}, merchant_id{std::string{merchant}}}, env, {state, *parse_scopes(scopes), 1}});
    };
    publish("merch_1", environment::test, grant_state::active, "payments:write payments:read");
    publish("merch_1", environment::live, grant_state::revoked, "payments:read");
    publish("merch_2", environment::live, grant_state::active, "payments:write");
    publish("merch_3", environment::test, grant_state::active, "payments:write");
    publish("merch_4", environment::test, grant_state::revoked, "payments:write");
    publish("merch_4", environment::live, grant_state::revoked, "payments:write");
    return true;
  }();
  (void)once;
  return known;
}

ruling reported(caller who, const request& in, scope needed = scope::payments_write) {
  return authorize(std::move(who), in, needed, published());
}

caller platforms_key(std::string_view scopes, std::string_view platform = "plat_1") {
  return platform_caller{key_id{"mk_platform_00000001"}, platform_id{std::string{platform}}, *parse_scopes(scopes)};
}

/// The answer to a platform: the error code's text, or the merchant it acts for.
std::string answer_to_platform(std::string_view query, std::optional<std::string_view> merchant,
                               std::string_view scopes = "payments:write", scope needed = scope::payments_write,
                               std::string_view platform = "plat_1") {
  request in;
  in.query = query;
  in.has_query = !query.empty();
  in.service_merchant = merchant;
  const auto judged = reported(platforms_key(scopes, platform), in, needed);
  if (const auto* why = std::get_if<rejection>(&judged)) {
    const auto& row = row_of(why->code);
    return std::to_string(row.status) + " " + std::string{row.text};
  }
  const auto& allowed = std::get<permit>(judged);
  CHECK(allowed.by_platform);
  return allowed.merchant.value + " " + std::string{to_string(allowed.env)} + " for " + allowed.principal;
}

}  // namespace

TEST_CASE("a merchant's key acts for its merchant in its environment, and shares the merchant's idempotency keys") {
  for (const auto env : {environment::test, environment::live}) {
    const auto allowed = std::get<permit>(reported(merchants_key("payments:write", env), request{}));
    CHECK(allowed.merchant.value == "merch_1");
    CHECK(allowed.env == env);
    CHECK(allowed.principal.empty());
    CHECK_FALSE(allowed.by_platform);
  }
  CHECK(std::holds_alternative<permit>(reported(merchants_key("payments:write"), naming("merch_1"))));
  CHECK(std::holds_alternative<permit>(reported(merchants_key("*"), request{})));
}

TEST_CASE("Service-Merchant may not name another merchant, whatever the key's scopes") {
  for (const auto scopes : {"payments:write", "payments:read"}) {
    const auto why = std::get<rejection>(reported(merchants_key(scopes), naming("merch_2")));
    CHECK(why.code == error_code::merchant_id_mismatch);
    CHECK(why.message == "Service-Merchant: not the merchant whose key signed the request");
  }
  CHECK(std::get<rejection>(reported(merchants_key("*"), naming(""))).code == error_code::merchant_id_mismatch);
}

TEST_CASE("a key without the operation's scope is rejected with the scope's name") {
  const auto why = std::get<rejection>(reported(merchants_key("payments:read"), request{}));
  CHECK(why.code == error_code::forbidden);
  CHECK(why.message == "This operation needs the scope payments:write.");
  CHECK(std::holds_alternative<permit>(reported(merchants_key("payments:read"), request{}, scope::payments_read)));
}

TEST_CASE("a body names the merchant for whom the request acts, or none") {
  const permit allowed{merchant_id{"merch_1"}, environment::test, {}, false};
  CHECK_FALSE(check_merchant(allowed, merchant_id{}));
  CHECK_FALSE(check_merchant(allowed, merchant_id{"merch_1"}));
  const auto why = check_merchant(allowed, merchant_id{"merch_2"});
  REQUIRE(why);
  CHECK(why->code == error_code::merchant_id_mismatch);
  CHECK(why->message == "merchant_id: not the merchant whose key signed the request");
}

TEST_CASE("a merchant's key gets no error about the environment in the query") {
  for (const auto query : {"environment=live", "environment=", "environment=test&environment=live"}) {
    request in;
    in.query = query;
    in.has_query = true;
    CHECK(std::get<permit>(reported(merchants_key("payments:write"), in)).env == environment::test);
  }
}

TEST_CASE("a platform acts for a merchant that has granted it, in the environment that the query names") {
  CHECK(answer_to_platform("environment=test", "merch_1") == "merch_1 test for plat_1");
  CHECK(answer_to_platform("", "merch_2") == "merch_2 live for plat_1");
  CHECK(answer_to_platform("environment=live", "merch_2") == "merch_2 live for plat_1");
  CHECK(answer_to_platform("a=b&environment=%74est&c", "merch_1") == "merch_1 test for plat_1");
  // A key with `*` may do what the grant permits, and no more.
  CHECK(answer_to_platform("environment=test", "merch_1", "*", scope::payments_read) == "merch_1 test for plat_1");
  CHECK(answer_to_platform("environment=test", "merch_3", "*", scope::payments_read) == "403 SCOPE_NOT_GRANTED");
}

TEST_CASE("an environment that is empty, unknown or repeated is refused") {
  for (const auto query : {"environment=", "environment", "environment=TEST", "environment=test%20", "environment=prod",
                           "environment=test&environment=test", "environment=live&a=1&environment=test",
                           "%65nvironment=test&environment=live"})
    CHECK(answer_to_platform(query, "merch_1") == "400 INVALID_ENVIRONMENT");
  std::string many = "environment=test";
  for (int i = 0; i < 300; ++i) many += "&a=1";
  CHECK(answer_to_platform(many, "merch_1") == "400 INVALID_ENVIRONMENT");
}

TEST_CASE("of two faults the one that is checked first is answered") {
  // Each row has the fault that it expects, and the fault of the next row.
  const std::string no_environment = "environment=prod";
  CHECK(answer_to_platform(no_environment, std::nullopt) == "400 INVALID_ENVIRONMENT");
  CHECK(answer_to_platform("", std::nullopt) == "400 MOOOV_MERCHANT_REQUIRED");
  CHECK(answer_to_platform("", "") == "400 MOOOV_MERCHANT_REQUIRED");
  // No grant, and no common scope either.
  CHECK(answer_to_platform("", "merch_9", "mcp:read") == "403 GRANT_NOT_FOUND");
  CHECK(answer_to_platform("", "merch_3", "mcp:read") == "403 MERCHANT_GRANT_REQUIRED");
  // No common scope: neither the grant nor the key permits it.
  CHECK(answer_to_platform("environment=test", "merch_1", "mcp:read", scope::refunds_write) == "403 SCOPE_DENIED");
  // Common scopes, but neither permits this: the grant's fault is answered.
  CHECK(answer_to_platform("environment=test", "merch_1", "payments:read", scope::refunds_write) ==
        "403 SCOPE_NOT_GRANTED");
  CHECK(answer_to_platform("environment=test", "merch_1", "payments:read") == "403 forbidden");
}

TEST_CASE("a grant is reported as absent, as given in the other environment, or as revoked") {
  CHECK(answer_to_platform("", "merch_9") == "403 GRANT_NOT_FOUND");                     // no such merchant
  CHECK(answer_to_platform("environment=test", "merch_2") == "403 MERCHANT_GRANT_REQUIRED");
  CHECK(answer_to_platform("environment=live", "merch_3") == "403 MERCHANT_GRANT_REQUIRED");
  CHECK(answer_to_platform("", "merch_1") == "403 GRANT_NOT_FOUND");  // revoked here, active in test
  CHECK(answer_to_platform("", "merch_4") == "403 GRANT_NOT_FOUND");
  // Another platform's grant does not count.
  CHECK(answer_to_platform("environment=test", "merch_1", "*", scope::payments_write, "plat_2") ==
        "403 GRANT_NOT_FOUND");
}

TEST_CASE("the message of a missing scope names it") {
  request in = naming("merch_1");
  in.query = "environment=test";
  const auto of_grant = std::get<rejection>(reported(platforms_key("*"), in, scope::refunds_write));
  CHECK(of_grant.message == "This operation needs the scope refunds:write.");
  const auto of_key = std::get<rejection>(reported(platforms_key("payments:read"), in));
  CHECK(of_key.message == "This operation needs the scope payments:write.");
}

TEST_CASE("a platform's own operations need its key only, in a key space of their own") {
  const auto allowed = permit_of_signer(platforms_key("mcp:read"));
  CHECK(allowed.principal == "plat_1");
  CHECK(allowed.merchant.empty());
  CHECK(allowed.by_platform);
  // A merchant's key keeps its merchant here, too: the handler rejects it as not a platform's.
  const auto of_merchant = permit_of_signer(merchants_key("*"));
  CHECK(of_merchant.merchant.value == "merch_1");
  CHECK(of_merchant.principal.empty());
  CHECK_FALSE(of_merchant.by_platform);
}

TEST_CASE("a body may name the merchant of Service-Merchant, and no other") {
  const permit allowed{merchant_id{"merch_1"}, environment::test, "plat_1", true};
  CHECK_FALSE(check_merchant(allowed, merchant_id{}));
  CHECK_FALSE(check_merchant(allowed, merchant_id{"merch_1"}));
  const auto why = check_merchant(allowed, merchant_id{"merch_2"});
  REQUIRE(why);
  CHECK(why->code == error_code::merchant_id_mismatch);
  CHECK(why->message == "merchant_id: not the merchant that Service-Merchant names");
}
