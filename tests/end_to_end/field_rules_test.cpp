// How strictly bodies are read: docs/served/signing.md (JSON), docs/served/payments.md (fields).
#include <catch2/catch.hpp>

#include "merchant.hpp"

using namespace gateway::e2e;

namespace {

gateway_process& shared() { return shared_gateway(store_kind::sqlite); }

api& merchant() {
  static const auto account = new_merchant(shared());
  static api caller{shared(), account.test};
  return caller;
}

/// The answer to a create, and its message.
struct verdict {
  std::string words;
  std::string message;
};
verdict judge(const std::string& body) {
  const auto answer = merchant().post("/v1/payment_intents", body);
  return {summary_of(answer), answer.status == 400 ? json::parse(answer.body)["message"].text() : ""};
}

void refuses(const std::string& body, const std::string& field, const std::string& code = "invalid_request") {
  CAPTURE(body.substr(0, 300), field);
  const auto got = judge(body);
  CAPTURE(got.message);
  CHECK(got.words == "400 " + code);
  CHECK(got.message.find(field) != std::string::npos);
}

std::string with(const std::string& field, const std::string& raw) {
  return server_payment(new_payment_id()).raw(field, raw).text();
}
std::string redirect_with(const std::string& field, const std::string& raw) {
  return redirect_payment(new_payment_id()).raw(field, raw).text();
}

std::string nested(int arrays) {
  return with("ignored",
              std::string(static_cast<std::size_t>(arrays), '[') + std::string(static_cast<std::size_t>(arrays), ']'));
}

std::string metadata_of(int keys) {
  object map;
  for (int i = 0; i < keys; ++i) map.set("key" + std::to_string(i), "value");
  return map.text();
}

}  // namespace

TEST_CASE("a body that is not exactly one JSON object is refused") {
  const auto good = server_payment(new_payment_id()).text();
  const auto cut = good.substr(0, good.size() - 1);
  for (const auto& body :
       std::vector<std::string>{"", " ", "{", "[]", "null", "4200", "\"text\"", good + "x", good + good, good + ",",
                                cut + ",}", cut, '[' + good + ']', "'" + good + "'", "\xef\xbb\xbf" + good,
                                "// no\n" + good, R"({"payment_id":pay_1})", R"({payment_id:"pay_1"})"}) {
    CAPTURE(body);
    CHECK(judge(body).words == "400 invalid_request");
  }
}

TEST_CASE("white space around the object is allowed, and a refused body can be corrected under the same key") {
  const auto id = new_payment_id();
  const call same{new_uuid(), {}};
  CHECK(summary_of(merchant().post("/v1/payment_intents", "{", same)) == "400 invalid_request");
  CHECK(summary_of(merchant().post("/v1/payment_intents", " \r\n\t" + server_payment(id).text() + "\n", same)) ==
        "200 authorized");
}

TEST_CASE("an amount is a JSON integer from 1 to 999999999999") {
  for (const auto* amount : {"4200.0",
                             "42.5",
                             "1e3",
                             "4.2E3",
                             "\"4200\"",
                             "true",
                             "null",
                             "[4200]",
                             "{}",
                             "0",
                             "-1",
                             "-0",
                             "1000000000000",
                             "9223372036854775808",
                             "18446744073709551616",
                             "1e400",
                             "04200",
                             "+1",
                             "0x10",
                             "NaN"})
    refuses(with("amount", amount), std::string{amount} == "+1" || std::string{amount} == "NaN"
                                        ? ""  // not JSON: there is no field to name
                                        : "amount");
  refuses(server_payment(new_payment_id()).without("amount").text(), "amount");
  CHECK(judge(with("amount", "1")).words == "200 authorized");
  CHECK(judge(with("amount", "999999999999")).words == "200 authorized");
}

