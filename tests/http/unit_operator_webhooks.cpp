// The operator socket's routes about webhooks: the requests to the actors, and the JSON that gatewayctl prints.
#include "routes_fixture.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;

namespace {

struct webhook_fixture : gateway_fixture {
  response ask_operator(std::string_view path, std::string_view body) {
    return run(unsigned_request("POST", path, body), handle_operator);
  }

  void publish_destination(destination what, std::string previous = {}, time_point until = {}) {
    webhook_endpoint endpoint{std::move(what), "whsec_hidden", std::move(previous), until};
    merchants.publish(std::make_shared<const webhook_endpoint>(std::move(endpoint)));
  }
};

destination to_shop(std::string id) {
  return {destination_id{std::move(id)},
          destination_kind::merchant,
          "merch_1",
          environment::test,
          "https://shop.example/hooks",
          {},
          destination_status::enabled,
          {},
          noon};
}

destination to_platform() {
  return {destination_id{"dest_p"},
          destination_kind::platform,
          "plat_1",
          environment::live,
          "https://p.example/",
          {"payment.captured", "payment.failed"},
          destination_status::disabled,
          "moving",
          noon + std::chrono::milliseconds{7}};
}

delivery_job captured(std::int64_t id, std::string to) {
  delivery_job job;
  job.row.id = id;
  job.row.subject = payment_key(merchant_id{"merch_1"}, environment::test, payment_id{"pay_1"});
  job.row.to = destination_id{std::move(to)};
  job.row.next_attempt_at = noon;
  job.row.created_at = noon;
  job.event = {"evt_1", job.row.subject, 0, "payment.captured", noon, R"({"payment_id":"pay_1"})"};
  return job;
}

constexpr std::string_view set_body =
    R"({"merchant_id":"merch_1","mode":"test","url":"https://shop.example/hooks","events":["payment.succeeded"]})";

}  // namespace

TEST_CASE_METHOD(webhook_fixture, "a destination is set once its URL has been checked") {
  std::optional<set_destination> asked;
  scene.operators = [&](const operator_command& command) -> operator_result {
    asked = std::get<set_destination>(command);
    return destination_secret{destination_id{"dest_1"}, "whsec_1"};
  };
  outbound.after = std::chrono::milliseconds{20};
  CHECK(ask_operator("/operator/destinations", set_body).body == R"({"destination_id":"dest_1","secret":"whsec_1"})");
  CHECK(outbound.checked == std::vector<std::string>{"https://shop.example/hooks"});
  CHECK(outbound.checked_for == std::vector<std::string>{"merch_1"});
  REQUIRE(asked);
  CHECK(asked->kind == destination_kind::merchant);
  CHECK(asked->owner == "merch_1");
  CHECK(asked->env == environment::test);
  CHECK(asked->events == std::vector<std::string>{"payment.captured"});
  CHECK_FALSE(asked->standard_webhooks);
}

TEST_CASE_METHOD(webhook_fixture, "a destination is set with signatures in the Standard Webhooks form, or without") {
  std::optional<set_destination> asked;
  scene.operators = [&](const operator_command& command) -> operator_result {
    asked = std::get<set_destination>(command);
    return destination_secret{destination_id{"dest_1"}, "whsec_1"};
  };
  const auto set = [&](const std::string& how) {
    return ask_operator("/operator/destinations",
                        R"({"merchant_id":"merch_1","mode":"test","url":"https://shop.example/hooks",)"
                        R"("standard_webhooks":")" +
                            how + "\"}")
        .status;
  };
  for (const auto& [how, expected] : {std::pair{"on", true}, std::pair{"off", false}}) {
    asked.reset();
    CHECK(set(how) == 200);
    REQUIRE(asked);
    CHECK(asked->standard_webhooks == expected);
  }
  asked.reset();
  CHECK(set("yes") == 400);
  CHECK_FALSE(asked);
}

TEST_CASE_METHOD(webhook_fixture,
                 "a URL that may not be used is a 400 with the checker's message, and nothing changes") {
  bool asked = false;
  scene.operators = [&](const operator_command&) -> operator_result {
    asked = true;
    return operator_problem{};
  };
  outbound.fault = "shop.example leads to 10.0.0.1, a private address";
  const auto out = ask_operator("/operator/destinations", set_body);
  CHECK(out.status == 400);
  CHECK(out.body.find("url: shop.example leads to 10.0.0.1, a private address") != std::string::npos);
  CHECK_FALSE(asked);
}

