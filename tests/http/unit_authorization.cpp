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

/// A merchant's key needs no look-up: its ruling is there at once.
ruling told(caller who, const request& in, scope needed = scope::payments_write) {
  auto judged = authorize(std::move(who), in, needed);
  REQUIRE(std::holds_alternative<ruling>(judged));
  return std::get<ruling>(std::move(judged));
}

}  // namespace

TEST_CASE("a merchant's key acts for its merchant in its environment, and shares the merchant's idempotency keys") {
  for (const auto env : {environment::test, environment::live}) {
    const auto allowed = std::get<permit>(told(merchants_key("payments:write", env), request{}));
    CHECK(allowed.merchant.value == "merch_1");
    CHECK(allowed.env == env);
    CHECK(allowed.principal.empty());
  }
  CHECK(std::holds_alternative<permit>(told(merchants_key("payments:write"), naming("merch_1"))));
  CHECK(std::holds_alternative<permit>(told(merchants_key("*"), request{})));
}

TEST_CASE("Service-Merchant may not name another merchant, whatever the key's scopes") {
  for (const auto scopes : {"payments:write", "payments:read"}) {
    const auto why = std::get<rejection>(told(merchants_key(scopes), naming("merch_2")));
    CHECK(why.code == error_code::merchant_id_mismatch);
    CHECK(why.message == "Service-Merchant: not the merchant whose key signed the request");
  }
  CHECK(std::get<rejection>(told(merchants_key("*"), naming(""))).code == error_code::merchant_id_mismatch);
}

TEST_CASE("a key without the scope that the operation needs is rejected with the scope's name") {
  const auto why = std::get<rejection>(told(merchants_key("payments:read"), request{}));
  CHECK(why.code == error_code::forbidden);
  CHECK(why.message == "This operation needs the scope payments:write.");
  CHECK(std::holds_alternative<permit>(told(merchants_key("payments:read"), request{}, scope::payments_read)));
}

TEST_CASE("a body names the merchant whom the request acts for, or none") {
  const permit allowed{merchant_id{"merch_1"}, environment::test, {}};
  CHECK_FALSE(check_merchant(allowed, merchant_id{}));
  CHECK_FALSE(check_merchant(allowed, merchant_id{"merch_1"}));
  const auto why = check_merchant(allowed, merchant_id{"merch_2"});
  REQUIRE(why);
  CHECK(why->code == error_code::merchant_id_mismatch);
  CHECK(why->message == "merchant_id: not the merchant whose key signed the request");
}
