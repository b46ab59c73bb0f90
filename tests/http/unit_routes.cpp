// The payment routes as a whole, from a request to its answer.
#include <set>

#include "../portal_routes.hpp"
#include "http/call/serve.hpp"
#include "routes_fixture.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;

TEST_CASE_METHOD(gateway_fixture, "an unknown path is 404, a known one with another method 405 with Allow") {
  const auto unknown = run(unsigned_request("GET", "/v2/payment_intents"));
  CHECK(unknown.status == 404);
  CHECK(unknown.route == "unmatched");
  const auto wrong = run(unsigned_request("DELETE", "/v1/payment_intents/pay_1"));
  CHECK(wrong.status == 405);
  CHECK(header(wrong, "Allow") == "GET");
  CHECK(header(run(unsigned_request("PUT", "/sandbox/checkout/t")), "Allow") == "GET, POST");
  for (auto path : {"/v1/payment_intents/", "/v1/payment_intents//capture", "/v1/payment_intents/pay_1/capture/",
                    "/v1/payment_intents/a/b"})
    CHECK(run(unsigned_request("POST", path)).status != 200);
}

TEST_CASE_METHOD(gateway_fixture, "a browser that finds nothing is led to the documentation, and a program gets JSON") {
  for (const auto* path : {"/", "/nothing", "/checkout"}) {
    CAPTURE(path);
    auto in = unsigned_request("GET", path);
    for (const auto* accepts : {"GET / HTTP/1.1\r\nHost: pay.example", "GET / HTTP/1.1\r\nAccept: */*"}) {
      in.head = accepts;
      const auto out = run(in);
      CHECK(out.status == 404);
      CHECK(code_in(out) == "not_found");
    }
    in.head = "GET / HTTP/1.1\r\nAccept: text/html,application/xhtml+xml;q=0.9";
    const auto page = run(in);
    if (std::string_view{path} == "/") {
      CHECK(page.status == 303);
      CHECK(header(page, "Location") == "https://pay.example/docs");
      continue;
    }
    CHECK(page.status == 404);
    CHECK(page.content_type == "text/html; charset=utf-8");
    CHECK(page.body.find(R"(<a href="https://pay.example/docs">Go to the documentation</a>)") != std::string::npos);
  }
  auto api = unsigned_request("GET", "/v1/nothing");
  api.head = "GET / HTTP/1.1\r\nAccept: text/html";
  CHECK(code_in(run(api)) == "not_found");
  const auto missing = run(unsigned_request("GET", "/docs/nothing"));
  CHECK(missing.status == 404);
  CHECK(missing.body.find(R"(href="https://pay.example/docs")") != std::string::npos);
  auto search = unsigned_request("GET", "/docs/search");
  search.query = "q=hosted+pages";
  search.has_query = true;
  CHECK(run(search).body.find("href=\"testing#hosted-pages\"") != std::string::npos);
}

TEST_CASE_METHOD(gateway_fixture,
                 "every page of a merchant requires a session, every form there a token, and the tests that try all "
                 "pages know each") {
  constexpr std::pair<std::string_view, std::string_view> values[] = {
      {"{merchant}", "merch_1"}, {"{mode}", "test"}, {"{id}", "id_1"}};
  std::set<std::string> guarded, walked;
  for (const auto& way : public_endpoints()) {
    const bool is_members = way.pattern.starts_with("/portal/{merchant}/");
    if (!is_members) continue;
    CAPTURE(way.method, way.pattern);
    std::string path{way.pattern};
    for (const auto& [variable, value] : values)
      if (const auto at = path.find(variable); at != path.npos) path.replace(at, variable.size(), value);
    const auto out = run(unsigned_request(way.method, path));
    if (way.method == "GET") {
      CHECK(out.status == 303);
      CHECK(header(out, "Location").starts_with("https://pay.example/portal/sign-in?"));
    } else {
      CHECK(out.status == 403);
    }
    guarded.insert(std::string{way.method} + ' ' + std::string{way.pattern});
  }
  for (const auto& route : gateway::tests::portal_routes)
    walked.insert(std::string{route.method} + ' ' + std::string{route.pattern});
  CHECK(guarded == walked);
}

TEST_CASE("a pattern's variables are found in the path, and none is empty or contains a slash") {
  const auto found = [](std::string_view path) -> std::string {
    const auto at = find_endpoint(public_endpoints(), "GET", path);
    const auto* there = std::get_if<found_endpoint>(&at);
    if (!there) return "nothing";
    const auto& v = there->path;
    std::string text{there->what->pattern};
    return text.append(" ").append(v.merchant).append("|").append(v.mode).append("|").append(v.id);
  };
  CHECK(found("/portal/merch_1/test/payments/pay_1") == "/portal/{merchant}/{mode}/payments/{id} merch_1|test|pay_1");
  CHECK(found("/portal/merch_1/live/") == "/portal/{merchant}/{mode}/ merch_1|live|");
  CHECK(found("/portal/account") == "/portal/account ||");
  CHECK(found("/v1/payment_intents/pay_1/timeline") == "/v1/payment_intents/{id}/timeline ||pay_1");
  CHECK(found("/portal/merch_1/live") == "/portal/{merchant}/{mode} merch_1|live|");
  for (const auto* path : {"/portal//live", "/portal//live/", "/portal/merch_1//", "/portal/merch_1/live//",
                           "/portal/merch_1/live/payments/", "/portal/merch_1/live/payments/a/b",
                           "/portal/merch_1/live/payments//", "/v1/payment_intents//timeline"})
    CHECK(found(path) == "nothing");
}

TEST_CASE_METHOD(gateway_fixture,
                 "a creation reaches the router as a command and its stored result is sent unchanged") {
  const auto result = std::make_shared<const answer>(answer{200, "{\"stored\":true}"});
  scene.router = [&](const entity_request&) { return entity_reply{finished{result, false}}; };
  const auto out = client_request{}.send(*this);
  CHECK(out.sent_status() == 200);
  CHECK(out.sent_body() == result->body);
  CHECK(out.stored == result);
  CHECK(header(out, "Idempotent-Replayed").empty());
  CHECK(out.route == "/v1/payment_intents");

  REQUIRE(scene.seen.size() == 1);
  const auto& asked = scene.seen.front();
  CHECK(asked.key == payment_key(merchant_id{"merch_1"}, environment::test, payment_id{"pay_1"}));
  REQUIRE(asked.write);
  CHECK(asked.write->key ==
        command_key{merchant_id{"merch_1"}, environment::test, "", "0b6f3c1e-54a4-4f1b-9d2c-8e7a6b5c4d3e"});
  const auto body_hash = crypto::hex(crypto::sha256(create_text));
  CHECK(asked.write->fingerprint == crypto::hex(crypto::sha256("POST\n/v1/payment_intents\n" + body_hash)));
  CHECK(command_if<create_payment>(asked.what)->details.payment_method == "pm_card_visa");
}

TEST_CASE_METHOD(gateway_fixture, "a request's trace reaches the router with it") {
  scene.router = [](const entity_request&) {
    return entity_reply{finished{std::make_shared<const answer>(answer{200, "{}"}), false}};
  };
  client_request traced;
  traced.trace = *parse_traceparent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
  traced.send(*this);
  REQUIRE(scene.seen.size() == 1);
  CHECK(scene.seen.front().trace == traced.trace);
  CHECK(scene.seen.front().traced_from == 0);  // nothing is recorded, so its wait has no span
  CHECK(scene.seen.front().request_id == "req_1");
}

TEST_CASE_METHOD(gateway_fixture, "a replay is marked as one and keeps its status") {
  scene.router = [](const entity_request&) {
    return entity_reply{finished{std::make_shared<const answer>(answer{409, "{}"}), true}};
  };
  const auto out = client_request{}.send(*this);
  CHECK(out.sent_status() == 409);
  CHECK(header(out, "Idempotent-Replayed") == "true");
}

TEST_CASE_METHOD(gateway_fixture, "the checks run in the contract's order: the first that fails answers") {
  publish_key("mk_test_0000000000000002", "payments:read");
  client_request all_wrong;
  all_wrong.signature_override = "00";
  all_wrong.merchant = "merch_2";
  all_wrong.key = "mk_test_0000000000000002";
  all_wrong.idempotency = "";
  all_wrong.content_type = "text/plain";
  all_wrong.body = "{";
  CHECK(all_wrong.send(*this).status == 401);
  all_wrong.signature_override.clear();
  CHECK(code_in(all_wrong.send(*this)) == "merchant_id_mismatch");
  all_wrong.merchant = "merch_1";
  CHECK(code_in(all_wrong.send(*this)) == "forbidden");
  all_wrong.key = "mk_test_0000000000000001";
  CHECK(code_in(all_wrong.send(*this)) == "idempotency_key_required");
  all_wrong.idempotency = "1";
  CHECK(code_in(all_wrong.send(*this)) == "idempotency_key_invalid");
  all_wrong.idempotency = uuid;
  CHECK(code_in(all_wrong.send(*this)) == "unsupported_media_type");
  all_wrong.content_type = "application/json; charset=utf-8";
  CHECK(code_in(all_wrong.send(*this)) == "invalid_request");
  CHECK(scene.seen.empty());
  all_wrong.body = create_text;
  all_wrong.send(*this);
  CHECK(scene.seen.size() == 1);
}

TEST_CASE_METHOD(
    gateway_fixture,
    "a body that names another merchant is rejected after its other fields are checked, and before the payment is") {
  client_request create;
  create.body = R"({"payment_id":"pay_1","amount":1,"currency":"HKD","payment_method":"pm_x","merchant_id":"merch_2"})";
  const auto out = create.send(*this);
  CHECK(out.status == 400);
  CHECK(out.body ==
        R"({"error":"merchant_id_mismatch","message":"merchant_id: not the merchant whose key signed the request"})");
  create.body = R"({"payment_id":"pay_1","amount":0,"currency":"HKD","payment_method":"pm_x","merchant_id":"merch_2"})";
  CHECK(code_in(create.send(*this)) == "invalid_request");
  for (const auto action : {"capture", "refund", "void"}) {
    client_request change;
    change.path = "/v1/payment_intents/42/" + std::string{action};  // an invalid payment id
    change.body = R"({"merchant_id":"merch_2"})";
    CHECK(code_in(change.send(*this)) == "merchant_id_mismatch");
    change.body = R"({"merchant_id":"merch_1"})";
    CHECK(code_in(change.send(*this)) == "payment_not_found");
  }
  CHECK(scene.seen.empty());
}

TEST_CASE_METHOD(gateway_fixture, "a write holds its admission until the actors release it; a rejected one does not") {
  std::size_t waited = 0;
  scene.router = [&](const entity_request& asked) {
    CHECK((asked.admission != nullptr) == asked.write.has_value());
    waited = shared.writes.waiting();
    return entity_reply{problem::payment_not_found};
  };
  client_request{}.send(*this);
  CHECK(waited == 1);
  scene.seen.clear();  // the request holds a copy
  auto unsigned_write = client_request{};
  unsigned_write.signature_override = "00";
  unsigned_write.send(*this);
  // An actor may not yet have destroyed the message that it has answered.
  for (int i = 0; i < 1'000 && shared.writes.waiting() != 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  CHECK(shared.writes.waiting() == 0);
  get("/v1/payment_intents/pay_1").send(*this);
  CHECK_FALSE(scene.seen.back().admission);
}

TEST_CASE_METHOD(gateway_fixture,
                 "past the limit a write is rejected as overload before its signature is checked, and a read is not") {
  std::vector<concurrency_limit::admission> others;
  while (auto one = shared.writes.try_enter()) others.push_back(std::move(*one));
  auto unsigned_write = client_request{};
  unsigned_write.signature_override = "00";
  for (const auto& write : {client_request{}, unsigned_write}) {
    const auto out = write.send(*this);
    CHECK(out.status == 503);
    CHECK(code_in(out) == "overloaded");
    CHECK(header(out, "Retry-After") == "1");
  }
  CHECK(meters.shed("waiting").Value() == 2);
  CHECK(scene.seen.empty());
  get("/v1/payment_intents/pay_1").send(*this);
  CHECK(scene.seen.size() == 1);
  others.pop_back();
  client_request{}.send(*this);
  CHECK(scene.seen.size() == 2);
}

TEST_CASE_METHOD(
    gateway_fixture,
    "while webhooks are late, a limited number of writes is admitted, and an unauthenticated write takes no place") {
  brake.test.limit(1);
  auto unsigned_write = client_request{};
  unsigned_write.signature_override = "00";
  for (int i = 0; i < 3; ++i) CHECK(unsigned_write.send(*this).status == 401);
  client_request{}.send(*this);
  CHECK(scene.seen.size() == 1);
  const auto out = client_request{}.send(*this);
  CHECK(out.status == 503);
  CHECK(code_in(out) == "overloaded");
  CHECK(header(out, "Retry-After") == "1");
  CHECK(meters.shed("webhooks").Value() == 1);
  CHECK(scene.seen.size() == 1);
  scene.seen.clear();  // the request holds a copy of the other admission
  CHECK(shared.writes.waiting() == 0);
  get("/v1/payment_intents/pay_1").send(*this);
  CHECK(scene.seen.size() == 1);
  brake.test.release();
  client_request{}.send(*this);
  CHECK(scene.seen.size() == 2);
}

TEST_CASE_METHOD(gateway_fixture, "a forbidden call names the scope that it needs") {
  publish_key("mk_test_0000000000000002", "refunds:write");
  auto call_refund = client_request{};
  call_refund.path = "/v1/payment_intents/pay_1/refund";
  call_refund.key = "mk_test_0000000000000002";
  const auto out = call_refund.send(*this);
  CHECK(out.status == 403);
  CHECK(out.body.find("payments:write") != std::string::npos);
}

TEST_CASE_METHOD(gateway_fixture, "capture, refund and void reach the payment in the path") {
  const auto send = [&](std::string action, std::string body) {
    client_request made;
    made.path = "/v1/payment_intents/pay_7/" + action;
    made.content_type = body.empty() ? "" : "application/json";
    made.body = std::move(body);
    made.send(*this);
  };
  send("capture", "");
  send("refund", R"({"amount":5})");
  send("void", R"({"reason":"late"})");
  send("cancel", R"({"reason":"gone"})");
  REQUIRE(scene.seen.size() == 4);
  for (const auto& asked : scene.seen) CHECK(asked.key.id == "pay_7");
  CHECK((command_if<capture_payment>(scene.seen[0].what) != nullptr));
  CHECK(command_if<refund_payment>(scene.seen[1].what)->amount == 5);
  CHECK(command_if<void_payment>(scene.seen[2].what)->reason == "late");
  CHECK(command_if<cancel_payment>(scene.seen[3].what)->reason == "gone");
}

TEST_CASE_METHOD(gateway_fixture, "an invalid payment id is a payment not found, once the caller is authenticated") {
  CHECK(code_in(get("/v1/payment_intents/42").send(*this)) == "payment_not_found");
  auto stranger = get("/v1/payment_intents/42");
  stranger.signature_override = "00";
  CHECK(stranger.send(*this).status == 401);
  client_request capture;
  capture.path = "/v1/payment_intents/pay_%41/capture";
  capture.body.clear();
  CHECK(code_in(capture.send(*this)) == "payment_not_found");
  CHECK(scene.seen.empty());
}

TEST_CASE_METHOD(gateway_fixture,
                 "an Idempotency-Key that is sent twice is invalid, once the caller is authenticated") {
  client_request twice;
  twice.repeats_idempotency_key = true;
  twice.body = "{";
  const auto out = twice.send(*this);
  CHECK(out.sent_status() == 400);
  CHECK(code_in(out) == "idempotency_key_invalid");
  twice.signature_override = "00";
  CHECK(twice.send(*this).sent_status() == 401);
  // A read needs no key.
  auto read = get("/v1/payment_intents/42");
  read.repeats_idempotency_key = true;
  CHECK(code_in(read.send(*this)) == "payment_not_found");
  CHECK(scene.seen.empty());
}

TEST_CASE_METHOD(gateway_fixture, "a key used by another request is reported before an invalid payment id") {
  scene.commands = used_for_another;
  for (const auto* change : {"capture", "refund", "void"}) {
    client_request in;
    in.path = std::string{"/v1/payment_intents/42/"} + change;
    in.body.clear();
    const auto out = in.send(*this);
    CHECK(out.sent_status() == 409);
    CHECK(code_in(out) == "IDEMPOTENCY_KEY_REUSED");
  }
  CHECK(scene.seen.empty());
}

TEST_CASE_METHOD(gateway_fixture, "a payment and its timeline are read without an idempotency key") {
  scene.router = [](const entity_request& asked) {
    if (command_if<view_entity>(asked.what)) return entity_reply{waiting_payment()};
    auto view = std::make_shared<timeline_view>();
    view->key = asked.key;
    return entity_reply{timeline_ptr{view}};
  };
  CHECK(get("/v1/payment_intents/pay_1").send(*this).body == encode_payment(*waiting_payment(), true));
  CHECK(get("/v1/payment_intents/pay_1/timeline").send(*this).body == R"({"payment_id":"pay_1","timeline":[]})");
  CHECK_FALSE(scene.seen.front().write);
}

TEST_CASE_METHOD(gateway_fixture, "an actor that cannot answer is a 503 that asks for a retry with the same key") {
  struct {
    caf::error why;
    std::string_view code;
  } const rows[] = {{make_error(actor_errc::overloaded), "overloaded"},
                    {make_error(actor_errc::store_unavailable), "store_unavailable"},
                    {make_error(actor_errc::stopping), "stopping"}};
  for (const auto& row : rows) {
    scene.router = [&](const entity_request&) -> caf::result<entity_reply> { return row.why; };
    const auto out = client_request{}.send(*this);
    CHECK(out.status == 503);
    CHECK(code_in(out) == row.code);
    CHECK(header(out, "Retry-After") == "1");
  }
}

TEST_CASE_METHOD(gateway_fixture, "an answer that does not come in time is a 503; the operation continues") {
  config.http.answer_timeout = std::chrono::milliseconds{50};
  scene.router = [](const entity_request&) -> caf::result<entity_reply> { return caf::delegated<entity_reply>{}; };
  CHECK(code_in(client_request{}.send(*this)) == "answer_timeout");
}

TEST_CASE_METHOD(gateway_fixture, "problems are answered, and a merchant that cannot charge gets a setup link") {
  scene.router = [](const entity_request&) { return entity_reply{problem::idempotency_key_reused}; };
  CHECK(client_request{}.send(*this).status == 409);
  scene.router = [](const entity_request&) { return entity_reply{problem::merchant_not_charge_capable}; };
  const auto out = client_request{}.send(*this);
  CHECK(out.status == 422);
  const auto error = boost::json::parse(out.body).as_object().at("error").as_object();
  const std::string url{error.at("setup_url").as_string()};
  CHECK(read_setup_token(url.substr(url.find('=') + 1), "setup key", noon));
}

TEST_CASE_METHOD(gateway_fixture, "platforms' features are refused to merchants, after the usual checks") {
  publish_key("mk_test_0000000000000003", "customers:read");
  client_request saved;
  saved.path = "/v1/charges/saved";
  saved.body = R"({"payment_id":"pay_1","amount":1,"currency":"HKD","customer_ref":"c","payment_method_id":"pm_1"})";
  CHECK(code_in(saved.send(*this)) == "platform_key_required");
  saved.body = "{}";
  CHECK(saved.send(*this).status == 400);
  client_request create;
  create.body = R"({"payment_id":"pay_1","amount":1,"currency":"HKD","payment_method":"pm_1","customer_ref":"c",)"
                R"("setup_future_usage":"on_session"})";
  CHECK(code_in(create.send(*this)) == "platform_key_required");
  create.body = R"({"payment_id":"pay_1","amount":1,"currency":"HKD","payment_method":"pm_1","customer_ref":"c"})";
  CHECK(code_in(create.send(*this)) == "platform_key_required");
  saved.path = "/v1/subscription_checkouts";
  CHECK(saved.send(*this).status == 400);
  saved.body = R"({"subscription_id":"s","amount":1,"currency":"HKD","customer_ref":"c","interval":"day",)"
               R"("success_url":"https://a.example/","cancel_url":"https://a.example/"})";
  CHECK(code_in(saved.send(*this)) == "platform_key_required");
  saved.idempotency.clear();
  CHECK(saved.send(*this).status == 400);
  auto lookup = get("/v1/customers/by_ref");
  CHECK(lookup.send(*this).status == 400);
  lookup.query = "ref=c";
  CHECK(code_in(lookup.send(*this)) == "platform_key_required");
  // Also before the key's scopes are judged.
  saved.idempotency = client_request{}.idempotency;
  for (auto* each : {&lookup, &saved}) {
    each->key = "mk_test_0000000000000003";
    CHECK(code_in(each->send(*this)) == "platform_key_required");
  }
}

TEST_CASE_METHOD(gateway_fixture, "a setup token is exchanged once for a session") {
  const auto who = merchants.find_merchant(merchant_id{"merch_1"});
  const auto link = make_setup_link(*who, environment::test, "https://p", "setup key", noon);
  const auto body = R"({"token":")" + link.url.substr(link.url.find('=') + 1) + "\"}";
  constexpr std::string_view path = "/v1/public/onboarding/exchange-setup-token";
  bool spent = false;
  scene.operators = [&](const operator_command& asked) -> operator_result {
    CHECK(std::get<redeem_setup_token>(asked).merchant.value == "merch_1");
    if (std::exchange(spent, true)) return operator_problem{operator_problem::kind::conflict, "used"};
    return spent_setup_token{"x"};
  };
  const auto first = run(unsigned_request("POST", path, body));
  REQUIRE(first.status == 200);
  const auto reported = boost::json::parse(first.body).as_object();
  CHECK(reported.at("merchant_id").as_string() == "merch_1");
  CHECK(reported.at("scope").as_string() == "psp_setup");
  CHECK(reported.at("expires_at").as_string() == "2026-11-20T13:00:00.000Z");
  CHECK_FALSE(reported.at("session_token").as_string().empty());
  CHECK(code_in(run(unsigned_request("POST", path, body))) == "token_unusable");
  CHECK(run(unsigned_request("POST", path, R"({"token":"forged.token"})")).status == 410);
  CHECK(run(unsigned_request("POST", path, "{}")).status == 400);
  CHECK(run(unsigned_request("POST", path, body, "text/plain")).status == 415);
}

TEST_CASE_METHOD(gateway_fixture, "a live gateway is not ready while it starts, drains or has no database") {
  CHECK(run(unsigned_request("GET", "/healthz")).status == 200);
  CHECK(run(unsigned_request("GET", "/readyz")).status == 503);
  shared.ready = true;
  meters.store_up.Set(1);
  CHECK(run(unsigned_request("GET", "/readyz")).status == 200);
  shared.draining = true;
  CHECK(run(unsigned_request("GET", "/readyz")).status == 503);
  shared.draining = false;
  meters.store_up.Set(0);
  CHECK(run(unsigned_request("GET", "/readyz"), handle_metrics).status == 503);
}

TEST_CASE_METHOD(gateway_fixture, "metrics are for operators only") {
  CHECK(run(unsigned_request("GET", "/metrics")).status == 404);
  CHECK(run(unsigned_request("GET", "/metrics"), handle_metrics).body.find("gateway_") != std::string::npos);
  CHECK(run(unsigned_request("POST", "/operator/keys", "{}"), handle_metrics).status == 404);
  CHECK(run(unsigned_request("POST", "/operator/keys", "{}")).status == 404);
}

TEST_CASE_METHOD(gateway_fixture,
                 "every answer of a deprecated endpoint has its deprecation date, its end date, and its replacement") {
  using namespace std::chrono;
  static constexpr auto answers = [](call&) -> boost::asio::awaitable<response> { co_return response{}; };
  static constexpr auto fails = [](call&) -> boost::asio::awaitable<response> { throw std::runtime_error{"no"}; };
  static constexpr sys_seconds since{seconds{1'795'255'200}}, sunset{seconds{1'826'791'200}};
  static constexpr endpoint table[] = {
      {.method = "GET", .pattern = "/stays", .run = answers},
      {.method = "GET", .pattern = "/goes", .run = answers, .ends = deprecation{since, sunset, "/docs/changes"}},
      {.method = "GET", .pattern = "/fails", .run = fails, .ends = deprecation{since, sunset, "/docs/changes"}},
      {.method = "GET",
       .pattern = "/signed",
       .run = answers,
       .needs = access::signed_read,
       .ends = deprecation{since, {}, "https://shop.example/why"}}};
  const auto of = [&](std::string_view path) {
    const request in = unsigned_request("GET", path);
    return run(in, [](worker& w, request& r) { return serve(w, r, table); });
  };
  for (const auto* path : {"/goes", "/fails"}) {
    const auto out = of(path);
    CHECK(header(out, "Deprecation") == "@1795255200");
    CHECK(header(out, "Sunset") == "Sun, 21 Nov 2027 10:00:00 GMT");
    CHECK(header(out, "Link") == R"(</docs/changes>; rel="deprecation"; type="text/html")");
  }
  CHECK(of("/fails").status == 500);
  const auto refused = of("/signed");
  CHECK(refused.status == 401);
  CHECK(header(refused, "Deprecation") == "@1795255200");
  CHECK(header(refused, "Sunset").empty());
  CHECK(header(refused, "Link") == R"(<https://shop.example/why>; rel="deprecation"; type="text/html")");
  for (const auto* name : {"Deprecation", "Sunset", "Link"}) CHECK(header(of("/stays"), name).empty());
}

TEST_CASE("a time is written in HTTP's format") {
  using namespace std::chrono;
  CHECK(format_http_date(sys_days{1994y / November / 6} + 8h + 49min + 37s) == "Sun, 06 Nov 1994 08:49:37 GMT");
  CHECK(format_http_date(sys_days{2028y / February / 29}) == "Tue, 29 Feb 2028 00:00:00 GMT");
}

TEST_CASE_METHOD(gateway_fixture, "an exception in a handler is a 500 without details") {
  const request in = unsigned_request("GET", "/boom");
  static constexpr endpoint table[] = {
      {"GET", "/boom", [](call&) -> boost::asio::awaitable<response> { throw std::runtime_error{"secret detail"}; }}};
  const auto out = run(in, [](worker& w, request& r) { return serve(w, r, table); });
  CHECK(out.status == 500);
  CHECK(code_in(out) == "internal_error");
  CHECK(out.body.find("secret detail") == std::string::npos);
}