TEST_CASE("a duplicate key is refused at every depth and in every spelling") {
  const auto id = new_payment_id();
  const auto twice = [&](const std::string& second) {
    return R"({"payment_id":")" + id + R"(","amount":4200,"currency":"HKD","payment_method":"pm_card_visa",)" + second +
           "}";
  };
  refuses(twice(R"("amount":1)"), "amount");
  refuses(twice(R"("amount":4200)"), "amount");
  refuses(twice(R"("\u0061mount":1)"), "amount");
  refuses(twice(R"("metadata":{"a":"1","a":"2"})"), "a");
  refuses(twice(R"("unknown":1,"unknown":2)"), "unknown");
  refuses(twice(R"("unknown":{"x":1,"x":2})"), "x");
  refuses(twice(R"("unknown":[{"x":1,"x":2}])"), "x");
  CHECK(summary_of(merchant().view(id)) == "404 payment_not_found");
}

TEST_CASE("text must be valid UTF-8 and properly escaped") {
  for (const auto* text : {"\"\xff\"", "\"\xc3\"", "\"\xc0\xaf\"", "\"\xed\xa0\x80\"", "\"\xf5\x80\x80\x80\"",
                           "\"\\ud800\"", "\"\\x41\"", "\"a\nb\"", "\"a\tb\""}) {
    CAPTURE(text);
    CHECK(judge(with("description", text)).words == "400 invalid_request");
  }
  CHECK(judge(with("description", "\"caf\xc3\xa9 \xe2\x82\xac \\ud83d\\ude00\"")).words == "200 authorized");
}

