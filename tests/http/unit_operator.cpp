// The operator socket's routes, with the texts that gatewayctl prints.
#include <bit>

#include "http/operator/encode.hpp"
#include "routes_fixture.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;

namespace {

/// A command on the socket, the directory's result, and the answer to gatewayctl.
struct command_row {
  std::string_view path, body;
  operator_result made;
  std::string_view reported;
};

const command_row commands[] = {
    {"/operator/merchants", R"({"name":"Tea","entity":"wallet"})",
     created_merchant{merchant_id{"merch_9"}, entity_id{"ent_9"}}, R"({"merchant_id":"merch_9","entity_id":"ent_9"})"},
    {"/operator/keys", R"({"merchant_id":"merch_1","mode":"test"})",
     minted_key{key_id{"mk_test_9"}, "hush", *parse_scopes(default_merchant_scopes)},
     R"({"key_id":"mk_test_9","secret":"hush","scopes":"payments:write payments:read mcp:read"})"},
    {"/operator/keys/revoke", R"({"key_id":"mk_test_9"})", named_result{"mk_test_9", "revoked"},
     R"({"id":"mk_test_9","status":"revoked"})"},
    {"/operator/users", R"({"merchant_id":"merch_1","email":"a@b.example","password":"correct horse"})",
     added_user{user_id{"user_9"}}, R"({"user_id":"user_9"})"},
    {"/operator/connections", R"({"merchant_id":"merch_1","mode":"live","provider":"sandbox","status":"connected"})",
     named_result{"conn_9", "connected"}, R"({"id":"conn_9","status":"connected"})"},
    {"/operator/routes",
     R"({"merchant_id":"merch_1","mode":"test","provider":"sandbox","currencies":["hkd"],"methods":["card"]})",
     placed_route{"route_9"}, R"({"id":"route_9"})"},
    {"/operator/platforms",
     R"({"name":"Tea","slug":"tea","contact":"a@b.example","redirect_uris":["https://tea.example/back"]})",
     saved_platform{platform_id{"plat_9"}, "tea"}, R"({"platform_id":"plat_9","client_id":"tea"})"},
    {"/operator/platforms/set", R"({"platform_id":"plat_9","name":"Coffee"})",
     saved_platform{platform_id{"plat_9"}, "tea"}, R"({"platform_id":"plat_9","client_id":"tea"})"},
    {"/operator/platforms/status", R"({"platform_id":"plat_9","status":"suspended"})",
     named_result{"plat_9", "suspended"}, R"({"id":"plat_9","status":"suspended"})"},
    {"/operator/platform-keys", R"({"platform_id":"plat_9"})",
     minted_key{key_id{"mk_platform_00000009"}, "hush", *parse_scopes(default_platform_scopes)},
     R"({"key_id":"mk_platform_00000009","secret":"hush",)"
     R"("scopes":"payments:write payments:read customers:write webhooks:configure"})"},
    {"/operator/destinations", R"({"merchant_id":"merch_1","mode":"test","url":"https://shop.example/hooks"})",
     destination_secret{destination_id{"dest_9"}, "whsec_9"}, R"({"destination_id":"dest_9","secret":"whsec_9"})"},
    {"/operator/destinations/enable", R"({"destination_id":"dest_9"})", named_result{"dest_9", "enabled"},
     R"({"id":"dest_9","status":"enabled"})"},
    {"/operator/destinations/disable", R"({"destination_id":"dest_9"})", named_result{"dest_9", "disabled"},
     R"({"id":"dest_9","status":"disabled"})"},
    {"/operator/destinations/delete", R"({"destination_id":"dest_9"})", named_result{"dest_9", "deleted"},
     R"({"id":"dest_9","status":"deleted"})"},
    {"/operator/destinations/rotate-secret", R"({"destination_id":"dest_9"})",
     rotated_secret{destination_id{"dest_9"}, "whsec_9", noon},
     R"({"destination_id":"dest_9","secret":"whsec_9","previous_valid_until":"2026-11-20T12:00:00.000Z"})"},
};

}  // namespace