TEST_CASE_METHOD(webhook_fixture, "the URL of an unknown owner is not looked up, and the directory is not asked") {
  bool asked = false;
  scene.operators = [&](const operator_command&) -> operator_result {
    asked = true;
    return operator_problem{};
  };
  CHECK(ask_operator("/operator/destinations", R"({"merchant_id":"merch_x","mode":"test","url":"https://a.example"})")
            .body == R"({"error":"not_found","message":"There is no merchant merch_x."})");
  CHECK(ask_operator("/operator/destinations", R"({"platform_id":"plat_1","mode":"live","url":"https://a.example"})")
            .body == R"({"error":"not_found","message":"There is no platform plat_1."})");
  CHECK(outbound.checked.empty());
  CHECK_FALSE(asked);
}

TEST_CASE_METHOD(webhook_fixture,
                 "a check of a URL that never ends, or ends too late, is a 503 without other effects") {
  config.http.answer_timeout = std::chrono::milliseconds{50};
  outbound.silent = true;
  CHECK(ask_operator("/operator/destinations", set_body).status == 503);
  outbound.silent = false;
  outbound.after = std::chrono::milliseconds{300};  // answers after the fixture and its I/O thread's actor are gone
  CHECK(ask_operator("/operator/destinations", set_body).status == 503);
}

TEST_CASE_METHOD(webhook_fixture, "operators' mistakes about webhooks are named") {
  struct {
    std::string_view path, body, part;
    int status;
  } const rows[] = {
      {"/operator/destinations", R"({"mode":"test","url":"https://a.example"})", "merchant_id", 400},
      {"/operator/destinations",
       R"({"merchant_id":"merch_1","platform_id":"plat_1","mode":"test","url":"https://a.example"})", "platform_id",
       400},
      {"/operator/destinations", R"({"merchant_id":"merch_1","mode":"both","url":"https://a.example"})", "mode", 400},
      {"/operator/destinations", R"({"merchant_id":"merch_1","mode":"test"})", "url", 400},
      {"/operator/destinations",
       R"({"merchant_id":"merch_1","mode":"test","url":"https://a.example","events":["payment.made"]})",
       "'payment.made' is no event type", 400},
      {"/operator/destinations", R"({"merchant_id":"merch_x","mode":"test","url":"https://a.example"})",
       "no merchant merch_x", 404},
      {"/operator/destinations", R"({"platform_id":"plat_1","mode":"live","url":"https://a.example"})",
       "no platform plat_1", 404},
      {"/operator/destinations", set_body, "nothing was expected", 409},
      {"/operator/destinations/list", R"({"mode":"x"})", "mode", 400},
      {"/operator/destinations/enable", "{}", "destination_id", 400},
      {"/operator/destinations/rotate-secret", R"({"destination_id":"dest_1","overlap_hours":721})", "overlap_hours",
       400},
      {"/operator/deliveries/list", R"({"status":"lost"})", "status", 400},
      {"/operator/deliveries/list", R"({"limit":1001})", "limit", 400},
      {"/operator/deliveries/show", "{}", "id", 400},
      {"/operator/deliveries/show", R"({"id":7})", "no delivery 7", 404},
      {"/operator/deliveries/redeliver", "{}", "destination_id", 400},
      {"/operator/deliveries/redeliver", R"({"id":7,"destination_id":"dest_1"})", "not both", 400},
      {"/operator/deliveries/redeliver", R"({"id":7})", "no delivery 7", 404},
      {"/operator/deliveries/redeliver", R"({"destination_id":"dest_none"})", "no destination dest_none", 404},
      {"/operator/deliveries/redeliver", R"({"destination_id":"dest_1","from":"yesterday"})", "from", 400},
      {"/operator/deliveries/redeliver",
       R"({"destination_id":"d","from":"2026-11-20T12:00:00Z","until":"2026-11-20T11:00:00Z"})", "until", 400},
      {"/operator/events/list", "{}", "merchant_id", 400},
      {"/operator/events/list", R"({"merchant_id":"merch_x"})", "no merchant merch_x", 404},
  };
  for (const auto& row : rows) {
    INFO(row.path << ' ' << row.body);
    const auto out = ask_operator(row.path, row.body);
    CHECK(out.status == row.status);
    INFO(out.body);
    CHECK(out.body.find(row.part) != std::string::npos);
  }
}

TEST_CASE_METHOD(webhook_fixture, "destinations are listed as the store has them, without secrets") {
  std::vector<find_destinations> asked;
  const auto sealed = [](destination what, std::string previous, std::optional<time_point> until) {
    return stored_destination{std::move(what), "sealed whsec", std::move(previous), until};
  };
  auto first = to_shop("dest_c");
  first.created_at -= std::chrono::hours{1};
  destinations_lookup found{
      {sealed(first, "sealed whsec_old", noon),  // does not sign any more
       sealed(to_shop("dest_b"), "sealed whsec_old", noon + std::chrono::hours{1}), sealed(to_platform(), "", {})},
      0};
  scene.destinations = [&](const find_destinations& what) {
    asked.push_back(what);
    return found;
  };
  const auto all = ask_operator("/operator/destinations/list", "{}");
  CHECK(all.body.find("whsec") == std::string::npos);
  CHECK(
      all.body ==
      R"({"destinations":[{"id":"dest_c","kind":"merchant","owner":"merch_1","mode":"test","url":"https://shop.example/hooks","events":[],)"
      R"("status":"enabled","disabled_reason":"","created_at":"2026-11-20T11:00:00.000Z"},)"
      R"({"id":"dest_b","kind":"merchant","owner":"merch_1","mode":"test","url":"https://shop.example/hooks","events":[],)"
      R"("status":"enabled","disabled_reason":"","created_at":"2026-11-20T12:00:00.000Z","previous_secret_until":"2026-11-20T13:00:00.000Z"},)"
      R"({"id":"dest_p","kind":"platform","owner":"plat_1","mode":"live","url":"https://p.example/","events":["payment.succeeded","payment.failed"],)"
      R"("status":"disabled","disabled_reason":"moving","created_at":"2026-11-20T12:00:00.007Z"}]})");
  found = {{}, 3};
  CHECK(ask_operator("/operator/destinations/list", R"({"platform_id":"plat_1"})").body ==
        R"({"destinations":[],"left_out":3})");
  ask_operator("/operator/destinations/list", R"({"merchant_id":"merch_1","mode":"live"})");
  REQUIRE(asked.size() == 3);
  CHECK(asked[0].owner.empty());
  CHECK_FALSE(asked[0].env);
  CHECK(asked[0].limit == 10'000);
  CHECK(asked[1].owner == "plat_1");
  CHECK(asked[2].owner == "merch_1");
  CHECK(asked[2].env == environment::live);
  scene.destinations = [](const find_destinations&) { return make_error(actor_errc::store_unavailable); };
  CHECK(ask_operator("/operator/destinations/list", "{}").status == 503);
}

TEST_CASE_METHOD(webhook_fixture, "a destination's URL is checked like a new one's before it is changed") {
  publish_destination(to_shop("dest_1"));
  std::vector<operator_command> asked;
  scene.operators = [&](const operator_command& command) -> operator_result {
    asked.push_back(command);
    return named_result{"dest_1", "enabled"};
  };
  const std::string_view path = "/operator/destinations/change";
  const std::string_view wanted = R"({"destination_id":"dest_1","url":"https://b.example/h"})";
  outbound.fault = "the URL's host is not public";
  const auto refused = ask_operator(path, wanted);
  CHECK(refused.status == 400);
  CHECK(refused.body.find("url: the URL's host is not public") != std::string::npos);
  CHECK(ask_operator(path, R"({"destination_id":"dest_x","url":"https://b.example/h"})").status == 404);
  CHECK(ask_operator(path, R"({"destination_id":"dest_1"})").status == 400);
  CHECK(asked.empty());
  outbound.fault.reset();
  CHECK(ask_operator(path, wanted).body == R"({"id":"dest_1","status":"enabled"})");
  REQUIRE(asked.size() == 1);
  CHECK(std::get<change_destination_url>(asked[0]).url == "https://b.example/h");
  scene.operators = [](const operator_command&) -> operator_result {
    return operator_problem{operator_problem::kind::conflict, "dest_2 has this URL already"};
  };
  const auto taken = ask_operator(path, wanted);
  CHECK(taken.status == 409);
  CHECK(taken.body.find("dest_2 has this URL already") != std::string::npos);
}

TEST_CASE_METHOD(webhook_fixture, "nothing that failed is sent again to a deleted destination") {
  auto gone = to_shop("dest_1");
  gone.status = destination_status::deleted;
  publish_destination(gone);
  bool sent = false;
  scene.redelivers = [&](const redeliver&) {
    sent = true;
    return redeliver_result{};
  };
  CHECK(ask_operator("/operator/deliveries/redeliver", R"({"destination_id":"dest_1"})").status == 409);
  CHECK_FALSE(sent);
}

TEST_CASE_METHOD(webhook_fixture, "a destination is enabled, disabled and given a new secret") {
  std::vector<operator_command> asked;
  scene.operators = [&](const operator_command& command) -> operator_result {
    asked.push_back(command);
    if (const auto* rotate = std::get_if<rotate_destination_secret>(&command))
      return rotated_secret{rotate->id, "whsec_2",
                            rotate->overlap.count() == 0 ? std::nullopt : std::optional{noon + rotate->overlap}};
    return named_result{"dest_1", std::holds_alternative<enable_destination>(command) ? "enabled" : "disabled"};
  };
  CHECK(ask_operator("/operator/destinations/disable", R"({"destination_id":"dest_1","reason":"moving"})").body ==
        R"({"id":"dest_1","status":"disabled"})");
  CHECK(std::get<disable_destination>(asked.back()).reason == "moving");
  CHECK(ask_operator("/operator/destinations/enable", R"({"destination_id":"dest_1"})").body ==
        R"({"id":"dest_1","status":"enabled"})");
  CHECK(ask_operator("/operator/destinations/rotate-secret", R"({"destination_id":"dest_1"})").body ==
        R"({"destination_id":"dest_1","secret":"whsec_2","previous_valid_until":"2026-11-21T12:00:00.000Z"})");
  CHECK(ask_operator("/operator/destinations/rotate-secret", R"({"destination_id":"dest_1","overlap_hours":0})").body ==
        R"({"destination_id":"dest_1","secret":"whsec_2","previous_valid_until":null})");
}

TEST_CASE_METHOD(
    webhook_fixture,
    "deliveries are listed with the last attempt's result, under the event type that the destination gets") {
  publish_destination(to_shop("dest_1"));
  publish_destination(to_platform());
  std::optional<find_deliveries> asked;
  scene.deliveries = [&](const find_deliveries& query) {
    asked = query;
    auto tried = captured(9007199254740991, "dest_p");
    tried.row.status = delivery_status::failed;
    tried.row.attempts = 8;
    tried.row.next_attempt_at.reset();
    tried.row.last = delivery_attempt{noon, attempt_result::rejected, 500, 12, "no \"luck\"", {}};
    auto silent = captured(4, "dest_1");
    silent.row.attempts = 1;
    silent.row.last = delivery_attempt{noon, attempt_result::connect_timeout, 0, 5'000, "", {}};
    return deliveries_lookup{{tried, silent, captured(3, "dest_1")}};
  };
  const auto out = ask_operator("/operator/deliveries/list",
                                R"({"destination_id":"dest_1","status":"failed","before":77,"limit":5})");
  REQUIRE(asked);
  CHECK(asked->to.value == "dest_1");
  CHECK(asked->status == delivery_status::failed);
  CHECK(asked->before == 77);
  CHECK(asked->limit == 5);
  const std::string rest =
      R"("merchant_id":"merch_1","mode":"test","payment_id":"pay_1","created_at":"2026-11-20T12:00:00.000Z"})";
  CHECK(
      out.body ==
      R"({"deliveries":[{"id":9007199254740991,"destination_id":"dest_p","event_id":"evt_1","type":"payment.succeeded","status":"failed",)"
      R"("attempts":8,"next_attempt_at":null,"last_status":500,"last_result":"rejected","last_attempt_at":"2026-11-20T12:00:00.000Z",)"
      R"("last_took_ms":12,"last_answer":"no \"luck\"",)" +
          rest +
          R"(,{"id":4,"destination_id":"dest_1","event_id":"evt_1","type":"payment.captured","status":"pending","attempts":1,)"
          R"("next_attempt_at":"2026-11-20T12:00:00.000Z","last_status":null,"last_result":"connect_timeout",)"
          R"("last_attempt_at":"2026-11-20T12:00:00.000Z","last_took_ms":5000,"last_answer":"",)" +
          rest +
          R"(,{"id":3,"destination_id":"dest_1","event_id":"evt_1","type":"payment.captured","status":"pending","attempts":0,)"
          R"("next_attempt_at":"2026-11-20T12:00:00.000Z","last_status":null,"last_result":null,"last_attempt_at":null,"last_took_ms":null,)"
          R"("last_answer":null,)" +
          rest + "]}");
  ask_operator("/operator/deliveries/list", "{}");
  CHECK(asked->limit == 100);
  CHECK_FALSE(asked->status);
}

TEST_CASE_METHOD(webhook_fixture, "one delivery is shown with the envelope that its receiver gets") {
  publish_destination(to_platform());
  scene.deliveries = [](const find_deliveries& query) { return deliveries_lookup{{captured(query.id, "dest_p")}}; };
  const auto out = ask_operator("/operator/deliveries/show", R"({"id":3})");
  const auto body = boost::json::parse(out.body).as_object();
  CHECK(body.at("id").as_int64() == 3);
  CHECK(body.at("event").at("type").as_string() == "payment.succeeded");
  CHECK(body.at("event").at("merchant").at("id").as_string() == "merch_1");
  CHECK(body.at("event").at("data").at("payment_id").as_string() == "pay_1");
}

TEST_CASE_METHOD(webhook_fixture, "deliveries are made again: one, or a destination's failed ones of a time range") {
  publish_destination(to_shop("dest_1"));
  std::optional<redeliver> asked;
  scene.redelivers = [&](const redeliver& request) {
    asked = request;
    return redeliver_result{request.id != 0 ? 1u : 12u};
  };
  scene.deliveries = [](const find_deliveries& query) { return deliveries_lookup{{captured(query.id, "dest_1")}}; };
  std::vector<save_audit> noted;
  scene.commits = [&](const unit_of_work& unit) {
    for (const auto& each : unit.inserts) noted.push_back(std::get<save_audit>(each));
    return commit_outcome::committed;
  };
  const auto one = boost::json::parse(ask_operator("/operator/deliveries/redeliver", R"({"id":3})").body).as_object();
  CHECK(one.at("redelivered").as_int64() == 1);
  CHECK(one.at("deliveries").as_array().size() == 1);
  CHECK(asked->id == 3);
  CHECK(ask_operator("/operator/deliveries/redeliver",
                     R"({"destination_id":"dest_1","from":"2026-11-20T11:00:00Z","until":"2026-11-20T12:00:00.250Z"})")
            .body == R"({"redelivered":12,"destination_id":"dest_1"})");
  CHECK(asked->to.value == "dest_1");
  CHECK(asked->from == noon - std::chrono::hours{1});
  CHECK(asked->until == noon + std::chrono::milliseconds{250});
  REQUIRE(noted.size() == 2);
  CHECK(noted[0].action == "redeliver");
  CHECK(noted[0].subject == "3");
  CHECK(noted[1].action == "redeliver all failed");
  CHECK(noted[1].subject == "dest_1");
  for (const auto& each : noted) {
    CHECK(each.user.value.starts_with("operator:"));
    CHECK(each.merchant == merchant_id{"merch_1"});
    CHECK(each.env == environment::test);
  }
}

TEST_CASE_METHOD(webhook_fixture, "nothing is delivered again that could not be written on the audit log") {
  scene.deliveries = [](const find_deliveries& query) { return deliveries_lookup{{captured(query.id, "dest_1")}}; };
  scene.commits = [](const unit_of_work&) { return commit_outcome::unavailable; };
  bool sent = false;
  scene.redelivers = [&](const redeliver&) {
    sent = true;
    return redeliver_result{1};
  };
  CHECK(ask_operator("/operator/deliveries/redeliver", R"({"id":3})").status == 503);
  CHECK_FALSE(sent);
}

TEST_CASE_METHOD(webhook_fixture, "events are listed with their data") {
  std::optional<find_events> asked;
  scene.events = [&](const find_events& query) {
    asked = query;
    return events_lookup{{captured(1, "dest_1").event}};
  };
  CHECK(
      ask_operator("/operator/events/list", R"({"merchant_id":"merch_1","mode":"test","payment_id":"pay_1","limit":2})")
          .body ==
      R"({"events":[{"id":"evt_1","type":"payment.captured","merchant_id":"merch_1","mode":"test","payment_id":"pay_1",)"
      R"("created":"2026-11-20T12:00:00.000Z","data":{"payment_id":"pay_1"}}]})");
  REQUIRE(asked);
  CHECK(asked->env == environment::test);
  CHECK(asked->kind == entity_kind::payment);
  CHECK(asked->subject == "pay_1");
  CHECK(asked->limit == 2);
  scene.events = [](const find_events&) -> caf::expected<events_lookup> {
    return make_error(actor_errc::store_unavailable);
  };
  CHECK(ask_operator("/operator/events/list", R"({"merchant_id":"merch_1"})").status == 503);
}
