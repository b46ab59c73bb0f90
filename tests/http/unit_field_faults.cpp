// All faults of a body's fields at once, and the fields that an operation ignores.
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "http/codec/body_fields.hpp"
#include "http/codec/decode.hpp"
#include "http/codec/decode_grant.hpp"
#include "http/codec/ignored_fields.hpp"
#include "http/codec/json_body.hpp"
#include "routes_fixture.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;

namespace {

constexpr std::size_t depth = 32;

template <class T>
rejection refused(decoded<T> result) {
  auto* why = std::get_if<rejection>(&result);
  REQUIRE(why);
  return std::move(*why);
}

/// The names of the faulty fields, separated by spaces.
std::string names_in(const rejection& why) {
  std::string names;
  for (const auto& fault : why.fields) names += (names.empty() ? "" : " ") + fault.name;
  return names;
}

std::string in_quotes(std::string_view text) { return '"' + std::string{text} + '"'; }

rejection refused_create(const std::string& body, bool has_customers = false) {
  return refused(decode_create(body, {environment::test, depth, has_customers}));
}

std::string ignored_in(const std::string& body) { return ignored_fields(body, depth, body_fields::capture); }

std::string header_of(const response& out) {
  for (const auto& [name, value] : out.headers)
    if (name == "Ignored-Fields") return value;
  return "(none)";
}

}  // namespace

TEST_CASE("a body's faults are listed in its own order, and missing fields last") {
  struct {
    std::string body;
    std::string_view names;
    error_code code = error_code::invalid_request;
  } const rows[] = {
      {"{}", "payment_id amount currency payment_method"},
      {R"({"currency":"XXX","amount":"1","payment_id":"1","payment_method":"4242"})",
       "currency amount payment_id payment_method"},
      {R"({"payment_method":"4242","description":7})", "payment_method description payment_id amount currency"},
      {R"({"amount":null,"payment_id":"pay_1","payment_method":"pm_x"})", "amount currency"},
      {R"({"metadata":{"a":1,"b":2},"customer_email":"x","payment_id":"pay_1","amount":1,"currency":"HKD",)"
       R"("payment_method":"pm_x"})",
       "metadata customer_email"},
      // Twice
      {R"({"amount":1,"currency":"XXX","amount":2,"payment_id":"pay_1","payment_method":"pm_x"})", "amount currency"},
      {R"({"x":{"y":{"k":1,"k":2}},"amount":0,"x2":1,"x2":1,"payment_id":"pay_1","currency":"HKD",)"
       R"("payment_method":"pm_x"})",
       "x amount x2"},
      {R"({"z":1,"z":1,"payment_id":"pay_1"})", "z amount currency payment_method"},
      {R"({"":1,"":1,"payment_id":"pay_1"})", R"("" amount currency payment_method)"},
      {R"({"\u0061mount":1,"amount":2,"payment_id":"pay_1","currency":"HKD","payment_method":"pm_x"})", "amount"},
      // The flow decides which fields are required: where it is wrong itself, it is the only fault.
      {R"({"payment_id":"pay_1","amount":1,"currency":"HKD","flow":"link"})", "flow"},
      {R"({"payment_id":"pay_1","amount":1,"currency":"HKD","flow":"redirect"})", "success_url cancel_url"},
      {R"({"payment_id":"pay_1","amount":1,"currency":"HKD"})", "payment_method",
       error_code::server_flow_requires_payment_method},
      {R"({"payment_id":"pay_1","amount":1,"currency":"HKD","customer_ref":7,"setup_future_usage":"off_session"})",
       "customer_ref"},
      // The wallet's currency is judged once its flow is right.
      {R"({"currency":"HKD","payment_id":"pay_1","amount":1,"payment_method_type":"pkr_wallet","flow":"server"})",
       "flow"},
  };
  for (const auto& row : rows) {
    INFO(row.body);
    const auto why = refused_create(row.body);
    CHECK(names_in(why) == row.names);
    CHECK(row_of(why.code).text == row_of(row.code).text);
    const auto message = why.message.empty() ? std::string{row_of(why.code).message} : why.message;
    CHECK(why.fields.front().message == message);
    for (const auto& fault : why.fields) CHECK(fault.message.find(fault.name) != std::string::npos);
  }
}

