// Providers' notifications, and what operators see of them. A test adapter takes the word `genuine` for a signature.
#include "http/codec/header_lines.hpp"
#include "http/server/request_reader.hpp"
#include "routes_fixture.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;

namespace {

class fake_adapter final : public provider_adapter {
 public:
  provider_kind kind() const noexcept override { return provider_kind::stripe; }
  std::span<const provider_setting_row> settings() const noexcept override { return {}; }
  std::optional<std::string> fault_of(const provider_settings&, environment, bool) const override {
    return std::nullopt;
  }
  dialogue_ptr<provider_result> open(const provider_call&, const provider_settings&, time_point) const override {
    return nullptr;
  }
  dialogue_ptr<provider_result> open(const provider_inquiry&, const provider_settings&, time_point) const override {
    return nullptr;
  }
  dialogue_ptr<account_answer> open(const account_question&, const provider_settings&, time_point) const override {
    return nullptr;
  }
  dialogue_ptr<notification_subject> open(const notification_question&, const provider_settings&,
                                          time_point) const override {
    return nullptr;
  }
  std::variant<receive_notification, notification_fault> verify(const incoming_notification& in,
                                                                const provider_settings& with, environment env,
                                                                time_point now) const override {
    seen_type = in.content_type;
    CHECK(with.find("secret") == (env == environment::live ? "live secret" : "test secret"));
    CHECK(now == noon);
    const auto signature = in.header("bank-signature");
    if (signature == "old") return notification_fault::stale;
    if (signature != "genuine") return notification_fault::unsigned_;
    if (in.body == "{") return notification_fault::unreadable;
    return receive_notification{provider_kind::stripe, event, type, account, std::string{in.body}};
  }

  std::string event = "evt_1", type = "charge.captured", account = "acct_1";
  mutable std::string seen_type;
};

struct notified_gateway : gateway_fixture {
  provider_adapters adapters;
  fake_adapter* adapter = nullptr;

  notified_gateway() {
    auto made = std::make_unique<fake_adapter>();
    adapter = made.get();
    adapters[static_cast<std::size_t>(provider_kind::stripe)] = std::move(made);
    shared.adapters = &adapters;
    configure(environment::live, "live secret");
    scene.router = [](const entity_request& asked) -> caf::result<entity_reply> {
      notification n;
      n.key = asked.key;
      return entity_reply{entity_row{std::make_shared<const notification>(n)}};
    };
  }

  void configure(environment env, std::string secret) {
    merchants.publish(provider_kind::stripe, env,
                      std::make_shared<const provider_settings>(provider_settings{{{"secret", std::move(secret)}}}));
  }

  response post(std::string_view body = "{\"a\":1}", std::string_view signature = "genuine",
                std::string_view path = "/v1/public/providers/stripe/live/notifications",
                std::string_view type = "application/json") {
    const auto head = "POST x HTTP/1.1\r\nHost: y\r\nBank-Signature: " + std::string{signature} + "\r\n\r\n";
    auto in = unsigned_request("POST", path, body, type);
    in.head = head;
    return run(in);
  }
  response operate(std::string_view path, std::string_view body) {
    return run(unsigned_request("POST", path, body), handle_operator);
  }
  double counted(std::string_view result) { return meters.provider_notifications("stripe", "live", result).Value(); }
};

std::string brief(const response& out) {
  return std::to_string(out.sent_status()) + (out.sent_body() == "{}" ? "" : " " + code_in(out));
}

notification_ptr a_row() {
  notification n;
  n.provider = provider_kind::stripe;
  n.event_id = "evt_1";
  n.key = notification_key(n.provider, environment::live, n.event_id);
  n.type = "charge.captured";
  n.account = "acct_1";
  n.body = "what nobody may see";
  n.state = notification_state::applied;
  n.about = "payment merch_1/live/pay_1";
  n.attempts = 2;
  n.received_at = noon;
  return std::make_shared<const notification>(n);
}

}  // namespace

