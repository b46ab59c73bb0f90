// Which requests the scenarios send; and a correct gateway has no violation, even if requests fail often.
#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include "load_fake_gateway.hpp"
#include "workload/parsed_answer.hpp"

using namespace gateway::load;
using namespace gateway::load::testing;
namespace json = boost::json;

TEST_CASE("a correct gateway has no violation in any scenario") {
  const std::string mix = GENERATE(as<std::string>{}, "create", "lifecycle", "storm", "reuse", "hot", "replay",
                                   "hosted", "webhooks", "saved", every_scenario);
  CAPTURE(mix);
  fake_gateway gateway;
  const auto result = checked(mix, gateway, 4000);
  CAPTURE(first_of(result));
  CHECK(result.done);
  CHECK(result.violations == 0);
  CHECK(result.keys == gateway.executions());
  CHECK(result.payments == gateway.payments().size());
  CHECK(result.customers == gateway.customers().size());
  CHECK(result.events == gateway.events().size());
  CHECK(result.settled == 0);
}

TEST_CASE("lost answers, overload, and unknown outcomes are no violations, and lost answers are settled") {
  const std::string mix = GENERATE(as<std::string>{}, "create", "lifecycle", "storm", "reuse", "hot", "replay",
                                   "hosted", "webhooks", "saved", every_scenario);
  CAPTURE(mix);
  const failure_rates frequent{
      .lost_before = 5, .lost_after = 5, .overloaded = 5, .in_progress = 10, .unknown = 5, .store_unavailable = 3};
  fake_gateway gateway{fault::none, frequent};
  const auto result = checked(mix, gateway, 4000);
  CAPTURE(first_of(result));
  CHECK(result.violations == 0);
  // replay and reuse repeat the requests of their pools themselves, and storm repeats its duplicates.
  if (mix != "replay" && mix != "reuse" && mix != "storm") CHECK(result.settled > 0);
  CHECK(result.payments >= gateway.payments().size());
  CHECK(result.events == gateway.events().size());
}

TEST_CASE("saved pays once for each customer, and charges the saved method in every way") {
  fake_gateway gateway;
  const auto work = make_workload(mix_options("saved", 4000));
  std::map<std::string, int> asked;
  /// Counts the requests that leave the workload.
  struct counting : scenario {
    scenario& inner;
    std::function<void(const request&)> count;
    counting(scenario& in, std::function<void(const request&)> by) : inner{in}, count{std::move(by)} {}
    void next(std::vector<request>& out) override {
      const auto before = out.size();
      inner.next(out);
      for (auto at = before; at < out.size(); ++at) count(out[at]);
    }
    void on_answer(const request& sent, const answer& got) override { inner.on_answer(sent, got); }
  } counted{
      *work, [&](const request& one) {
        if (one.path == "/v1/charges/saved")
          asked[json::parse(one.body).as_object().contains("auto_capture") ? "authorize" : "charge"] += 1;
        else if (one.path == "/v1/payment_intents" && json::parse(one.body).as_object().contains("payment_method"))
          asked["save"] += 1;
        else if (one.path == "/v1/payment_intents")
          asked["off session"] += 1;
        else
          asked[std::string{to_string(one.kind)}] += 1;
      }};
  CHECK(drive(counted, gateway) == 4000);
  for (const auto* what : {"charge", "authorize", "capture", "off session", "save", "by_ref"}) {
    CAPTURE(what);
    CHECK(asked[what] > 100);
  }
  CHECK(asked["charge"] > asked["off session"] + asked["save"]);
  // Two payments leave at once for every second customer.
  CHECK(static_cast<std::size_t>(asked["save"]) == gateway.customers().size() * 3 / 2);
}

TEST_CASE("the same seed makes the same requests, and keys are UUIDs that occur once") {
  std::set<std::string> keys;
  const auto one = make_workload(mix_options(every_scenario, 2000)),
             other = make_workload(mix_options(every_scenario, 2000));
  fake_gateway first, second;
  std::vector<request> a, b;
  for (int i = 0; i < 300; ++i) {
    one->next(a);
    other->next(b);
  }
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    CHECK(std::tie(a[i].path, a[i].body, a[i].idempotency_key) == std::tie(b[i].path, b[i].body, b[i].idempotency_key));
    const auto& key = a[i].idempotency_key;
    CHECK((key.size() == 36 && key[8] == '-' && key[13] == '-' && key[18] == '-' && key[23] == '-'));
    CHECK((key[14] == '8' && std::string{"89ab"}.find(key[19]) != std::string::npos));
    keys.insert(key + a[i].body);
  }
  CHECK(keys.size() > 50);
}

