// Bodies and headers of the payments interface: the fields that are read, and one row for each rule that rejects.
#include <catch2/catch.hpp>

#include "http/codec/decode.hpp"
#include "http/codec/web_address.hpp"

using namespace gateway;
using namespace gateway::http;

namespace {

decode_context in(environment env = environment::test) { return {env, 32}; }

/// A minimal valid body with further members at its end.
std::string with(std::string_view more,
                 std::string_view base = R"("payment_id":"pay_1","amount":4200,"currency":"HKD")") {
  std::string body = "{";
  body.append(base);
  if (!more.empty()) body.append(",").append(more);
  return body + "}";
}
std::string server(std::string_view more) {
  return with(more, R"("payment_id":"pay_1","amount":4200,"currency":"HKD","payment_method":"pm_card_visa")");
}
std::string hosted(std::string_view more) {
  return with(more, R"("payment_id":"pay_1","amount":4200,"currency":"PKR","flow":"redirect",)"
                    R"("success_url":"https://shop.example/ok","cancel_url":"https://shop.example/no")");
}
std::string text_member(std::string_view name, std::size_t length) {
  return '"' + std::string{name} + "\":\"" + std::string(length, 'a') + '"';
}

create_body created(std::string_view body, environment env = environment::test) {
  auto result = decode_create(body, in(env));
  if (const auto* wrong = std::get_if<rejection>(&result))
    FAIL(row_of(wrong->code).text << ": " << wrong->message << " for " << body);
  return std::get<create_body>(std::move(result));
}

template <class T>
rejection rejected_with(decoded<T> result) {
  REQUIRE(std::holds_alternative<rejection>(result));
  return std::get<rejection>(std::move(result));
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string out;
  for (; times > 0; --times) out += text;
  return out;
}

std::string nested(std::size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); }

}  // namespace

TEST_CASE("a complete creation is read field by field") {
  const auto body = created(hosted(
      R"("description":"Tea \u00e9","customer_email":"a@b.example","customer_name":"Ann","customer_mobile":"+92 300",)"
      R"("payment_method_type":"pkr_wallet","metadata":{"order":"A-1","service_x":"dropped"},)"
      R"("merchant_id":"merch_1","unknown":{"deep":[1,2.5,null]})"));
  CHECK(body.id.value == "pay_1");
  CHECK(body.merchant.value == "merch_1");
  CHECK(body.command.amount == money{4200, *currency::parse("PKR")});
  CHECK(body.command.how == flow::redirect);
  CHECK(body.command.wallet_selected);
  CHECK_FALSE(body.command.customer);
  const auto& details = body.command.details;
  CHECK(details.description == "Tea \u00e9");
  CHECK(details.customer_email == "a@b.example");
  CHECK(details.customer_name == "Ann");
  CHECK(details.customer_mobile == "+92 300");
  CHECK(details.success_url == "https://shop.example/ok");
  CHECK(details.cancel_url == "https://shop.example/no");
  CHECK(details.metadata == metadata_map{{"order", "A-1"}});
}

TEST_CASE("the flow defaults to server, a currency may be lower case, null counts as absent") {
  for (auto more : {"", R"("flow":"")", R"("flow":"server")", R"("description":null,"metadata":null,"flow":null)"})
    CHECK(created(server(more)).command.how == flow::server);
  CHECK(created(R"({"payment_id":"pay_1","amount":1,"currency":"hkd","payment_method":"ctoken_x"})")
            .command.amount.unit.code() == "HKD");
  CHECK(created(hosted(R"("payment_method":"")")).command.details.payment_method.empty());
}