TEST_CASE("a signed notification is passed on unchanged, and answered once it is stored") {
  notified_gateway to;
  CHECK(brief(to.post()) == "200");
  REQUIRE(to.scene.seen.size() == 1);
  const auto& asked = to.scene.seen.front();
  CHECK(asked.key == notification_key(provider_kind::stripe, environment::live, "evt_1"));
  CHECK_FALSE(asked.write);
  CHECK(asked.request_id == "req_1");
  const auto* what = command_if<receive_notification>(asked.what);
  REQUIRE(what);
  CHECK(what->provider == provider_kind::stripe);
  CHECK(what->event_id == "evt_1");
  CHECK(what->type == "charge.captured");
  CHECK(what->account == "acct_1");
  CHECK(what->body == "{\"a\":1}");
  CHECK(to.counted("accepted") == 1);
}

TEST_CASE("providers post in their own formats, and the merchants' limit of writes does not apply to them") {
  notified_gateway to;
  to.brake.live.limit(1);
  for (const auto* type : {"application/x-www-form-urlencoded", "text/plain", "application/json; charset=utf-8"}) {
    CHECK(brief(to.post("a=1&b=2", "genuine", "/v1/public/providers/stripe/live/notifications", type)) == "200");
    CHECK(to.adapter->seen_type == type);
  }
}

TEST_CASE("a forged, stale or unreadable notification is answered as such, and no actor is asked") {
  notified_gateway to;
  const struct {
    std::string_view body, signature, words, result;
  } rows[] = {{"{}", "guessed", "missing or wrong", "forged"},
              {"{}", "", "missing or wrong", "forged"},
              {"{}", "old", "too far from the gateway's clock", "stale"},
              {"{", "genuine", "makes no sense", "unreadable"}};
  for (const auto& row : rows) {
    INFO(row.words);
    const auto before = to.counted(row.result);
    const auto out = to.post(row.body, row.signature);
    CHECK(brief(out) == "400 invalid_request");
    CHECK(out.sent_body().find(row.words) != std::string_view::npos);
    CHECK(to.counted(row.result) == before + 1);
  }
  CHECK(to.scene.seen.empty());
}

TEST_CASE("the path of an unknown provider, or of one without adapter or settings, is not found") {
  notified_gateway to;
  for (const auto* path :
       {"/v1/public/providers/bank/live/notifications", "/v1/public/providers/jazzcash/live/notifications",
        "/v1/public/providers/sandbox/test/notifications", "/v1/public/providers/stripe/test/notifications",
        "/v1/public/providers/stripe/prod/notifications"})
    CHECK(brief(to.post("{}", "genuine", path)) == "404 not_found");
  to.configure(environment::test, "test secret");
  CHECK(brief(to.post("{}", "genuine", "/v1/public/providers/stripe/test/notifications")) == "200");
  to.shared.adapters = nullptr;
  CHECK(brief(to.post()) == "404 not_found");
}

TEST_CASE("posts to a provider's path are not limited by address, and posts to unknown paths are") {
  notified_gateway gateway;
  gateway.config.rates.address = 1;
  gateway.shared.limits = caller_limits{gateway.config, gateway.meters,
                                        [] { return caller_limits::clock::time_point{std::chrono::hours{1}}; }};
  const auto send = [&](std::string_view method, std::string_view path) {
    auto in = unsigned_request(method, path, "{}");
    in.address_number = 7;
    return gateway.run(in).status;
  };
  constexpr std::string_view there = "/v1/public/providers/stripe/live/notifications";
  for (int i = 0; i < 3; ++i) CHECK(send("POST", there) == 400);  // unsigned
  CHECK(send("POST", "/v1/public/providers/stripe/test/notifications") == 404);
  CHECK(send("POST", "/v1/public/providers/stripe/test/notifications") == 429);
  CHECK(send("POST", "/v1/public/providers/another/live/notifications") == 429);
  CHECK(send("GET", there) == 429);
  CHECK(send("POST", there) == 400);
}