TEST_CASE_METHOD(gateway_fixture,
                 "every command is answered with what it made, what does not exist, or what conflicts") {
  operator_result answer;
  std::size_t asked = 0;
  scene.operators = [&](const operator_command& command) {
    asked |= std::size_t{1} << command.index();
    return answer;
  };
  for (const auto& row : commands) {
    INFO(row.path);
    const auto reported = [&](operator_result what) {
      answer = std::move(what);
      const auto out = run(unsigned_request("POST", row.path, row.body), handle_operator);
      return std::pair{out.status, out.body};
    };
    CHECK(reported(row.made) == std::pair{200, std::string{row.reported}});
    CHECK(reported(no_such("thing", "thing_x")) ==
          std::pair{404, std::string{R"({"error":"not_found","message":"There is no thing thing_x."})"}});
    CHECK(reported(operator_problem{operator_problem::kind::conflict, "the thing changed meanwhile"}) ==
          std::pair{409, std::string{R"({"error":"conflict","message":"the thing changed meanwhile"})"}});
  }
  CHECK(static_cast<std::size_t>(std::popcount(asked)) == std::size(commands));
}

TEST_CASE_METHOD(gateway_fixture, "a command with an unknown outcome says so, and a rejected one does not") {
  actor_errc failure{};
  scene.operators = [&](const operator_command&) -> caf::result<operator_result> { return make_error(failure); };
  for (const auto& row : commands) {
    INFO(row.path);
    failure = actor_errc::store_unavailable;
    auto out = run(unsigned_request("POST", row.path, row.body), handle_operator);
    CHECK(out.status == 503);
    CHECK(header(out, "Retry-After") == "1");
    CHECK(out.body == R"({"error":"store_unavailable",)"
                      R"("message":"The command may or may not have taken effect: look, then repeat it."})");
    failure = actor_errc::overloaded;
    out = run(unsigned_request("POST", row.path, row.body), handle_operator);
    CHECK(out.status == 503);
    CHECK(header(out, "Retry-After") == "1");
    CHECK(out.body ==
          R"({"error":"overloaded","message":"The gateway is busy; nothing was changed. Repeat the command."})");
  }
}

TEST_CASE_METHOD(gateway_fixture,
                 "a new password has the length limit in bytes of the sign-in form, so that it can be typed there") {
  scene.operators = [](const operator_command&) -> operator_result { return added_user{user_id{"user_9"}}; };
  const auto status = [&](const std::string& password) {
    const auto body = R"({"merchant_id":"merch_1","email":"a@b.example","password":")" + password + "\"}";
    return run(unsigned_request("POST", "/operator/users", body), handle_operator).status;
  };
  std::string wide;
  for (int i = 0; i < 341; ++i) wide += "\xe2\x82\xac";
  CHECK(status(wide + "x") == 200);
  CHECK(status(wide + "\xc3\xa9") == 400);
  CHECK(status(std::string(1'024, 'x')) == 200);
  CHECK(status(std::string(1'025, 'x')) == 400);
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
      {"/operator/routes",
       R"({"merchant_id":"merch_1","mode":"live","provider":"sandbox","methods":["card","recurring_card"]})",
       "nothing was expected", 409},
      {"/operator/routes", R"({"merchant_id":"merch_1","mode":"test","provider":"sandbox","methods":["card"]})",
       "nothing was expected", 409},
  };
  for (const auto& row : rows) {
    INFO(row.body);
    const auto out = run(unsigned_request("POST", row.path, row.body), handle_operator);
    CHECK(out.status == row.status);
    CHECK(out.body.find(row.part) != std::string::npos);
  }
}

TEST_CASE("a node that starts is not reported as one that serves") {
  const auto node = [](std::string name, node_status status) {
    node_row row;
    row.name = std::move(name);
    row.status = status;
    return row;
  };
  const auto reported = encode_nodes({node("n1", node_status::up), node("n2", node_status::joining),
                                      node("n3", node_status::draining), node("n4", node_status::gone)});
  CHECK(reported.find(R"("node":"n1","address":"","status":"up")") != std::string::npos);
  CHECK(reported.find("n2") == std::string::npos);
  CHECK(reported.find(R"("node":"n3","address":"","status":"draining")") != std::string::npos);
  CHECK(reported.find(R"("node":"n4","address":"","status":"gone")") != std::string::npos);
}
