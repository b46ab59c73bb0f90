// The facts that gatewayctl compliance asks the gateway for.
#include "routes_fixture.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;

TEST_CASE_METHOD(gateway_fixture, "the facts for an audit name settings, master keys and operators, and no secret") {
  scene.of<find_master_keys>() = [](const find_master_keys& query) {
    CHECK(query.count);
    master_keys_lookup found;
    found.keys = {{"mk_a", "finger-a", 0, master_key_status::old, "", noon},
                  {"mk_b", "finger-b", 1, master_key_status::current, "wrapped-b", noon + std::chrono::hours{24}}};
    found.sealed = {{"", 2}, {"mk_a", 3}, {"mk_b", 7}};
    return found;
  };
  scene.of<find_operators>() = [](const find_operators&) {
    return operators_lookup{{{"ada", operator_role::admin, true}, {"bob", operator_role::viewer, false}}};
  };
  prometheus::BuildGauge()
      .Name("gateway_store_info")
      .Help("")
      .Register(meters.registry())
      .Add({{"engine", "SQLite 3"}});
  config.node = "n1";
  config.core_dumps = true;
  const auto out = run(unsigned_request("POST", "/operator/compliance", "{}"), handle_operator);
  INFO(out.body);
  REQUIRE(out.status == 200);
  const auto facts = boost::json::parse(out.body).as_object();
  CHECK(boost::json::serialize(facts.at("master_keys")) ==
        R"([{"id":"mk_a","status":"old","created_at":"2026-11-20T12:00:00.000Z","sealed":5},)"
        R"({"id":"mk_b","status":"current","created_at":"2026-11-21T12:00:00.000Z","sealed":7}])");
  CHECK(boost::json::serialize(facts.at("operators")) ==
        R"([{"name":"ada","role":"admin","is_set_up":true},{"name":"bob","role":"viewer","is_set_up":false}])");
  const auto& settings = facts.at("settings").as_object();
  CHECK(facts.at("node").as_string() == "n1");
  CHECK(settings.at("core_dumps").as_bool());
  CHECK(settings.at("payments_kept_ms").is_null());
  CHECK(settings.at("audit_kept_ms").is_null());
  CHECK(settings.at("events_kept_ms").as_int64() == 90 * 86'400'000LL);
  CHECK(settings.at("console_session_idle_ms").as_int64() == 900'000);
  CHECK_FALSE(settings.at("master_key_command").as_bool());
  CHECK(settings.at("master_key_beside_data").as_bool());
  CHECK(settings.at("store").as_string() == "sqlite");
  CHECK(settings.at("engine").as_string() == "SQLite 3");
  for (const auto* secret : {"finger-a", "wrapped-b"}) CHECK(out.body.find(secret) == out.body.npos);
}

TEST_CASE_METHOD(gateway_fixture, "without the database there are no facts") {
  scene.of<find_operators>() = [](const find_operators&) -> caf::expected<operators_lookup> {
    return make_error(actor_errc::store_unavailable);
  };
  scene.of<find_master_keys>() = [](const find_master_keys&) { return master_keys_lookup{}; };
  CHECK(run(unsigned_request("POST", "/operator/compliance", "{}"), handle_operator).status == 503);
}