TEST_CASE("a body beyond the limit is not read") {
  notified_gateway to;
  CHECK(brief(to.post(std::string(most_notification_bytes + 1, ' '))) == "413 body_too_large");
  CHECK(to.scene.seen.empty());
  CHECK(brief(to.post(std::string(most_notification_bytes, ' '))) == "200");
}

TEST_CASE("a notification that the store could not take is not accepted") {
  const auto reported = [](auto change, std::string_view body = "{}") {
    notified_gateway to;
    change(*to.adapter);
    return brief(to.post(body));
  };
  CHECK(reported([](auto& a) { a.event = std::string(248, 'e'); }) == "200");
  CHECK(reported([](auto& a) { a.event = std::string(249, 'e'); }) == "400 invalid_request");
  CHECK(reported([](auto& a) { a.event.clear(); }) == "400 invalid_request");
  CHECK(reported([](auto& a) { a.type = std::string(129, 't'); }) == "400 invalid_request");
  CHECK(reported([](auto& a) { a.account = std::string(256, 'a'); }) == "400 invalid_request");
  CHECK(reported([](auto&) {}, "\xff") == "400 invalid_request");
  CHECK(reported([](auto&) {}, std::string_view{"a\0b", 3}) == "400 invalid_request");
}

TEST_CASE("a notification that could not be stored is answered so that the provider sends it again") {
  for (const auto why : {problem::store_unavailable, problem::overloaded}) {
    notified_gateway to;
    to.scene.router = [why](const entity_request&) -> caf::result<entity_reply> { return entity_reply{why}; };
    const auto out = to.post();
    CHECK(brief(out) == (why == problem::overloaded ? "503 overloaded" : "503 store_unavailable"));
    CHECK_FALSE(header(out, "Retry-After").empty());
    CHECK(to.counted("unavailable") == 1);
  }
  notified_gateway to;
  to.scene.router = [](const entity_request&) -> caf::result<entity_reply> {
    return make_error(actor_errc::store_unavailable);
  };
  const auto out = to.post();
  CHECK(brief(out) == "503 store_unavailable");
  CHECK_FALSE(header(out, "Retry-After").empty());
}

TEST_CASE("only POST is accepted") {
  notified_gateway to;
  const auto out = to.run(unsigned_request("GET", "/v1/public/providers/stripe/live/notifications"));
  CHECK(out.status == row_of(error_code::method_not_allowed).status);
  CHECK(header(out, "Allow") == "POST");
}

TEST_CASE("operators see notifications, but never the posted body") {
  notified_gateway to;
  std::optional<find_notifications> asked;
  to.scene.notifications = [&](const find_notifications& what) {
    asked = what;
    return notifications_lookup{{a_row()}};
  };
  CHECK(to.operate("/operator/notifications/list", "{}").sent_body() ==
        R"({"notifications":[{"id":"stripe:evt_1","provider":"stripe","mode":"live","event_id":"evt_1",)"
        R"("type":"charge.captured","account":"acct_1","state":"applied","about":"payment merch_1/live/pay_1",)"
        R"("attempts":2,"received_at":"2026-11-20T12:00:00.000Z"}]})");
  CHECK_FALSE(asked->provider);
  CHECK(asked->limit == 100);

  to.operate("/operator/notifications/list",
             R"({"provider":"stripe","mode":"test","state":"waiting","before":"2026-11-20T12:00:00.500Z",)"
             R"("before_id":"stripe:evt_1","limit":7})");
  CHECK(asked->provider == provider_kind::stripe);
  CHECK(asked->env == environment::test);
  CHECK(asked->state == notification_state::waiting);
  CHECK(asked->before == noon + std::chrono::milliseconds{500});
  CHECK(asked->before_id == "stripe:evt_1");
  CHECK(asked->limit == 7);

  for (const auto* body : {R"({"provider":"bank"})", R"({"mode":"prod"})", R"({"state":"lost"})", R"({"limit":0})",
                           R"({"before":"yesterday"})", R"({"before_id":"stripe:evt_1"})"}) {
    INFO(body);
    CHECK(brief(to.operate("/operator/notifications/list", body)) == "400 invalid_request");
  }
}