TEST_CASE("values at the bounds are accepted") {
  CHECK(created(R"({"payment_id":"pay_1","amount":999999999999,"currency":"HKD","payment_method":"pm_x"})")
            .command.amount.minor == max_amount);
  CHECK_NOTHROW(created(with(
      "", R"("payment_method":"pm_x","amount":1,"currency":"HKD","payment_id":"pay_)" + std::string(60, 'x') + '"')));
  for (const auto* name : {"description", "customer_name", "customer_mobile"})
    CHECK_NOTHROW(created(server(text_member(name, 65'536))));
  // In all, as JSON: braces, a colon and four quotation marks are 7 bytes.
  CHECK_NOTHROW(created(server("\"metadata\":{" + text_member("k", 65'536 - 8) + "}")));
  CHECK_NOTHROW(created(server("\"metadata\":{" + text_member(std::string(30'000, 'k'), 35'536 - 7) + "}")));
  CHECK(created(server(R"("metadata":{"":"x"})")).command.details.metadata == metadata_map{{"", "x"}});
  std::string half;
  for (int i = 0; i < 32'768; ++i) half += "é";
  CHECK(created(server("\"description\":\"" + half + '"')).command.details.description == half);
  CHECK(std::get<write_body<refund_payment>>(decode_refund("{" + text_member("reason", 65'536) + "}", in()))
            .command.reason.size() == 65'536);
}

TEST_CASE("a body that breaks a rule is rejected, and the message names the field") {
  struct {
    std::string body;
    std::string_view field;
    error_code code = error_code::invalid_request;
  } const rows[] = {
      // JSON itself
      {"", "body"},
      {"[]", "body"},
      {"\"x\"", "body"},
      {server("") + "x", "body"},
      {server("") + "{}", "body"},
      {server(R"("a":1,)"), "body"},
      {server(R"("a":01)"), "a"},
      {server(R"("a":[{"b":-}])"), "a"},
      {server(R"("\"a":1.)"), R"(\"a)"},
      {server(R"("a":"x\\","b" : 1e+)"), "b"},
      {server(R"("a":1x)"), "a"},
      {server(R"("a":99999999999999999999,"b":01)"), "b"},
      {server(R"("a":99999999999999999999,"b":tru)"), "body"},
      {server(R"("a":99999999999999999999)") + "x", "body"},
      {server(R"("a":99999999999999999999,"a":1)"), "a"},
      {server("\"a\":99999999999999999999,\"b\":" + nested(32)), "body"},
      {server("\"a\":99999999999999999999,\"b\":\"\xff\""), "body"},
      {server(R"("a":99999999999999999999,"metadata":{"k":"1","k":"2"})"), "metadata: k: "},
      {"99999999999999999999", "body"},
      {server(R"("a":99999999999999999999)") + "01", "body"},
      {"01", "body"},
      {server("\"description\":\"\xff\""), "body"},
      {server("\"description\":\"\xed\xa0\x80\""), "body"},
      {server(R"("description":"\ud800")"), "body"},
      {server(R"("description":"\udc00")"), "body"},
      {server(R"("description":"\ud800\u0041")"), "body"},
      {server(R"("description":"\ud800\ud800")"), "body"},
      {server(R"("metadata":{"\udc00":"x"})"), "body"},
      {server("\"a\":" + nested(32)), "body"},
      {server(R"("amount":1)"), "amount"},
      {server(R"("a\u006dount":1)"), "amount"},
      {server(R"("metadata":{"k":"1","\u006b":"2"})"), "metadata: k: "},
      {server(R"("ignored":[{"x":1,"x":2}])"), "ignored: x: "},
      // payment_id
      {R"({"amount":1,"currency":"HKD","payment_method":"pm_x"})", "payment_id"},
      {R"({"payment_id":7,"amount":1,"currency":"HKD","payment_method":"pm_x"})", "payment_id"},
      {R"({"payment_id":"1","amount":1,"currency":"HKD","payment_method":"pm_x"})", "payment_id"},
      {R"({"payment_id":"pay_","amount":1,"currency":"HKD","payment_method":"pm_x"})", "payment_id"},
      {R"({"payment_id":"pay_a b","amount":1,"currency":"HKD","payment_method":"pm_x"})", "payment_id"},
      {with("",
            R"("amount":1,"currency":"HKD","payment_method":"pm_x","payment_id":"pay_)" + std::string(61, 'x') + '"'),
       "payment_id"},
      // amount
      {R"({"payment_id":"pay_1","currency":"HKD","payment_method":"pm_x"})", "amount"},
      {R"({"payment_id":"pay_1","amount":null,"currency":"HKD","payment_method":"pm_x"})", "amount"},
      {R"({"payment_id":"pay_1","amount":0,"currency":"HKD","payment_method":"pm_x"})", "amount"},
      {R"({"payment_id":"pay_1","amount":-1,"currency":"HKD","payment_method":"pm_x"})", "amount"},
      {R"({"payment_id":"pay_1","amount":1000000000000,"currency":"HKD","payment_method":"pm_x"})", "amount"},
      {R"({"payment_id":"pay_1","amount":18446744073709551615,"currency":"HKD","payment_method":"pm_x"})", "amount"},
      {R"({"payment_id":"pay_1","amount":99999999999999999999,"currency":"HKD","payment_method":"pm_x"})", "amount"},
      {R"({"payment_id":"pay_1","amount":-99999999999999999999,"currency":"HKD","payment_method":"pm_x"})", "amount"},
      {R"({"payment_id":"pay_1","amount":1e400,"currency":"HKD","payment_method":"pm_x"})", "amount"},
      {R"({"payment_id":"pay_1","amount":01,"currency":"HKD","payment_method":"pm_x"})", "amount"},
      {R"({"payment_id":"pay_1","amount":4200.0,"currency":"HKD","payment_method":"pm_x"})", "amount"},
      {R"({"payment_id":"pay_1","amount":1e3,"currency":"HKD","payment_method":"pm_x"})", "amount"},
      {R"({"payment_id":"pay_1","amount":"4200","currency":"HKD","payment_method":"pm_x"})", "amount"},
      {R"({"payment_id":"pay_1","amount":true,"currency":"HKD","payment_method":"pm_x"})", "amount"},
      // currency
      {R"({"payment_id":"pay_1","amount":1,"payment_method":"pm_x"})", "currency"},
      {R"({"payment_id":"pay_1","amount":1,"currency":"HK","payment_method":"pm_x"})", "currency"},
      {R"({"payment_id":"pay_1","amount":1,"currency":"DEM","payment_method":"pm_x"})", "currency"},
      {R"({"payment_id":"pay_1","amount":1,"currency":344,"payment_method":"pm_x"})", "currency"},
      // flow and payment method
      {server(R"("flow":"link")"), "flow"},
      {server(R"("flow":1)"), "flow"},
      {with(""), "payment_method", error_code::server_flow_requires_payment_method},
      {with(R"("payment_method":"")"), "payment_method", error_code::server_flow_requires_payment_method},
      {with(R"("customer_ref":"c1","setup_future_usage":"on_session")"), "payment_method",
       error_code::server_flow_requires_payment_method},
      {with(R"("payment_method":"4242424242424242")"), "payment_method"},
      {with(R"("payment_method":"pm_")"), "payment_method"},
      {with(R"("payment_method":"pm_a b")"), "payment_method"},
      {with("\"payment_method\":\"pm_" + std::string(253, 'x') + '"'), "payment_method"},
      // return addresses
      {with(R"("flow":"redirect","cancel_url":"https://a.example/")"), "success_url"},
      {with(R"("flow":"embedded","success_url":"https://a.example/")"), "cancel_url"},
      {server(R"("success_url":"/ok")"), "success_url"},
      {server(R"("success_url":"http://shop.example/")"), "success_url"},
      {server(R"("success_url":"https://user:pw@shop.example/")"), "success_url"},
      {server(R"json("cancel_url":"javascript:alert(1)")json"), "cancel_url"},
      {server("\"success_url\":\"https://a.example/" + std::string(2048, 'x') + '"'), "success_url"},
      // texts
      {server(text_member("description", 65'537)), "description"},
      {server(R"("description":5)"), "description"},
      {server(R"("description":"a\u0000b")"), "description"},
      {server(R"("customer_email":"nobody")"), "customer_email"},
      {server(R"("customer_email":"a@b@c")"), "customer_email"},
      {server("\"customer_email\":\"a@" + std::string(65'535, 'x') + '"'), "customer_email"},
      {server(text_member("customer_name", 65'537)), "customer_name"},
      {server(text_member("customer_mobile", 65'537)), "customer_mobile"},
      // wallet, customer, merchant
      {server(R"("payment_method_type":"card")"), "payment_method_type"},
      {with(R"("payment_method_type":"pkr_wallet")", R"("payment_id":"pay_1","amount":1,"currency":"PKR")"), "flow"},
      {with(R"("flow":"redirect","success_url":"https://a.example","cancel_url":"https://a.example",)"
            R"("payment_method_type":"pkr_wallet")"),
       "currency", error_code::currency_not_supported},
      {server(R"("setup_future_usage":"on_session")"), "setup_future_usage"},
      {server(R"("customer_ref":"c1","setup_future_usage":"always")"), "setup_future_usage"},
      {server(R"("customer_ref":"","setup_future_usage":"on_session")"), "customer_ref"},
      {server(R"("customer_ref":"a\u0007b","setup_future_usage":"on_session")"), "customer_ref"},
      {server(R"("customer_ref":"a\u0085b","setup_future_usage":"on_session")"), "customer_ref"},
      {server(R"("customer_ref":")" + std::string(129, 'c') + R"(","setup_future_usage":"on_session")"),
       "customer_ref"},
      {server(R"("merchant_id":2)"), "merchant_id"},
      // metadata
      {server(R"("metadata":[])"), "metadata"},
      {server(R"("metadata":{"k":1})"), "metadata"},
      {server(R"("metadata":{"k":99999999999999999999})"), "metadata"},
      {server(R"("description":1e400)"), "description"},
      {server(R"("metadata":{"k":"a\u0000"})"), "metadata"},
      {server("\"metadata\":{" + text_member(std::string(65'537, 'k'), 1) + "}"), "metadata"},
      {server("\"metadata\":{" + text_member("k", 65'537) + "}"), "metadata"},
      {server("\"metadata\":{" + text_member("k", 65'536 - 7) + "}"), "metadata"},
      {server("\"metadata\":{" + text_member("k", 40'000) + ',' + text_member("l", 40'000) + "}"), "metadata"},
      // Written out, each character takes six bytes.
      {server("\"metadata\":{\"k\":\"" + repeated(R"(\u0001)", 11'000) + "\"}"), "metadata"},
  };
  for (const auto& row : rows) {
    INFO(row.body);
    auto result = decode_create(row.body, in());
    REQUIRE(std::holds_alternative<rejection>(result));
    const auto& wrong = std::get<rejection>(result);
    CHECK(row_of(wrong.code).text == row_of(row.code).text);
    const auto message = wrong.message.empty() ? std::string{row_of(wrong.code).message} : wrong.message;
    INFO(message);
    CHECK(message.starts_with(row.field));
  }
}

TEST_CASE("a null amount is missing") {
  CHECK(rejected_with(decode_create(R"({"payment_id":"pay_1","amount":null,"currency":"HKD"})", in())).message ==
        "amount: is required");
}

TEST_CASE("a number too large for an integer or double is ignored in a field that is not read") {
  for (const auto* number : {"99999999999999999999", "-99999999999999999999", "18446744073709551616", "1e400",
                             "-1.5E+999", "1e-400", "[{\"x\":1e400},99999999999999999999]"}) {
    INFO(number);
    const auto body =
        created(server("\"zz\":" + std::string{number} + R"(,"description":"-99999999999999999999 \" 1e400")"));
    CHECK(body.command.amount.minor == 4200);
    CHECK(body.command.details.description == "-99999999999999999999 \" 1e400");
  }
  CHECK(rejected_with(decode_create(R"({"payment_id":"pay_1","currency":"HKD","amount" : 01})", in())).message ==
        "amount: not a number of JSON");
  CHECK(rejected_with(decode_refund(R"({"amount":99999999999999999999})", in())).message ==
        "amount: must be from 0 to 999999999999");
}

TEST_CASE("fifty metadata keys are accepted, one more is not, and reserved ones do not count") {
  const auto keys = [](int count) {
    std::string text = "\"metadata\":{\"service_a\":\"x\"";
    for (int i = 0; i < count; ++i) text += ",\"k" + std::to_string(i) + "\":\"v\"";
    return server(text + "}");
  };
  CHECK(created(keys(50)).command.details.metadata.size() == 50);
  CHECK(rejected_with(decode_create(keys(51), in())).message.starts_with("metadata"));
}

TEST_CASE("thirty-two levels of JSON are read, thirty-three are not") {
  CHECK_NOTHROW(created(server("\"a\":" + nested(31))));
  CHECK(rejected_with(decode_create(server("\"a\":" + nested(32)), in())).message.find("32") != std::string::npos);
  CHECK(std::holds_alternative<rejection>(decode_create(server("\"a\":" + nested(100'000)), in())));
}

TEST_CASE("a saved method replaces payment_method and is marked as a platform's feature") {
  const auto off = created(with(R"("customer_ref":"c1","setup_future_usage":"off_session")")).command.customer;
  CHECK((off && off->ref == "c1" && off->saves_method && off->off_session && !off->on_session));
  const auto on = created(server(R"("customer_ref":"c1","setup_future_usage":"on_session")")).command.customer;
  CHECK((on && on->saves_method && !on->off_session && on->on_session));
  const auto alone = created(server(R"("customer_ref":"c1")")).command.customer;
  CHECK((alone && !alone->saves_method && !alone->on_session));
}

TEST_CASE("a saved method is charged by the token under which it was saved") {
  const auto charge = [](std::string_view token) {
    return decode_charge(
        R"({"payment_id":"pay_1","amount":1,"currency":"HKD","customer_ref":"c1","payment_method_id":")" +
            std::string{token} + "\"}",
        in());
  };
  for (const auto* token : {"pm_card_visa", "ctoken_card_visa"}) {
    const auto read = charge(token);
    REQUIRE(std::holds_alternative<charge_body>(read));
    CHECK(std::get<charge_body>(read).command.details.payment_method == token);
  }
  for (const auto* token : {"", "card_visa", "ctoken_", "pm_", "pm_a b", "4242424242424242"})
    CHECK(rejected_with(charge(token)).message.starts_with("payment_method_id"));
}

TEST_CASE("return addresses are absolute https, or in test http to this machine") {
  struct {
    std::string_view url;
    bool in_test, in_live;
  } const rows[] = {
      {"https://shop.example/ok?x=1#y", true, true},
      {"HTTPS://shop.example", true, true},
      {"https://192.0.2.1:8443/", true, true},
      {"https://[2001:db8::1]/", true, true},
      {"http://localhost:3000/ok", true, false},
      {"http://127.0.0.1/", true, false},
      {"http://[::1]:80/", true, false},
      {"http://localhost.example/", false, false},
      {"http://127.0.0.1.evil.example/", false, false},
      {"http://127.0.0.1evil.example/", false, false},
      {"http://[::1].evil.example/", false, false},
      {"http://[::1]evil.example/", false, false},
      {"https://127.0.0.1.shop.example/", true, true},
      {"https://127.0.0.1;b.example/", false, false},
      {"https://127.0.0.1.shop.example:99999/", false, false},
      {"https://127.0.0.1.shop.example:80x/", false, false},
      {"https://[v1.x]/", false, false},
      {"http://127.0.0.2/", false, false},
      {"https://", false, false},
      {"https:///path", false, false},
      {"https://a.example:99999/", false, false},
      {"https://a;b.example/", false, false},
      {"https://a%2eb/", false, false},
      {"https://user@shop.example/", false, false},
      {"https://shop.example/a b", false, false},
      {"https://shop.example/\r\nX: y", false, false},
      {"//shop.example/", false, false},
      {"shop.example", false, false},
      {"data:text/html,x", false, false},
  };
  for (const auto& row : rows) {
    INFO(row.url);
    CHECK(is_return_url(row.url, environment::test) == row.in_test);
    CHECK(is_return_url(row.url, environment::live) == row.in_live);
  }
  CHECK(origin_of("https://shop.example:8443/ok?x=1") == "https://shop.example:8443");
  CHECK(origin_of("https://127.0.0.1.shop.example/ok") == "https://127.0.0.1.shop.example");
  CHECK(origin_of("https://[2001:db8::1]:8443/ok") == "https://[2001:db8::1]:8443");
  CHECK(origin_of("https://127.0.0.1;script-src'unsafe-inline'/").empty());
  CHECK(origin_of("https://p.example/cb?tenant[]=1") == "https://p.example");
  CHECK(origin_of("HTTPS://p.example:/a[b]c") == "HTTPS://p.example");
  CHECK(origin_of("http://localhost:3000/cb") == "http://localhost:3000");
  for (const auto* text :
       {"", "https://", "https:///cb", "https://a@p.example/", "https://a:1@p.example/", "https://p.example:1x/",
        "https://p.exa mple/", "https://p.example\\@q.example/", "javascript://p.example/",
        "x;script-src 'unsafe-inline'://p.example/", "/a?b=://p.example", "https:p.example/://q.example/"})
    CHECK(origin_of(text).empty());
}

TEST_CASE("capture, refund and void take an empty body, or an object") {
  const auto refund = [](std::string_view body) {
    return std::get<write_body<refund_payment>>(decode_refund(body, in())).command;
  };
  CHECK(std::get<write_body<capture_payment>>(decode_capture("", in())).merchant.empty());
  CHECK(std::get<write_body<capture_payment>>(decode_capture("{}", in())).merchant.empty());
  CHECK(rejected_with(decode_capture("[]", in())).message.starts_with("body"));
  const auto capture = [](std::string_view body) {
    return std::get<write_body<capture_payment>>(decode_capture(body, in())).command.amount;
  };
  for (auto whole : {"", "{}", R"({"amount":0})", R"({"amount":null})"}) CHECK(capture(whole) == 0);
  CHECK(capture(R"({"amount":3000})") == 3000);
  for (auto body : {R"({"amount":-1})", R"({"amount":1.0})", R"({"amount":"1"})", R"({"amount":1000000000000})"})
    CHECK(rejected_with(decode_capture(body, in())).message.starts_with("amount"));

  CHECK(refund("").amount == 0);
  CHECK(refund(R"({"amount":0})").amount == 0);
  CHECK(refund(R"({"amount":5,"reason":"torn"})").amount == 5);
  CHECK(refund(R"({"amount":5,"reason":"torn"})").reason == "torn");
  for (auto body : {R"({"amount":null})", R"({"amount":-1})", R"({"amount":1.0})", R"({"amount":"1"})",
                    R"({"amount":1000000000000})"})
    CHECK(rejected_with(decode_refund(body, in())).message.starts_with("amount"));
  CHECK(rejected_with(decode_refund("{" + text_member("reason", 65'537) + "}", in())).message.starts_with("reason"));

  CHECK(std::get<write_body<void_payment>>(decode_void(R"({"reason":"late"})", in())).command.reason == "late");
  CHECK(rejected_with(decode_void(R"({"reason":[]})", in())).message.starts_with("reason"));

  CHECK(std::get<write_body<cancel_payment>>(decode_cancel("", in())).command.reason.empty());
  CHECK(std::get<write_body<cancel_payment>>(decode_cancel(R"({"reason":"x"})", in())).command.reason == "x");
  CHECK(rejected_with(decode_cancel(R"({"reason":[]})", in())).message.starts_with("reason"));
}

TEST_CASE("the merchant that a write names is read for every kind of write, and must be a string") {
  constexpr std::string_view named = R"({"merchant_id":"merch_2"})";
  CHECK(created(server(R"("merchant_id":"merch_2")")).merchant.value == "merch_2");
  CHECK(created(server("")).merchant.empty());
  CHECK(created(server(R"("merchant_id":null)")).merchant.empty());
  CHECK(std::get<write_body<capture_payment>>(decode_capture(named, in())).merchant.value == "merch_2");
  CHECK(std::get<write_body<refund_payment>>(decode_refund(named, in())).merchant.value == "merch_2");
  CHECK(std::get<write_body<void_payment>>(decode_void(named, in())).merchant.value == "merch_2");
  CHECK(rejected_with(decode_capture(R"({"merchant_id":2})", in())).message.starts_with("merchant_id"));
}

TEST_CASE("an idempotency key is a UUID and is lower-cased") {
  CHECK(std::get<std::string>(decode_idempotency_key("0B6F3C1E-54A4-4F1B-9D2C-8E7A6B5C4D3E")) ==
        "0b6f3c1e-54a4-4f1b-9d2c-8e7a6b5c4d3e");
  CHECK(rejected_with(decode_idempotency_key(std::nullopt)).code == error_code::idempotency_key_required);
  CHECK(rejected_with(decode_idempotency_key("")).code == error_code::idempotency_key_required);
  for (auto text : {"x", "0b6f3c1e54a44f1b9d2c8e7a6b5c4d3e", "0b6f3c1e-54a4-4f1b-9d2c-8e7a6b5c4d3",
                    "0b6f3c1e-54a4-4f1b-9d2c-8e7a6b5c4d3ee", "0b6f3c1g-54a4-4f1b-9d2c-8e7a6b5c4d3e",
                    "{0b6f3c1e-54a4-4f1b-9d2c-8e7a6b5c4d3e}"})
    CHECK(rejected_with(decode_idempotency_key(text)).code == error_code::idempotency_key_invalid);
}

TEST_CASE("a body needs the JSON media type, with or without parameters; no body needs none") {
  CHECK(is_json_request("", std::nullopt));
  for (auto type : {"application/json", "Application/JSON; charset=utf-8", "application/json ;x=y"})
    CHECK(is_json_request("{}", type));
  CHECK_FALSE(is_json_request("{}", std::nullopt));
  for (auto type : {"", "text/plain", "application/jsonp", "application/x-www-form-urlencoded"})
    CHECK_FALSE(is_json_request("{}", type));
}