TEST_CASE("a customer_ref alone is a fault beside the others, for callers that can have customers") {
  const std::string body = R"({"payment_id":"pay_1","amount":0,"currency":"HKD","customer_ref":"c"})";
  CHECK(names_in(refused_create(body, true)) == "amount customer_ref");
  CHECK(names_in(refused_create(body)) == "amount payment_method");
}

TEST_CASE("the other operations list all faults, too") {
  const decode_context context{environment::live, depth};
  CHECK(names_in(refused(decode_capture(R"({"merchant_id":1,"amount":"x"})", context))) == "merchant_id amount");
  CHECK(names_in(refused(decode_refund(R"({"reason":1,"amount":null})", context))) == "reason amount");
  CHECK(names_in(refused(decode_void(R"({"reason":1,"merchant_id":2})", context))) == "reason merchant_id");
  CHECK(names_in(refused(decode_cancel(R"({"merchant_id":2,"reason":1})", context))) == "merchant_id reason");
  CHECK(names_in(refused(decode_charge("{}", context))) == "payment_id amount currency customer_ref payment_method_id");
  CHECK(names_in(refused(decode_subscription(R"({"interval":"eon"})", context))) ==
        "interval subscription_id customer_ref amount currency success_url cancel_url");
  CHECK(names_in(refused(decode_token(R"({"redirect_uri":7,"grant_type":"password"})", depth))) ==
        "redirect_uri grant_type code");
  CHECK(names_in(refused(decode_token("{}", depth))) == "grant_type code redirect_uri");
  CHECK(names_in(refused(decode_revoke_reason(R"({"reason":7})", depth))) == "reason");
  CHECK(names_in(*check_no_fields(R"({"a":1,"a":2})", depth)) == "a");
  CHECK(names_in(refused(decode_setup_token("{}", depth))) == "token");
  CHECK(names_in(refused(decode_sdk_confirmation("{}", depth))) == "client_secret outcome");
}

TEST_CASE("a body that is not one JSON object has no fields to name") {
  for (const std::string body : {"", "[]", "{", "{}x", R"({"amount":01})", "{\"a\":\"\xff\"}", "null"}) {
    INFO(body);
    CHECK(refused_create(body).fields.empty());
  }
}

TEST_CASE("names that stand twice are bounded in number and length") {
  std::string body = "{";
  for (int i = 0; i < 2'000; ++i) body += in_quotes("n" + std::to_string(i % 1'000)) + ":1,";
  const auto name = std::string(63, 'a') + "\u00e9\u00e9";
  const auto many = refused_create(body + "\"amount\":0}");
  CHECK(many.fields.size() < 120);
  CHECK(many.fields.front().name == "n0");
  const auto one = refused_create('{' + in_quotes(name) + ":1," + in_quotes(name) + ":2}");
  CHECK(one.fields.front().name == std::string(63, 'a'));
}

TEST_CASE("the fields that an operation does not know are listed once, in the order of the body") {
  std::string all = "{", first_twenty;
  for (int i = 0; i < 30; ++i) {
    all += (i ? "," : "") + in_quotes("n" + std::to_string(i)) + ":1";
    if (i < 20) first_twenty += (i ? ",n" : "n") + std::to_string(i);
  }
  const std::pair<std::string, std::string> rows[] = {
      {R"({"amount":1,"merchant_id":"m"})", ""},
      {"{}", ""},
      {"", ""},
      {"[]", ""},
      {"{\"a\":", ""},
      {R"({"colour":{"amount":1},"amount":1,"size":null})", "colour,size"},
      {R"({"a":1,"a":2,"b":99999999999999999999})", "a,b"},
      {R"({"Amount":1})", "Amount"},
      {R"({"a b":1,"c,d":1,"e%":1,"f\r\nX: 1":1,"\u00e9":1,"\u007f":1,"\"":1})",
       "a%20b,c%2Cd,e%25,f%0D%0AX:%201,%C3%A9,%7F,\""},
      {'{' + in_quotes(std::string(64, 'x')) + ":1}", std::string(64, 'x')},
      {'{' + in_quotes(std::string(65, 'x')) + ":1}", std::string(64, 'x')},
      {'{' + in_quotes(std::string(63, 'x') + "\u00e9") + ":1}", std::string(63, 'x')},
      {all + '}', first_twenty},
  };
  for (const auto& [body, expected] : rows) {
    INFO(body);
    CHECK(ignored_in(body) == expected);
  }
}