TEST_CASE("an operator has a notification applied again") {
  notified_gateway to;
  to.scene.router = [](const entity_request&) -> caf::result<entity_reply> {
    return entity_reply{entity_row{a_row()}};
  };
  const auto* named = R"({"id":"stripe:evt_1","mode":"test"})";
  CHECK(to.operate("/operator/notifications/replay", named).sent_body() ==
        R"({"id":"stripe:evt_1","status":"applied"})");
  REQUIRE(to.scene.seen.size() == 1);
  CHECK(to.scene.seen.front().key == notification_key(provider_kind::stripe, environment::test, "evt_1"));
  CHECK((command_if<replay_notification>(to.scene.seen.front().what) != nullptr));

  to.scene.router = [](const entity_request&) -> caf::result<entity_reply> {
    return entity_reply{problem::notification_not_found};
  };
  const auto none = to.operate("/operator/notifications/replay", named);
  CHECK(none.status == row_of(error_code::not_found).status);
  CHECK(none.sent_body().find("no notification stripe:evt_1") != std::string_view::npos);
  CHECK(brief(to.operate("/operator/notifications/replay", "{}")) == "400 invalid_request");
}

TEST_CASE("without a mode both environments are searched") {
  notified_gateway to;
  std::vector<environment> has;
  to.scene.rows = [&](const find_entity& what) {
    CHECK(what.key.kind == entity_kind::notification);
    const bool there = std::ranges::find(has, what.key.env) != has.end();
    return there ? entity_lookup{entity_row{a_row()}} : entity_lookup{};
  };
  const auto replay = [&] { return to.operate("/operator/notifications/replay", R"({"id":"stripe:evt_1"})"); };
  CHECK(replay().status == row_of(error_code::not_found).status);
  CHECK(to.scene.seen.empty());
  has = {environment::live};
  replay();
  REQUIRE(to.scene.seen.size() == 1);
  CHECK(to.scene.seen.front().key.env == environment::live);
  has = {environment::test, environment::live};
  CHECK(brief(replay()) == "409 conflict");
  CHECK(to.scene.seen.size() == 1);
}

TEST_CASE("a header is found by its name in any case, and the first one counts") {
  constexpr std::string_view head =
      "POST /a:b HTTP/1.1\r\nHost: x\r\nSTRIPE-signature: \t t=1,v1=ab: c \r\nEmpty:\r\n"
      "Stripe-Signature: second\r\n\r\n";
  CHECK(first_header(head, "Stripe-Signature") == "t=1,v1=ab: c");
  CHECK(first_header(head, "empty") == "");
  CHECK(first_header(head, "HOST") == "x");
  for (const auto* absent : {"Stripe", "Stripe-Signature2", "POST /a", "", "b HTTP/1.1"})
    CHECK_FALSE(first_header(head, absent));
  CHECK_FALSE(first_header("", "Host"));
}

TEST_CASE("the reader keeps the head of a request, and the bytes of its body") {
  const http_limits limits;
  request_reader reader{limits};
  const std::string sent = "POST /x HTTP/1.1\r\nHost: y\r\nBank-Signature: s\r\nContent-Length: 3\r\n\r\na\xff\n";
  const auto space = reader.free_space();
  REQUIRE(space.size() >= sent.size());
  std::ranges::copy(sent, space.begin());
  REQUIRE(reader.received(sent.size()) == request_reader::state::whole);
  CHECK(first_header(reader.current().head, "bank-signature") == "s");
  CHECK(reader.current().body == "a\xff\n");
}
