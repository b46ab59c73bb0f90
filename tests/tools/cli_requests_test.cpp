// The requests of gateway-cli against a server in the test's process: repeats, pages, followed events, refusals.
#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "gateway/base/crypto.hpp"
#include "load_test_server.hpp"
#include "tools/gateway-cli/carry_out.hpp"
#include "tools/gateway-cli/event_feed.hpp"
#include "tools/gateway-cli/event_page.hpp"
#include "tools/gateway-cli/listen.hpp"
#include "tools/gateway-cli/output.hpp"

using namespace gateway::cli;
using Catch::Contains;
using gateway::http_failure;
using gateway::http_fault;
using gateway::http_method;
using gateway::load::testing::ok;
using gateway::load::testing::test_server;
using std::chrono::milliseconds;

namespace {

std::string answer_with(const std::string& status, const std::string& body, const std::string& fields = {}) {
  return "HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + fields + "\r\n" + body;
}

/// A server that gives these answers in turn, and what it was asked.
class scripted_gateway {
 public:
  explicit scripted_gateway(std::vector<std::string> answers)
      : answers_(std::move(answers)), server_([this](std::size_t number, const std::string& request) {
          const std::scoped_lock lock{guard_};
          requests_.push_back(request);
          return number < answers_.size() ? answers_[number] : answers_.back();
        }) {
    std::ofstream{ca_file_} << server_.certificate();
  }
  ~scripted_gateway() {
    server_.stop();
    std::filesystem::remove(ca_file_);
  }

  gateway_access key(const std::string& id = "mk_test_1") const { return {server_.url(), id, "secret", ca_file_}; }

  std::vector<std::string> requests() const {
    const std::scoped_lock lock{guard_};
    return requests_;
  }
  std::vector<std::string> targets() const {
    std::vector<std::string> found;
    for (const auto& each : requests()) found.push_back(each.substr(0, each.find(" HTTP/1.1")));
    return found;
  }
  std::set<std::string> keys() const {
    std::set<std::string> found;
    for (const auto& each : requests()) {
      constexpr std::string_view name = "Idempotency-Key: ";
      const auto at = each.find(name);
      found.insert(at == each.npos ? "" : each.substr(at + name.size(), each.find("\r\n", at) - at - name.size()));
    }
    return found;
  }

  struct result {
    int code = -1;
    std::string out, err;
  };
  result run(const std::vector<std::string>& arguments, const std::string& key_id = "mk_test_1",
             const std::string& input = {}) const {
    std::vector<const char*> argv{"gateway-cli"};
    for (const auto& each : arguments) argv.push_back(each.c_str());
    const std::map<std::string, std::string> variables{{"GATEWAY_URL", server_.url()},
                                                       {"GATEWAY_KEY_ID", key_id},
                                                       {"GATEWAY_SECRET", "secret"},
                                                       {"GATEWAY_CA_FILE", ca_file_}};
    std::istringstream in{input};
    std::ostringstream out, err;
    const auto code = carry_out(
        parse_command_line(static_cast<int>(argv.size()), argv.data()),
        [&](const char* name) -> std::optional<std::string> {
          const auto found = variables.find(name);
          return found == variables.end() ? std::nullopt : std::optional{found->second};
        },
        in, out, err);
    return {code, out.str(), err.str()};
  }

 private:
  const std::string ca_file_ =
      (std::filesystem::temp_directory_path() / ("gateway-cli-ca-" + gateway::crypto::random_hex(8))).string();
  std::vector<std::string> answers_;
  mutable std::mutex guard_;
  std::vector<std::string> requests_;
  test_server server_;
};

std::string event_text(const std::string& id, const std::string& type = "payment.captured") {
  return R"({"id":")" + id + R"(","type":")" + type +
         R"(","created":"2026-11-20T09:30:00.125Z","merchant":{"id":"merch_1","entity_id":"ent_1"},)"
         R"("data":{"payment_id":"pay_1","note":"caf\u00e9 \/ 1.0"}})";
}

std::string page_text(const std::vector<std::string>& events, const std::string& next) {
  std::string all;
  for (const auto& each : events) all += (all.empty() ? "" : ",") + each;
  return R"({"events":[)" + all + R"(],"next":")" + next + R"("})";
}

api_answer answered(std::uint16_t status, std::string body = {}) { return {status, std::move(body)}; }

}  // namespace