TEST_CASE("a decoder of a valid body lists what the operation does not know, if it is asked to") {
  const auto ignored = [](const std::string& body) {
    std::optional<std::string> list;
    REQUIRE(std::holds_alternative<create_body>(decode_create(body, {environment::test, depth, false, &list})));
    return list;
  };
  CHECK(ignored(std::string{create_text}) == "");
  auto more = std::string{create_text};
  more.pop_back();
  CHECK(ignored(more + R"(,"colour":1})") == "colour");
  CHECK(ignored(more + R"(,"merchant_id":null,"flow":"server","metadata":{"x":"y"},"Size":1})") == "Size");
}

TEST_CASE_METHOD(gateway_fixture, "each answer to a write in test mode names the fields that were ignored") {
  client_request in;
  in.body = R"({"payment_id":"pay_1","amount":4200,"currency":"HKD","payment_method":"pm_x","colour":"red"})";
  SECTION("a success") {
    scene.router = [](const entity_request&) {
      return entity_reply{finished{std::make_shared<const answer>(answer{200, "{}"}), false}};
    };
    const auto out = in.send(*this);
    CHECK(out.sent_status() == 200);
    CHECK(header_of(out) == "colour");
  }
  SECTION("a replay") {
    scene.router = [](const entity_request&) {
      return entity_reply{finished{std::make_shared<const answer>(answer{200, "{}"}), true}};
    };
    CHECK(header_of(in.send(*this)) == "colour");
  }
  SECTION("a business rule") {
    scene.router = [](const entity_request&) { return entity_reply{problem::payment_already_exists}; };
    CHECK(header_of(in.send(*this)) == "colour");
  }
  SECTION("wrong fields") {
    in.body = R"({"amount":0,"colour":"red"})";
    const auto out = in.send(*this);
    CHECK(out.status == 400);
    CHECK(header_of(out) == "colour");
  }
  SECTION("no Idempotency-Key") {
    in.idempotency.clear();
    const auto out = in.send(*this);
    CHECK(code_in(out) == "idempotency_key_required");
    CHECK(header_of(out) == "colour");
  }
  SECTION("a missing scope") {
    publish_key("mk_test_0000000000000001", "payments:read");
    const auto out = in.send(*this);
    CHECK(out.status == 403);
    CHECK(header_of(out) == "colour");
  }
  SECTION("a body of another type") {
    in.content_type = "text/plain";
    const auto out = in.send(*this);
    CHECK(out.status == 415);
    CHECK(header_of(out) == "colour");
  }
  SECTION("a refund") {
    in.path = "/v1/payment_intents/pay_1/refund";
    in.body = R"({"payment_method":1,"reason":"x"})";
    CHECK(header_of(in.send(*this)) == "payment_method");
  }
  SECTION("none where all fields are known, and none to who is not authenticated") {
    in.body = create_text;
    CHECK(header_of(in.send(*this)) == "(none)");
    in.body = R"({"colour":1})";
    in.signature_override = std::string(64, '0');
    const auto out = in.send(*this);
    CHECK(out.status == 401);
    CHECK(header_of(out) == "(none)");
  }
}

TEST_CASE_METHOD(gateway_fixture, "no answer in live names the fields that were ignored") {
  api_key live{key_id{"mk_live_0000000000000001"},
               merchant_id{"merch_1"},
               environment::live,
               *parse_scopes(default_merchant_scopes),
               "secret",
               false};
  merchants.publish(std::make_shared<const api_key>(std::move(live)));
  client_request in;
  in.key = "mk_live_0000000000000001";
  for (const auto* body :
       {R"({"amount":0,"colour":"red"})",
        R"({"payment_id":"pay_1","amount":1,"currency":"HKD","payment_method":"pm_x","colour":1})"}) {
    in.body = body;
    const auto out = in.send(*this);
    CHECK(out.status != 401);
    CHECK(header_of(out) == "(none)");
  }
}