TEST_CASE("a storm's duplicates leave together, and no more keys are in use than configured") {
  auto options = mix_options("storm", 0);
  options.keys = 2;
  const auto work = make_workload(options);
  std::vector<request> out;
  work->next(out);
  CHECK(out.size() == 20);
  const auto same = [&](const request& one) {
    return one.idempotency_key == out[0].idempotency_key && one.body == out[0].body;
  };
  CHECK(std::ranges::all_of(out, same));
  work->next(out);
  CHECK(out.size() == 40);
  work->next(out);
  CHECK(out.size() == 40);
}

TEST_CASE("the count of requests is exact, a storm's duplicates included") {
  const auto work = make_workload(mix_options("storm", 25));
  std::vector<request> out;
  for (int i = 0; i < 5; ++i) work->next(out);
  CHECK(out.size() == 25);
}

TEST_CASE("a lifecycle waits for no answer: it begins another payment, and continues the first once it is answered") {
  fake_gateway gateway;
  const auto work = make_workload(mix_options("lifecycle", 0));
  std::vector<request> out;
  work->next(out);
  work->next(out);
  CHECK(out[0].path == "/v1/payment_intents");
  CHECK(out[1].path == "/v1/payment_intents");
  CHECK(out[0].body != out[1].body);
  const auto reply = gateway.serve(out[0]);
  answer got;
  got.status = reply.status;
  got.body = reply.body;
  work->on_answer(out[0], got);
  work->next(out);
  CHECK(out[2].path == "/v1/payment_intents/pay_r1_0/capture");
  CHECK(out[2].kind == operation::capture);
}

TEST_CASE("a lifecycle is a create, a capture, and as many refunds as configured, of the whole amount") {
  fake_gateway gateway;
  auto options = mix_options("lifecycle", 50);
  options.refunds = 2;
  const auto work = make_workload(options);
  // One after the other: fifty requests are twelve payments and a half.
  std::map<std::string, int> asked;
  std::vector<request> out;
  for (;;) {
    out.clear();
    work->next(out);
    if (out.empty()) break;
    asked[std::string{to_string(out.front().kind)}] += 1;
    const auto reply = gateway.serve(out.front());
    answer got;
    got.status = reply.status;
    got.body = reply.body;
    work->on_answer(out.front(), got);
  }
  CHECK(asked == std::map<std::string, int>{{"create", 13}, {"capture", 13}, {"refund", 24}});
  CHECK(std::ranges::count_if(gateway.payments(), [](const auto& one) { return one.second.state == "refunded"; }) ==
        12);
}

TEST_CASE("weights are the shares of requests") {
  fake_gateway gateway;
  const auto work = make_workload(mix_options("create:3 storm:1", 8000));
  std::vector<request> out;
  std::size_t storms = 0, creates = 0;
  while (creates + storms < 8000) {
    out.clear();
    work->next(out);
    REQUIRE_FALSE(out.empty());
    (out.size() > 1 ? storms : creates) += out.size();
    for (const auto& one : out) {
      const auto reply = gateway.serve(one);
      answer got;
      got.status = reply.status;
      got.body = reply.body;
      got.replayed = reply.replayed;
      work->on_answer(one, got);
    }
  }
  CHECK(storms == Approx(2000).margin(40));
}

TEST_CASE("a mix is read from arguments or from the lines of a file") {
  const auto mix = read_mix("create:3 lifecycle:0.5\n# at night\nstorm # and nothing else\n");
  REQUIRE(mix.size() == 3);
  CHECK(mix[0].name == "create");
  CHECK(mix[0].weight == 3);
  CHECK(mix[1].weight == 0.5);
  CHECK(mix[2].name == "storm");
  CHECK(mix[2].weight == 1);
}

TEST_CASE("a wrong mix is refused with one line that names the error") {
  CHECK_THROWS_WITH(read_mix("# nothing"), "no scenario is named");
  CHECK_THROWS_WITH(read_mix("creat:1"), Catch::StartsWith("no scenario is called 'creat'"));
  CHECK_THROWS_WITH(read_mix("create create:2"), "the scenario create stands there twice");
  for (const auto* text :
       {"create:", "create:0", "create:-1", "create:x", "create:1x", "create:inf", "create:nan", "create:1:2"})
    CHECK_THROWS_WITH(read_mix(text), Catch::EndsWith("must be a number above 0"));
}

TEST_CASE("options out of bounds are refused") {
  auto options = mix_options("create", 0);
  SECTION("no duplicates") { options.duplicates = 0; }
  SECTION("no keys") { options.keys = 0; }
  SECTION("no hot payments") { options.hot_payments = 0; }
  SECTION("too many refunds") { options.refunds = 1001; }
  SECTION("a run that would not fit into an id") { options.run = "a/b"; }
  SECTION("no run") { options.run = ""; }
  SECTION("a payment method that would break the body") { options.payment_method = "pm_\""; }
  SECTION("an invalid currency") { options.currency = "hkd"; }
  CHECK_THROWS_AS(make_workload(options), std::invalid_argument);
}