TEST_CASE("a request is repeated while its outcome is open, and never once it is known") {
  const repeat_rule rule;
  const auto repeats = [&](const api_outcome& seen) { return pause_before_repeat(seen, 0, rule).has_value(); };
  for (const auto what : {http_fault::answer_timeout, http_fault::connect_timeout, http_fault::connect_failed,
                          http_fault::broken, http_fault::send_failed})
    CHECK(repeats(http_failure{what, true}));
  for (const auto what : {http_fault::tls_failed, http_fault::bad_address, http_fault::forbidden_address,
                          http_fault::lookup_failed, http_fault::garbage})
    CHECK_FALSE(repeats(http_failure{what, false}));
  for (const std::uint16_t status : {500, 502, 503, 429}) CHECK(repeats(answered(status)));
  for (const std::uint16_t status : {200, 400, 401, 403, 404, 409, 410, 422}) CHECK_FALSE(repeats(answered(status)));
  CHECK(repeats(answered(409, R"({"error":"request already processing","message":"x"})")));
  CHECK_FALSE(repeats(answered(409, R"({"error":"IDEMPOTENCY_KEY_REUSED","message":"x"})")));
  auto stored = answered(502);
  stored.replayed = true;
  CHECK_FALSE(repeats(stored));
}

TEST_CASE("the pauses between repeats grow, follow Retry-After, and end") {
  const repeat_rule rule;
  std::vector<long> pauses;
  for (unsigned repeats = 0; const auto pause = pause_before_repeat(answered(503), repeats, rule); ++repeats)
    pauses.push_back(pause->count());
  CHECK(pauses == std::vector<long>{200, 400, 800, 1600, 3200});
  auto asked = answered(503);
  asked.retry_after = milliseconds{7'000};
  CHECK(pause_before_repeat(asked, 0, rule) == milliseconds{7'000});
  asked.retry_after = milliseconds{0};
  CHECK(pause_before_repeat(asked, 0, rule) == milliseconds{200});
  asked.retry_after = milliseconds{61'000};
  CHECK_FALSE(pause_before_repeat(asked, 0, rule));
}

TEST_CASE("a call is repeated with the same key until it has its result") {
  const scripted_gateway gateway{
      {answer_with("503 Service Unavailable", R"({"error":"overloaded"})", "Retry-After: 0\r\n"),
       answer_with("409 Conflict", R"({"error":"request already processing"})"), ok(R"({"state":"authorized"})")}};
  const auto ran = gateway.run({"call", "POST", "/v1/payment_intents", "--body=-"}, "mk_test_1", R"({"a":1})");
  INFO(ran.err);
  CHECK(ran.code == 0);
  CHECK(ran.out == "{\"state\":\"authorized\"}\n");
  CHECK(gateway.requests().size() == 3);
  CHECK(gateway.keys().size() == 1);
  CHECK_THAT(gateway.requests().front(), Contains("Content-Type: application/json") && Contains(R"({"a":1})"));
}

TEST_CASE("a refusal's body is printed, a line on standard error explains it, and it is not repeated") {
  const std::string body = R"({"error":"payment_not_found","message":"there is no such payment"})";
  const scripted_gateway gateway{{answer_with("404 Not Found", body)}};
  const auto ran = gateway.run({"payments", "show", "pay_9"});
  CHECK(ran.code == 1);
  CHECK(ran.out == body + '\n');
  CHECK(ran.err == "gateway-cli: the gateway answered 404: payment_not_found: there is no such payment\n");
  CHECK(gateway.requests().size() == 1);

  const scripted_gateway typed{{answer_with(
      "422 Unprocessable", R"({"error":{"code":"wallet_not_available","message":"no wallet","docs_url":"u"}})")}};
  CHECK_THAT(typed.run({"payments", "show", "pay_9"}).err, Contains("422: wallet_not_available: no wallet"));
}

TEST_CASE("a certificate that no authority has signed is refused") {
  const scripted_gateway gateway{{ok()}};
  auto who = gateway.key();
  who.ca_file.clear();
  api_client client{who, {}};
  CHECK_THROWS_WITH(client.send({http_method::get, "/v1/disputes"}), Contains("certificate"));
  CHECK(gateway.requests().empty());
}

TEST_CASE("a platform's key names merchant and environment, and another key not another environment") {
  const scripted_gateway gateway{{ok()}};
  const auto ran =
      gateway.run({"payments", "show", "pay_1", "--merchant=merch_1", "--environment=test"}, "mk_platform_1");
  CHECK(ran.code == 0);
  CHECK(gateway.targets() == std::vector<std::string>{"GET /v1/payment_intents/pay_1?environment=test"});
  CHECK_THAT(gateway.requests().front(), Contains("Service-Merchant: merch_1\r\n"));

  CHECK(gateway.run({"payments", "show", "pay_1", "--environment=test"}, "mk_live_1").code == 1);
  CHECK(gateway.run({"payments", "show", "pay_1", "--environment=live"}, "mk_live_1").code == 0);
  CHECK(gateway.targets().back() == "GET /v1/payment_intents/pay_1");
}

TEST_CASE("a list is read page by page up to its limit, one object a line with --json") {
  std::string hundred;
  for (int i = 0; i < 100; ++i)
    hundred += (i ? "," : "") + std::string{R"({"payment_id":"pay_)"} + std::to_string(i) + "\"}";
  const scripted_gateway gateway{{ok(R"({"payments":[)" + hundred + R"(],"next":"c=1"})"),
                                  ok(R"({"payments":[{"payment_id":"pay_100"}],"next":"c2"})")}};
  const auto ran = gateway.run({"payments", "list", "--json", "--limit=101", "--state=captured"});
  CHECK(ran.code == 0);
  CHECK(std::ranges::count(ran.out, '\n') == 101);
  CHECK_THAT(ran.out, Catch::EndsWith("{\"payment_id\":\"pay_100\"}\n"));
  CHECK(gateway.targets() == std::vector<std::string>{"GET /v1/payment_intents?limit=100&state=captured",
                                                      "GET /v1/payment_intents?limit=1&state=captured&after=c%3D1"});
  CHECK_THAT(ran.err, Contains("--after c2"));
}

TEST_CASE("the bytes of events are kept as the gateway wrote them") {
  const auto first = event_text("evt_1"), second = event_text("evt_2", "dispute.opened");
  const auto page = read_event_page(page_text({first, second}, "c9"));
  REQUIRE(page.events.size() == 2);
  CHECK(page.events[0].bytes == first);
  CHECK(page.events[1].bytes == second);
  CHECK(page.events[1].type == "dispute.opened");
  CHECK(page.events[0].subject == "pay_1");
  CHECK(page.next == "c9");
  CHECK(read_event_page(page_text({}, "c9")).events.empty());
  for (const auto* wrong : {"", "[]", "{}", R"({"events":[1],"next":"c"})", R"({"events":[]})", R"({"events":[{)"})
    CHECK_THROWS_AS(read_event_page(wrong), failure);
}

TEST_CASE("followed events come once each, also when the gateway fails in between") {
  const scripted_gateway gateway{{ok(page_text({}, "c0")), answer_with("503 Service Unavailable", "{}"), "",
                                  ok(page_text({event_text("evt_1")}, "c1")),
                                  ok(page_text({event_text("evt_2")}, "c2"))}};
  api_client client{gateway.key(), {}};
  std::vector<std::string> notices;
  event_feed feed{client, {"payment.captured", ""}, [&](std::string_view line) { notices.emplace_back(line); }};
  feed.begin();
  CHECK(feed.next().front().id == "evt_1");
  CHECK(feed.next().front().id == "evt_2");
  const auto targets = gateway.targets();
  CHECK(targets.front() == "GET /v1/events?limit=1&types=payment.captured&after=end");
  CHECK(targets[1] == "GET /v1/events?limit=100&wait=30&types=payment.captured&after=c0");
  CHECK(targets.back() == "GET /v1/events?limit=100&wait=30&types=payment.captured&after=c1");
  CHECK(notices.size() == 2);
}

TEST_CASE("a cursor whose events are gone ends the command with a hint") {
  const scripted_gateway gateway{{answer_with("410 Gone", R"({"error":"cursor_expired","message":"x"})")}};
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"events", "tail", "--from=2020-01-01T00:00:00Z"},
        std::vector<std::string>{"events", "list", "--after=old"}}) {
    const auto ran = gateway.run(command);
    CHECK(ran.code == 1);
    CHECK(ran.out == "{\"error\":\"cursor_expired\",\"message\":\"x\"}\n");
    CHECK_THAT(ran.err, Contains("no longer kept"));
  }
}

TEST_CASE("a receiver that refuses an event is tried four times, one that is being restarted for as long as it takes") {
  std::vector<long> pauses;
  for (unsigned attempts = 1; const auto pause = pause_after_attempt(attempts, true); ++attempts)
    pauses.push_back(pause->count());
  CHECK(pauses == std::vector<long>{1'000, 5'000, 30'000});
  CHECK(pause_after_attempt(1, false) == milliseconds{1'000});
  CHECK(pause_after_attempt(1'000, false) == milliseconds{5'000});
}
