// The operator socket's routes, in the words that gatewayctl prints.
#include "routes_fixture.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;

TEST_CASE_METHOD(gateway_fixture, "operators' commands are decoded, asked and told in gatewayctl's words") {
  const auto ask_operator = [&](std::string_view path, std::string_view body) {
    return run(unsigned_request("POST", path, body), handle_operator);
  };
  scene.operators = [](const operator_command& asked) -> operator_result {
    if (std::holds_alternative<create_merchant>(asked))
      return created_merchant{merchant_id{"merch_9"}, entity_id{"ent_9"}};
    if (const auto* mint = std::get_if<mint_key>(&asked)) return minted_key{key_id{"mk_test_9"}, "hush", mint->scopes};
    return named_result{"id_9", "connected"};
  };
  CHECK(ask_operator("/operator/merchants", R"({"name":"Tea","entity":"wallet"})").body ==
        R"({"merchant_id":"merch_9","entity_id":"ent_9"})");
  CHECK(ask_operator("/operator/keys", R"({"merchant_id":"merch_1","mode":"test"})").body ==
        R"({"key_id":"mk_test_9","secret":"hush","scopes":"payments:write payments:read mcp:read"})");
  CHECK(ask_operator("/operator/keys/revoke", R"({"key_id":"mk_test_0000000000000001"})").body ==
        R"({"id":"id_9","status":"connected"})");
  CHECK(ask_operator("/operator/users", R"({"merchant_id":"merch_1","email":"a@b.example","password":"correct horse"})")
            .body == R"({"user_id":"id_9"})");
  CHECK(ask_operator("/operator/connections",
                     R"({"merchant_id":"merch_1","mode":"live","provider":"sandbox","status":"connected"})")
            .body == R"({"id":"id_9","status":"connected"})");
  CHECK(ask_operator(
            "/operator/routes",
            R"({"merchant_id":"merch_1","mode":"test","provider":"sandbox","currencies":["hkd"],"methods":["card"]})")
            .body == R"({"id":"id_9"})");
}

TEST_CASE_METHOD(gateway_fixture, "operators' mistakes are named") {
  struct {
    std::string_view path, body, part;
    int status;
  } const rows[] = {
      {"/operator/merchants", "{}", "name", 400},
      {"/operator/merchants", R"({"name":"x","entity":"bank"})", "entity", 400},
      {"/operator/merchants", R"({"name":"x","owner_email":"nobody"})", "owner_email", 400},
      {"/operator/keys", R"({"merchant_id":"merch_1","mode":"prod"})", "mode", 400},
      {"/operator/keys", R"({"merchant_id":"merch_1","mode":"test","scopes":"all"})", "scopes", 400},
      {"/operator/keys", R"({"merchant_id":"merch_x","mode":"test"})", "merch_x", 404},
      {"/operator/keys/revoke", R"({"key_id":"mk_test_x"})", "mk_test_x", 404},
      {"/operator/users", R"({"merchant_id":"merch_1","email":"a@b.example","password":"short"})", "password", 400},
      {"/operator/connections", R"({"merchant_id":"merch_1","mode":"test","provider":"bank","status":"connected"})",
       "provider", 400},
      {"/operator/connections", R"({"merchant_id":"merch_1","mode":"test","provider":"sandbox","status":"on"})",
       "status", 400},
      {"/operator/routes",
       R"({"merchant_id":"merch_1","mode":"test","provider":"sandbox","currencies":["DEM"],"methods":["card"]})",
       "currencies", 400},
      {"/operator/routes", R"({"merchant_id":"merch_1","mode":"test","provider":"sandbox","methods":["cash"]})",
       "methods", 400},
      {"/operator/routes", R"({"merchant_id":"merch_1","mode":"test","provider":"sandbox","methods":["card"]})",
       "nothing was expected", 409},
  };
  for (const auto& row : rows) {
    INFO(row.body);
    const auto out = run(unsigned_request("POST", row.path, row.body), handle_operator);
    CHECK(out.status == row.status);
    CHECK(out.body.find(row.part) != std::string::npos);
  }
  scene.operators = [](const operator_command&) -> caf::result<operator_result> {
    return make_error(actor_errc::store_unavailable);
  };
  CHECK(run(unsigned_request("POST", "/operator/merchants", R"({"name":"x"})"), handle_operator).status == 503);
}
