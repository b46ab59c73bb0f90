// The command line of gateway-cli, and the requests that it becomes.
#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "tools/gateway-cli/command_line.hpp"

using namespace gateway::cli;
using Catch::Contains;
using gateway::http_method;

namespace {

using words = std::vector<std::string>;

command_line parsed(const words& arguments) {
  std::vector<const char*> argv{"gateway-cli"};
  for (const auto& each : arguments) argv.push_back(each.c_str());
  return parse_command_line(static_cast<int>(argv.size()), argv.data());
}

std::string method_text(http_method method) {
  return method == http_method::get ? "GET" : method == http_method::post ? "POST" : "DELETE";
}

struct request_row {
  words arguments;
  std::string request, body;
};

bool is_uuid_version_4(const std::string& text) {
  constexpr std::string_view form = "hhhhhhhh-hhhh-4hhh-vhhh-hhhhhhhhhhhh";
  if (text.size() != form.size()) return false;
  for (std::size_t i = 0; i < form.size(); ++i) {
    const std::string_view allowed = form[i] == 'h' ? "0123456789abcdef" : form[i] == 'v' ? "89ab" : form.substr(i, 1);
    if (allowed.find(text[i]) == allowed.npos) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("each command on payments and events becomes one request") {
  const std::vector<request_row> rows{
      {{"payments", "show", "pay_1"}, "GET /v1/payment_intents/pay_1", ""},
      {{"payments", "show", "../events"}, "GET /v1/payment_intents/..%2Fevents", ""},
      {{"payments", "create", "--payment-id=pay_1", "--amount", "4200", "--currency", "HKD", "--payment-method",
        "pm_card_visa"},
       "POST /v1/payment_intents",
       R"({"payment_id":"pay_1","currency":"HKD","payment_method":"pm_card_visa","amount":4200})"},
      {{"payments", "create", "--payment-id=pay_1", "--amount=1", "--currency=USD", "--flow=redirect",
        "--success-url=https://shop.example/a", "--cancel-url=https://shop.example/b", "--metadata", "order=7",
        "--metadata", "note=a=b"},
       "POST /v1/payment_intents",
       R"({"payment_id":"pay_1","currency":"USD","flow":"redirect","success_url":"https://shop.example/a",)"
       R"("cancel_url":"https://shop.example/b","amount":1,"metadata":{"order":"7","note":"a=b"}})"},
      {{"payments", "capture", "pay_1"}, "POST /v1/payment_intents/pay_1/capture", ""},
      {{"payments", "capture", "pay_1", "--amount=5"}, "POST /v1/payment_intents/pay_1/capture", R"({"amount":5})"},
      {{"payments", "refund", "pay_1"}, "POST /v1/payment_intents/pay_1/refund", ""},
      {{"payments", "refund", "pay_1", "--amount=5", "--reason", "late \"tea\""},
       "POST /v1/payment_intents/pay_1/refund",
       R"({"reason":"late \"tea\"","amount":5})"},
      {{"payments", "void", "pay_1", "--reason=x"}, "POST /v1/payment_intents/pay_1/void", R"({"reason":"x"})"},
      {{"payments", "cancel", "pay_1"}, "POST /v1/payment_intents/pay_1/cancel", ""},
      {{"events", "show", "evt_1"}, "GET /v1/events/evt_1", ""}};
  for (const auto& row : rows) {
    const auto command = parsed(row.arguments);
    INFO(command.text);
    REQUIRE(command.what == action::send);
    CHECK(method_text(command.request.method) + ' ' + command.request.target == row.request);
    CHECK(command.request.body == row.body);
    CHECK(is_uuid_version_4(command.request.key) == (command.request.method == http_method::post));
  }
}

TEST_CASE("a call is signed with the method and path that are given") {
  const auto read = parsed({"call", "get", "/v1/disputes?limit=1"});
  REQUIRE(read.what == action::call);
  CHECK(read.request.method == http_method::get);
  CHECK(read.request.target == "/v1/disputes?limit=1");
  CHECK(read.request.key.empty());

  const auto write = parsed({"call", "DELETE", "/v1/subscriptions/sub_1", "--body", "-", "--idempotency-key", "k",
                             "--repeats=2", "--timeout=7"});
  REQUIRE(write.what == action::call);
  CHECK(write.request.method == http_method::delete_);
  CHECK(write.request.key == "k");
  CHECK(write.body_file == "-");
  CHECK(write.repeats.most_repeats == 2);
  CHECK(write.repeats.answer_timeout == std::chrono::seconds{7});
  CHECK(parsed({"call", "POST", "/v1/x"}).request.key != parsed({"call", "POST", "/v1/x"}).request.key);
}

TEST_CASE("the general options are read before and behind a command") {
  for (const auto& arguments : {words{"--json", "--profile=shop", "--merchant", "merch_1", "--environment", "test",
                                      "payments", "show", "pay_1"},
                                words{"payments", "show", "pay_1", "--json", "--profile=shop", "--merchant", "merch_1",
                                      "--environment", "test"}}) {
    const auto command = parsed(arguments);
    INFO(command.text);
    REQUIRE(command.what == action::send);
    CHECK(command.json);
    CHECK(command.profile == "shop");
    CHECK(command.scope.merchant == "merch_1");
    CHECK(command.scope.environment == "test");
  }
}

TEST_CASE("lists, followed events, triggers and verifications are read with their options") {
  const auto payments = parsed({"payments", "list", "--state=captured,refunded", "--limit=250", "--after=c"});
  REQUIRE(payments.what == action::list);
  CHECK(payments.list.path == "/v1/payment_intents");
  CHECK(std::string{payments.list.filters.front().first} == "state");
  CHECK(payments.list.filters.front().second == "captured,refunded");
  CHECK(payments.list.limit == 250);
  CHECK(payments.list.after == "c");
  const auto disputes = parsed({"disputes", "list"});
  CHECK(disputes.list.path == "/v1/disputes");
  CHECK(disputes.list.limit == 20);
  CHECK(parsed({"events", "list", "--from=2026-11-20T09:30:00Z"}).list.path == "/v1/events");

  const auto tail = parsed({"events", "tail", "--types=payment.captured"});
  REQUIRE(tail.what == action::tail);
  CHECK(tail.feed.types == "payment.captured");
  const auto listen = parsed({"listen", "--forward-to", "http://localhost:3000/", "--from=2026-11-20T09:30:00Z"});
  REQUIRE(listen.what == action::listen);
  CHECK(listen.forward_to == "http://localhost:3000/");
  CHECK(listen.feed.from == "2026-11-20T09:30:00Z");

  const auto trigger = parsed({"trigger", "payment.succeeded", "--json"});
  REQUIRE(trigger.what == action::trigger);
  CHECK(trigger.trigger.type == gateway::event_type::payment_captured);
  CHECK(trigger.trigger.json);
  const auto verify = parsed({"verify", "--secret=s", "--signature", "t=1,v1=a", "--tolerance=0"});
  REQUIRE(verify.what == action::verify);
  CHECK(verify.body_file == "-");
  CHECK(verify.verify.tolerance_s == 0);
}

TEST_CASE("a test event is no usage error: the reason says who can send one") {
  CHECK_THROWS_WITH(parsed({"trigger", "webhook.test"}), Contains("portal"));
}

TEST_CASE("a wrong command line is a usage error in one line that names the fault") {
  const std::vector<std::pair<words, std::string>> rows{
      {{}, "required"},
      {{"payments"}, "required"},
      {{"refunds"}, "'refunds' was not expected"},
      {{"call", "GET"}, "PATH"},
      {{"call", "PUT", "/v1/x"}, "METHOD"},
      {{"call", "GET", "v1/x"}, "PATH"},
      {{"payments", "show"}, "ID"},
      {{"payments", "create"}, "--payment-id is missing"},
      {{"payments", "create", "--payment-id=p", "--currency=USD"}, "--amount is missing"},
      {{"payments", "create", "--payment-id=p", "--currency=USD", "--amount=1.5"}, "--amount"},
      {{"payments", "create", "--payment-id=p", "--body=-"}, "--body"},
      {{"payments", "create", "--payment-id=p", "--currency=USD", "--amount=1", "--metadata=x"}, "--metadata"},
      {{"payments", "refund", "pay_1", "--amount=-1"}, "--amount"},
      {{"payments", "refund", "pay_1", "--reason="}, "--reason"},
      {{"payments", "list", "--limit=0"}, "--limit"},
      {{"payments", "list", "--environment=prod"}, "--environment"},
      {{"events", "list", "--after=c", "--from=t"}, "--after"},
      {{"listen"}, "--forward-to"},
      {{"listen", "--forward-to", "localhost:3000"}, "--forward-to"},
      {{"listen", "--forward-to", "http://192.0.2.1/"}, "--forward-to"},
      {{"trigger"}, "TYPE"},
      {{"trigger", "payment.teleported"}, "payment.teleported"},
      {{"verify", "--secret=s"}, "--signature"},
      {{"verify", "--secret=s", "--signature=h", "--tolerance=soon"}, "--tolerance"}};
  for (const auto& [arguments, named] : rows) {
    const auto command = parsed(arguments);
    CAPTURE(named, command.text);
    CHECK(command.what == action::usage_error);
    CHECK_THAT(command.text, Contains(named));
    CHECK(command.text.find('\n') == std::string::npos);
  }
}

TEST_CASE("help names every command, the settings and the exit status") {
  const auto help = parsed({"--help"});
  REQUIRE(help.what == action::information);
  for (const auto* each :
       {"call", "payments", "events", "disputes", "listen", "trigger", "verify", "--profile", "--json", "--merchant",
        "--environment", "GATEWAY_URL", "GATEWAY_KEY_ID", "GATEWAY_SECRET", "GATEWAY_CA_FILE", "Exit status"})
    CHECK_THAT(help.text, Contains(each));
  CHECK(parsed({"payments", "create", "--help"}).what == action::information);
  CHECK_THAT(parsed({"--version"}).text, Catch::StartsWith("gateway-cli "));
}
