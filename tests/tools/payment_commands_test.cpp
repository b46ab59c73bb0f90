// The commands of gatewayctl about payments, and about what the sandbox does to them.
#include <catch2/catch.hpp>

#include <sstream>
#include <string>
#include <vector>

#include <boost/json/serialize.hpp>

#include "command_line.hpp"

using namespace gateway::ctl;
using Catch::Contains;

namespace {

using words = std::vector<std::string>;

command_line parsed(const words& arguments) {
  std::vector<const char*> argv{"gatewayctl"};
  for (const auto& w : arguments) argv.push_back(w.c_str());
  std::istringstream in;
  return parse_command_line(static_cast<int>(argv.size()), argv.data(), in);
}

words joined(words first, const words& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

const words of_pay_1{"pay_1", "--merchant=merch_1", "--mode=test"};
const std::string named = R"({"payment_id":"pay_1","merchant_id":"merch_1","mode":"test")";

}  // namespace

TEST_CASE("a list of payments is one call with its filters") {
  struct row {
    words arguments;
    std::string body;
  };
  const row rows[] = {
      {{}, R"({"limit":1000})"},
      {{"--merchant=merch_1", "--mode=live", "--state=partially_refunded"},
       R"({"merchant_id":"merch_1","mode":"live","state":"partially_refunded","limit":1000})"},
      {{"--unknown"}, R"({"unknown":true,"limit":1000})"},
      {{"--unknown", "--older-than", "2h"}, R"({"unknown":true,"older_than_ms":7200000,"limit":1000})"},
      {{"--older-than=7d", "--limit=20"}, R"({"older_than_ms":604800000,"limit":20})"},
      {{"--after=merch_1/live/7/pay_1"}, R"({"after":"merch_1/live/7/pay_1","limit":1000})"},
  };
  for (const auto& [arguments, body] : rows) {
    const auto command = parsed(joined({"payment", "list"}, arguments));
    INFO(command.text);
    REQUIRE(command.what == action::call);
    CHECK(command.call.path == "/operator/payments/list");
    CHECK(boost::json::serialize(command.call.body) == body);
  }
}

TEST_CASE("each command about one payment is one call that names it by its merchant and its mode") {
  struct row {
    words command, options;
    std::string path, rest;
  };
  const std::string sandbox = "/operator/sandbox/payment";
  const row rows[] = {
      {{"payment", "show"}, {}, "/operator/payments/show", "}"},
      {{"payment", "refresh"}, {}, "/operator/payments/refresh", "}"},
      {{"payment", "settle"},
       {"--as=approved", "--reason=seen in the dashboard"},
       "/operator/payments/settle",
       R"(,"as":"approved","reason":"seen in the dashboard"})"},
      {{"payment", "record-refund"},
       {"--amount=1200", "--reference=bank 7", "--reason=by bank"},
       "/operator/payments/record-refund",
       R"(,"amount":1200,"reference":"bank 7","reason":"by bank"})"},
      {{"sandbox", "dispute"}, {"--open"}, sandbox, R"(,"act":"dispute_open"})"},
      {{"sandbox", "dispute"}, {"--open", "--amount=70"}, sandbox, R"(,"amount":70,"act":"dispute_open"})"},
      {{"sandbox", "dispute"}, {"--open", "--warning"}, sandbox, R"(,"act":"dispute_warn"})"},
      {{"sandbox", "dispute"}, {"--update"}, sandbox, R"(,"act":"dispute_update"})"},
      {{"sandbox", "dispute"}, {"--win"}, sandbox, R"(,"act":"dispute_win"})"},
      {{"sandbox", "dispute"}, {"--lose"}, sandbox, R"(,"act":"dispute_lose"})"},
      {{"sandbox", "refund"}, {"--settle=re_1"}, sandbox, R"(,"act":"refund_settle","refund_id":"re_1"})"},
      {{"sandbox", "refund"}, {"--fail", "re_1"}, sandbox, R"(,"act":"refund_fail","refund_id":"re_1"})"},
      {{"sandbox", "refund"}, {"--outside=5"}, sandbox, R"(,"amount":5,"act":"refund_outside"})"},
      {{"sandbox", "authorization"}, {"--expire"}, sandbox, R"(,"act":"authorization_expire"})"},
      {{"sandbox", "authorization"}, {"--cancel"}, sandbox, R"(,"act":"authorization_cancel"})"},
      {{"sandbox", "capture"}, {"--outside", "4199"}, sandbox, R"(,"amount":4199,"act":"capture_outside"})"},
  };
  for (const auto& [command, options, path, rest] : rows) {
    const auto call = parsed(joined(joined(command, of_pay_1), options));
    INFO(call.text << rest);
    REQUIRE(call.what == action::call);
    CHECK(call.call.path == path);
    CHECK(boost::json::serialize(call.call.body) == named + rest);
  }
}

TEST_CASE("a cycle of the sandbox may need the customer, or be paid with another amount") {
  const auto action_needed = parsed({"sandbox", "subscription", "box-17", "--cycle=action"});
  REQUIRE(action_needed.what == action::call);
  CHECK(boost::json::serialize(action_needed.call.body) ==
        R"({"subscription_id":"box-17","move":"action","repeat":1,"reorder":false})");
  const auto paid = parsed({"sandbox", "subscription", "box-17", "--cycle=paid", "--amount=950"});
  REQUIRE(paid.what == action::call);
  CHECK(boost::json::serialize(paid.call.body) ==
        R"({"subscription_id":"box-17","amount":950,"move":"paid","repeat":1,"reorder":false})");
  const auto free = parsed({"sandbox", "subscription", "box-17", "--cycle=paid", "--amount=0"});
  REQUIRE(free.what == action::call);
  CHECK(free.call.body.at("amount").as_int64() == 0);
}

TEST_CASE("a command about a payment that lacks something, or has too much, is a usage error that names it") {
  struct row {
    words command, options;
    std::string names;
  };
  const row rows[] = {
      {{"payment", "settle"}, {"--reason=r"}, "--as"},
      {{"payment", "settle"}, {"--as=unknown", "--reason=r"}, "--as"},
      {{"payment", "settle"}, {"--as=approved"}, "--reason"},
      {{"payment", "record-refund"}, {"--reference=r", "--reason=r"}, "--amount"},
      {{"payment", "record-refund"}, {"--amount=0", "--reference=r", "--reason=r"}, "above 0"},
      {{"payment", "record-refund"}, {"--amount=-5", "--reference=r", "--reason=r"}, "above 0"},
      {{"payment", "record-refund"}, {"--amount=5", "--reason=r"}, "--reference"},
      {{"sandbox", "dispute"}, {}, "--open"},
      {{"sandbox", "dispute"}, {"--warning"}, "--open"},
      {{"sandbox", "dispute"}, {"--open", "--win"}, "--win"},
      {{"sandbox", "dispute"}, {"--win", "--amount=5"}, "--amount"},
      {{"sandbox", "dispute"}, {"--lose", "--warning"}, "--warning"},
      {{"sandbox", "refund"}, {}, "--settle"},
      {{"sandbox", "refund"}, {"--settle=re_1", "--fail=re_1"}, "--fail"},
      {{"sandbox", "refund"}, {"--fail=re_1", "--outside=5"}, "--outside"},
      {{"sandbox", "refund"}, {"--outside=x"}, "above 0"},
      {{"sandbox", "authorization"}, {}, "--expire"},
      {{"sandbox", "authorization"}, {"--expire", "--cancel"}, "--cancel"},
      {{"sandbox", "capture"}, {}, "--outside"},
  };
  for (const auto& [command, options, names] : rows) {
    const auto fault = parsed(joined(joined(command, of_pay_1), options));
    INFO(fault.text << " for " << names);
    CHECK(fault.what == action::usage_error);
    CHECK_THAT(fault.text, Contains(names));
  }
  for (const auto& wrong : std::vector<words>{{"payment"},
                                              {"payment", "show", "pay_1", "--merchant=merch_1"},
                                              {"payment", "show", "pay_1", "--mode=test"},
                                              {"payment", "show", "--merchant=merch_1", "--mode=test"},
                                              {"payment", "list", "--state=lost"},
                                              {"payment", "list", "--older-than=soon"},
                                              {"payment", "list", "--unknown", "--after=x/live/1/y"},
                                              {"payment", "list", "--limit=0"},
                                              {"sandbox", "subscription", "box-17", "--cycle=failed", "--amount=5"},
                                              {"sandbox", "subscription", "box-17", "--update", "--amount=5"}})
    CHECK(parsed(wrong).what == action::usage_error);
}