TEST_CASE("objects and arrays nest at most 32 deep") {
  CHECK(judge(nested(31)).words == "200 authorized");
  CHECK(judge(nested(32)).words == "400 invalid_request");
  CHECK(judge(nested(100'000)).words == "400 invalid_request");
}

TEST_CASE("unknown fields are ignored") {
  CHECK(judge(with("colour", R"({"red":[1,2.5,null,true]})")).words == "200 authorized");
  CHECK(judge(with("colour", R"([99999999999999999999,{"red":-1e400}])")).words == "200 authorized");
}

TEST_CASE("all faults of a body are listed at once, in its order, and missing fields last") {
  const auto answer = merchant().post("/v1/payment_intents",
                                      R"({"currency":"XXX","amount":"4200","metadata":{"a":1},"amount":1,"colour":1})");
  CHECK(summary_of(answer) == "400 invalid_request");
  const auto body = json::parse(answer.body);
  std::string names;
  for (const auto& fault : body["fields"].items()) {
    names += fault["name"].text() + ' ';
    CHECK(fault["message"].text().find(fault["name"].text()) != std::string::npos);
  }
  CHECK(names == "currency amount metadata payment_id payment_method ");
  CHECK(body["message"] == body["fields"].at(0)["message"].text());
  CHECK(body["docs_url"] == shared().base_url() + "/docs/errors#invalid_request");

  CHECK_FALSE(json::parse(merchant().post("/v1/payment_intents", "{").body)["fields"].present());
  const auto other = with("merchant_id", "\"merch_x\"");
  const auto mismatch = merchant().post("/v1/payment_intents", other);
  CHECK(summary_of(mismatch) == "400 merchant_id_mismatch");
  CHECK_FALSE(json::parse(mismatch.body)["fields"].present());
}

TEST_CASE(
    "in test mode an answer to a write names the fields that are ignored, also when it is a replay or a refusal") {
  const auto ignored = [](const reply& answer) { return answer.header("Ignored-Fields").value_or("(none)"); };
  const auto id = new_payment_id();
  const auto body = server_payment(id).raw("colour", "1").raw("a b", "[]").raw("\u00e9", "null").text();
  const call same{new_uuid(), {}};
  const auto first = merchant().post("/v1/payment_intents", body, same);
  CHECK(summary_of(first) == "200 authorized");
  CHECK(ignored(first) == "colour,a%20b,%C3%A9");
  const auto again = merchant().post("/v1/payment_intents", body, same);
  CHECK(again.header("Idempotent-Replayed") == "true");
  CHECK(again.body == first.body);
  CHECK(ignored(again) == "colour,a%20b,%C3%A9");
  const auto taken = merchant().post("/v1/payment_intents", body);
  CHECK(summary_of(taken) == "409 payment already exists");
  CHECK(ignored(taken) == "colour,a%20b,%C3%A9");
  CHECK(ignored(merchant().refund(id, R"({"amount":"x","currency":"HKD"})")) == "currency");
  CHECK(ignored(merchant().capture(id)) == "(none)");
  CHECK(ignored(merchant().view(id)) == "(none)");

  const auto account = new_merchant(shared(), {.live = true});
  api live{shared(), account.live};
  CHECK(ignored(live.post("/v1/payment_intents", with("colour", "1"))) == "(none)");
}

TEST_CASE("an error that is stored has its docs_url, and is replayed byte for byte") {
  const auto id = new_payment_id();
  CHECK(summary_of(merchant().create(server_payment(id))) == "200 authorized");
  CHECK(summary_of(merchant().void_payment(id)) == "200 voided");
  const call same{new_uuid(), {}};
  const auto first = merchant().capture(id, same), again = merchant().capture(id, same);
  CHECK(summary_of(first) == "409 payment not authorized for capture");
  CHECK(json::parse(first.body)["docs_url"] == shared().base_url() + "/docs/errors#payment_not_authorized_for_capture");
  CHECK(again.header("Idempotent-Replayed") == "true");
  CHECK(again.body == first.body);
}

TEST_CASE("payment_id is pay_ and one to sixty letters, digits, underscores and hyphens") {
  const auto id = [](const std::string& value) { return server_payment(value).text(); };
  for (const auto& bad : std::vector<std::string>{"", "pay_", "1001", "PAY_1", "pay-1", "pay_a b", "pay_a/b",
                                                  "pay_\xc3\xa9", "pay_" + std::string(61, 'a')})
    refuses(id(bad), "payment_id");
  refuses(with("payment_id", "1001"), "payment_id");
  refuses(server_payment("").without("payment_id").text(), "payment_id");
  CHECK(judge(id("pay_" + random_hex(28) + "_-Z9")).words == "200 authorized");
}

TEST_CASE("currency is a current ISO 4217 code, in either case") {
  for (const auto* bad : {"\"XXX\"", "\"HK\"", "\"HKDD\"", "\"\"", "\"XTS\"", "\"DEM\"", "344", "null"})
    refuses(with("currency", bad), "currency");
  refuses(server_payment(new_payment_id()).without("currency").text(), "currency");

  const auto id = new_payment_id();
  REQUIRE(summary_of(merchant().create(server_payment(id).set("currency", "hkd"))) == "200 authorized");
  CHECK(merchant().payment(id)["currency"] == "HKD");
}

TEST_CASE("flow is empty, server, redirect or embedded") {
  CHECK(judge(with("flow", R"("")")).words == "200 authorized");
  CHECK(judge(with("flow", R"("server")")).words == "200 authorized");
  for (const auto* bad : {"\"teleport\"", "\"SERVER\"", "1", "[]"}) refuses(with("flow", bad), "flow");
}

TEST_CASE("the server flow needs a tokenised payment method, and never a card number") {
  refuses(server_payment(new_payment_id()).without("payment_method").text(), "payment_method",
          "server_flow_requires_payment_method");
  for (const auto* bad : {"\"4242424242424242\"", "\"card_visa\"", "\"PM_card_visa\"", "42", "{}"})
    refuses(with("payment_method", bad), "payment_method");
  refuses(server_payment(new_payment_id(), "pm_" + std::string(253, 'x')).text(), "payment_method");
  const auto answer = merchant().create(server_payment(new_payment_id(), "4242424242424242"));
  CHECK(answer.body.find("4242424242424242") == std::string::npos);
}

TEST_CASE("hosted flows need absolute https return URLs, or http on localhost") {
  for (const std::string field : {"success_url", "cancel_url"}) {
    refuses(redirect_payment(new_payment_id()).without(field).text(), field);
    for (const auto* bad :
         {"\"\"", "\"/thanks\"", "\"shop.example/thanks\"", "\"//shop.example\"", "\"http://shop.example/thanks\"",
          "\"ftp://shop.example/\"", "\"javascript:alert(1)\"", "\"data:text/html,x\"", "\"https://\"",
          "\"https://shop.example/\\r\\nSet-Cookie: a=b\"", "\"https://shop .example/\"", "5"})
      refuses(redirect_with(field, bad), field);
    CHECK(judge(redirect_with(field, "\"http://localhost:3000/thanks?x=1#top\"")).words == "200 processing");
  }
  CHECK(judge(redirect_payment(new_payment_id()).set("flow", "embedded").text()).words == "200 processing");
  refuses(redirect_payment(new_payment_id()).set("flow", "embedded").without("success_url").text(), "success_url");
}

TEST_CASE("text fields must be strings") {
  for (const std::string field : {"description", "customer_email", "customer_name", "customer_mobile"})
    for (const auto* bad : {"1", "true", "[]", "{}"}) refuses(with(field, bad), field);
  CHECK(judge(server_payment(new_payment_id())
                  .set("description", "Two books")
                  .set("customer_email", "reader@shop.example")
                  .set("customer_name", "Ada Reader")
                  .set("customer_mobile", "+85251234567")
                  .text())
            .words == "200 authorized");
}

TEST_CASE("texts may have 64 KiB each, metadata 64 KiB in all, and reach the event whole") {
  const auto id = new_payment_id();
  std::string text, half;
  while (text.size() < 65'536) text += "\xc3\xa9";
  while (half.size() < 32'000) half += "\xc3\xa9";
  REQUIRE(summary_of(merchant().create(server_payment(id)
                                           .set("description", text)
                                           .set("customer_name", text)
                                           .raw("metadata", "{\"" + half + "\":\"" + half + "\",\"\":\"x\"}"))) ==
          "200 authorized");
  CHECK(summary_of(merchant().capture(id)) == "200 captured");
  const auto data = json::parse(
      shared().sql("SELECT data FROM events WHERE subject_id = '" + id + "' AND type = 'payment.captured';"));
  CHECK(data["metadata"].names() == std::vector<std::string>{half, ""});
  CHECK(summary_of(merchant().refund(id, object{}.set("amount", 1).set("reason", text).text())) ==
        "200 partially_refunded");
  refuses(with("description", '"' + text + "x\""), "description");
}

TEST_CASE("metadata is an object of at most 50 texts") {
  for (const auto* bad : {"[]", "\"a\"", "1", R"({"a":1})", R"({"a":null})", R"({"a":{"b":"c"}})", R"({"a":["b"]})"})
    refuses(with("metadata", bad), "metadata");
  refuses(with("metadata", metadata_of(51)), "metadata");
  CHECK(judge(with("metadata", metadata_of(50))).words == "200 authorized");
  CHECK(judge(with("metadata", "{}")).words == "200 authorized");
}

TEST_CASE("metadata keys that start with service_ are dropped, the others reach the events") {
  const auto id = new_payment_id();
  REQUIRE(summary_of(merchant().create(server_payment(id).raw(
              "metadata", R"({"order":"1001","service_route":"x","note":"é"})"))) == "200 authorized");
  REQUIRE(summary_of(merchant().capture(id)) == "200 captured");
  const auto data = json::parse(
      shared().sql("SELECT data FROM events WHERE subject_id = '" + id + "' AND type = 'payment.captured';"));
  CHECK(data["metadata"].names() == std::vector<std::string>{"order", "note"});
  CHECK(data["metadata.order"] == "1001");
  CHECK(data["metadata.note"] == "é");
  CHECK(data["payment_id"] == id);
  CHECK(data["state"] == "captured");
  CHECK(data["amount"] == 4200);
  CHECK(data["currency"] == "HKD");
}

TEST_CASE("a merchant named in the request must be the one that signs it") {
  const auto own = new_merchant(shared()), other = new_merchant(shared());
  api caller{shared(), own.test};
  CHECK(summary_of(caller.create(server_payment(new_payment_id()).set("merchant_id", own.id))) == "200 authorized");
  CHECK(summary_of(caller.create(server_payment(new_payment_id()).set("merchant_id", other.id))) ==
        "400 merchant_id_mismatch");
  CHECK(summary_of(caller.create(server_payment(new_payment_id()), {new_uuid(), {{"Service-Merchant", own.id}}})) ==
        "200 authorized");
  CHECK(summary_of(caller.create(server_payment(new_payment_id()), {new_uuid(), {{"Service-Merchant", other.id}}})) ==
        "400 merchant_id_mismatch");
}

TEST_CASE("the wallet selector is checked with the fields") {
  refuses(with("payment_method_type", "\"pkr_wallet\""), "payment_method_type");
  refuses(with("payment_method_type", "\"barter\""), "payment_method_type");
  refuses(redirect_payment(new_payment_id(), "HKD").set("payment_method_type", "pkr_wallet").text(), "PKR",
          "currency_not_supported");
  CHECK(judge(redirect_payment(new_payment_id(), "PKR").set("payment_method_type", "pkr_wallet").text()).words ==
        "422 {wallet_not_available}");
}

TEST_CASE("features of platforms are refused to a merchant's key in both environments") {
  const auto account = new_merchant(shared(), {"Lantern Books", "standard", "", true});
  const std::string saved =
      R"({"payment_id":"pay_1","amount":1,"currency":"HKD","customer_ref":"c1","payment_method_id":"pm_1"})";
  const std::string checkout =
      R"({"subscription_id":"s1","customer_ref":"c1","amount":1,"currency":"HKD","interval":"month",)"
      R"("success_url":"https://shop.example/a","cancel_url":"https://shop.example/b"})";
  for (const std::string mode : {"test", "live"}) {
    api caller{shared(), mint_key(shared(), account.id, mode, "*")};
    CAPTURE(mode);
    CHECK(summary_of(caller.create(server_payment(new_payment_id()).set("customer_ref", "c1"))) ==
          "422 {platform_key_required}");
    CHECK(summary_of(caller.create(server_payment(new_payment_id())
                                       .without("payment_method")
                                       .set("customer_ref", "c1")
                                       .set("setup_future_usage", "off_session"))) == "422 {platform_key_required}");
    CHECK(summary_of(caller.post("/v1/charges/saved", saved)) == "422 {platform_key_required}");
    CHECK(summary_of(caller.post("/v1/subscription_checkouts", checkout)) == "422 {platform_key_required}");
    CHECK(summary_of(caller.get("/v1/customers/by_ref?ref=c1")) == "422 {platform_key_required}");
  }
  refuses(with("setup_future_usage", "\"sometimes\""), "setup_future_usage");
  refuses(with("setup_future_usage", "\"on_session\""), "customer_ref");
}

TEST_CASE("the bodies of capture, refund and void are read equally strictly") {
  const auto id = new_payment_id();
  REQUIRE(summary_of(merchant().create(server_payment(id))) == "200 authorized");
  REQUIRE(summary_of(merchant().capture(id)) == "200 captured");
  for (const auto* bad :
       {"{", "[]", R"({"amount":1.5})", R"({"amount":"100"})", R"({"amount":-1})", R"({"amount":1e2})",
        R"({"amount":1,"amount":1})", R"({"amount":1000000000000})", R"({"reason":5})"}) {
    CAPTURE(bad);
    CHECK(summary_of(merchant().refund(id, bad)) == "400 invalid_request");
  }
  CHECK(summary_of(merchant().void_payment(id, R"({"reason":[]})")) == "400 invalid_request");
  CHECK(summary_of(merchant().void_payment(id, "{]")) == "400 invalid_request");
  CHECK(merchant().payment(id)["refunded_total"] == 0);
  CHECK(summary_of(merchant().refund(id, R"({"amount":0,"reason":"all of it"})")) == "200 refunded");
}

TEST_CASE("an unknown payment id in the path is not found, and a malformed one is refused") {
  CHECK(summary_of(merchant().view("pay_nowhere")) == "404 payment_not_found");
  CHECK(summary_of(merchant().capture("pay_nowhere")) == "404 payment_not_found");
  const auto odd = merchant().view("1001");
  CHECK((odd.status == 404 || odd.status == 400));
}
