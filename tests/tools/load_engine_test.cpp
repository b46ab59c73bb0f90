#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include "engine/engine.hpp"
#include "load_test_server.hpp"

using namespace gateway::load;
using namespace std::chrono_literals;
using testing::ok;
using testing::test_server;

namespace {

constexpr std::uint64_t ms = 1'000'000;
constexpr std::uint64_t second = 1'000'000'000;

/// Gives a number of requests, several at a time. Each has its number as its subject.
class numbered : public scenario {
 public:
  explicit numbered(std::uint64_t most = ~0ULL, unsigned at_once = 1) : most_(most), at_once_(at_once) {}

  void next(std::vector<request>& out) override {
    for (unsigned i = 0; i < at_once_ && given < most_; ++i) {
      request one;
      one.path = "/v1/payment_intents";
      one.body = "{\"n\":" + std::to_string(given) + "}";
      one.idempotency_key = "00000000-0000-4000-8000-000000000000";
      one.subject = given++;
      out.push_back(std::move(one));
    }
  }
  void on_answer(const request& sent, const answer& got) override {
    ++answers_by_subject[sent.subject];
    statuses.push_back(got.status);
    losses.push_back(got.lost);
    bodies.emplace_back(got.body);
    ids.emplace_back(got.request_id);
    replayed.push_back(got.replayed);
    retry_after.push_back(got.has_retry_after);
  }

  bool each_answered_once() const {
    return answers_by_subject.size() == given &&
           std::ranges::all_of(answers_by_subject, [](const auto& one) { return one.second == 1; });
  }

  std::uint64_t given = 0;
  std::map<std::uint64_t, int> answers_by_subject;
  std::vector<int> statuses;
  std::vector<loss> losses;
  std::vector<std::string> bodies, ids;
  std::vector<bool> replayed, retry_after;

 private:
  std::uint64_t most_;
  unsigned at_once_;
};

/// Payments of two steps: the second request of a payment comes after the answer to its first.
class two_steps : public scenario {
 public:
  explicit two_steps(unsigned payments) : left_(payments) {}
  void next(std::vector<request>& out) override {
    if (ready_)
      give(out, operation::capture);
    else if (!busy_ && left_ > 0)
      give(out, operation::create);
  }
  void on_answer(const request& sent, const answer&) override {
    busy_ = false;
    ready_ = sent.kind == operation::create;
  }

 private:
  void give(std::vector<request>& out, operation kind) {
    request one;
    one.kind = kind;
    one.path = "/";
    out.push_back(one);
    busy_ = true;
    ready_ = false;
    if (kind == operation::create) --left_;
  }
  unsigned left_;
  bool busy_ = false, ready_ = false;
};

const credentials key{"mk_test_1", "secret"};

load_plan closed(unsigned connections = 1) {
  load_plan plan;
  plan.connections = connections;
  plan.timeout = 10s;
  return plan;
}

load_plan open(double rate, std::uint64_t lasts, unsigned connections = 1) {
  auto plan = closed(connections);
  plan.open = schedule::constant(rate, lasts);
  return plan;
}

load_outcome run(const test_server& server, const load_plan& plan, std::vector<scenario*> scenarios) {
  const target to{server.insecure()};
  const std::atomic<bool> stop{false};
  return run_load({&to, 1}, signer{to.authority(), key}, plan, scenarios, stop);
}

std::uint64_t at_least(const histogram& of, std::uint64_t value) {
  std::uint64_t found = 0;
  for (const auto& [highest, times] : of.counters()) found += highest >= value ? times : 0;
  return found;
}

std::map<std::string, std::uint64_t> outcomes(const load_outcome& of) {
  std::map<std::string, std::uint64_t> all;
  for (const auto& one : of.measured.operations)
    for (const auto& [outcome, times] : one.outcomes) all[outcome] += times;
  return all;
}

/// Answers every request at once, except one slow one.
test_server::answer_function stalls_once(std::size_t which, std::chrono::milliseconds how_long) {
  return [=](std::size_t number, const std::string&) {
    if (number == which) std::this_thread::sleep_for(how_long);
    return ok();
  };
}

}  // namespace

TEST_CASE("Open model: a stall of the server is in the latency of every request that should have left during it") {
  test_server server{stalls_once(100, 300ms)};
  numbered asks;
  const auto result = run(server, open(1000, second / 2), {&asks});
  CHECK(asks.given == 500);
  CHECK(asks.each_answered_once());
  CHECK(result.measured.answered() == 500);
  // One request in each of 300 milliseconds: their latencies are 300, 299, 298 ms and so on.
  CHECK(at_least(result.measured.latency, 100 * ms) >= 195);
  CHECK(at_least(result.measured.latency, 200 * ms) >= 95);
  CHECK(result.measured.latency.most() >= 299 * ms);
  // Nearly all of the latency is the wait for the one connection.
  CHECK(at_least(result.measured.lateness, 100 * ms) >= 190);
}

TEST_CASE("Closed model: a stall is in the latency of the one request that met it") {
  test_server server{stalls_once(100, 300ms)};
  numbered asks{500};
  const auto result = run(server, closed(), {&asks});
  CHECK(result.measured.answered() == 500);
  CHECK(at_least(result.measured.latency, 300 * ms) >= 1);
  CHECK(at_least(result.measured.latency, 200 * ms) < 20);
  CHECK(result.measured.lateness.count() == 0);
}

TEST_CASE("Closed model: the rate after a warm-up is that of answers, however many requests are in flight at the end") {
  std::mutex one_at_a_time;
  std::vector<std::chrono::steady_clock::time_point> answers;
  test_server server{[&](std::size_t, const std::string&) {
    const std::scoped_lock lock{one_at_a_time};
    std::this_thread::sleep_for(4ms);
    answers.push_back(std::chrono::steady_clock::now());
    return ok();
  }};
  numbered asks;
  auto plan = closed(80);
  plan.warm_up_ns = 300 * ms;
  plan.lasts_ns = 1500 * ms;
  const auto result = run(server, plan, {&asks});
  // The answers to requests in flight arrive for a third of a second after the end. They belong to no measured second.
  const std::scoped_lock lock{one_at_a_time};
  const auto counted_from = answers.front() + 300ms;
  const auto counted =
      std::ranges::count_if(answers, [&](auto at) { return at >= counted_from && at < counted_from + 1200ms; });
  CHECK(result.measured.answered_per_second() == Approx(static_cast<double>(counted) / 1.2).epsilon(0.2));
  // A closed run intends no rate.
  CHECK(result.measured.intended_per_second == 0);
}

TEST_CASE("Open model: the requests of the schedule are sent, and each gets one outcome") {
  test_server server{[](std::size_t, const std::string&) { return ok(); }};
  numbered asks;
  const auto result = run(server, open(2000, second / 4, 8), {&asks});
  CHECK(asks.given == 500);
  CHECK(server.requests() == 500);
  CHECK(asks.each_answered_once());
  CHECK(outcomes(result) == std::map<std::string, std::uint64_t>{{"200", 500}});
  CHECK(result.measured.intended_per_second == Approx(2000));
  CHECK(result.fault.empty());
  std::uint64_t intended = 0, answered = 0;
  for (const auto& one : result.measured.timeline) {
    intended += one.intended;
    answered += one.answered;
  }
  CHECK(intended == 500);
  CHECK(answered == 500);
}

TEST_CASE("Requests that leave at the same moment use as many slots of the schedule") {
  test_server server{[](std::size_t, const std::string&) { return ok(); }};
  numbered asks{~0ULL, 50};
  const auto result = run(server, open(1000, second / 5, 4), {&asks});
  CHECK(asks.given == 200);
  CHECK(asks.each_answered_once());
  // 50 requests leave at once through 4 connections, so most of them wait for a connection.
  CHECK(result.measured.lateness.count() == 200);
}

TEST_CASE("A scenario without further requests, with none in flight, has ended") {
  test_server server{[](std::size_t, const std::string&) { return ok(); }};
  SECTION("closed") {
    numbered asks{37};
    const auto result = run(server, closed(5), {&asks});
    CHECK(result.measured.answered() == 37);
    CHECK(asks.each_answered_once());
  }
  SECTION("open") {
    numbered asks{37};
    const auto result = run(server, open(1000, schedule::no_end, 5), {&asks});
    CHECK(result.measured.answered() == 37);
  }
  SECTION("one that gives its next request only after an answer continues until its last") {
    two_steps asks{10};
    const auto result = run(server, GENERATE(true, false) ? closed(3) : open(5000, 60 * second, 3), {&asks});
    CHECK(result.measured.answered() == 20);
    REQUIRE(result.measured.operations.size() == 2);
    CHECK(result.measured.operations[0].name == "create");
    CHECK(result.measured.operations[1].name == "capture");
    CHECK(result.measured.operations[1].sent == 10);
  }
  SECTION("no request at all") {
    numbered asks{0};
    CHECK(run(server, closed(3), {&asks}).measured.answered() == 0);
  }
}

TEST_CASE("A slot for which the scenario has no request keeps its time until there is one") {
  test_server server{[](std::size_t, const std::string&) {
    std::this_thread::sleep_for(20ms);
    return ok();
  }};
  two_steps asks{5};
  // The schedule requests a thousand a second, but each request can leave only after the answer to the one before.
  const auto result = run(server, open(1000, 60 * second, 4), {&asks});
  CHECK(result.measured.answered() == 10);
  CHECK(result.measured.latency.most() >= 9 * 20 * ms);
}

TEST_CASE("An answer's status, body and headers are passed to the scenario") {
  test_server server{[](std::size_t number, const std::string&) -> std::string {
    switch (number) {
      case 0: return ok("first", "REQUEST-ID: req_1 \r\nidempotent-replayed: true\r\nretry-after:5\r\n");
      case 1: return "HTTP/1.1 204 No Content\r\n\r\n";
      default:
        return "HTTP/1.1 409 Conflict\r\nRequest-Id: req_3\r\ncontent-length: 38\r\n\r\n{\"error\":\"request already "
               "processing\"}";
    }
  }};
  numbered asks{4};
  const auto result = run(server, closed(), {&asks});
  CHECK(asks.statuses == std::vector{200, 204, 409, 409});
  CHECK(asks.bodies[0] == "first");
  CHECK(asks.bodies[1].empty());
  CHECK(asks.ids == std::vector<std::string>{"req_1", "", "req_3", "req_3"});
  CHECK(asks.replayed == std::vector{true, false, false, false});
  CHECK(asks.retry_after == std::vector{true, false, false, false});
  CHECK(outcomes(result) ==
        std::map<std::string, std::uint64_t>{{"200 replayed", 1}, {"204", 1}, {"409 request already processing", 2}});
  CHECK(result.measured.errors == std::map<std::string, std::string>{{"409 request already processing", "req_3"}});
}

TEST_CASE("The request is sent as given, signed, with the target as its host") {
  std::string seen;
  test_server server{[&](std::size_t, const std::string& text) {
    seen = text;
    return ok();
  }};
  numbered asks{1};
  run(server, closed(), {&asks});
  CHECK(seen.starts_with("POST /v1/payment_intents HTTP/1.1\r\nHost: 127.0.0.1:"));
  CHECK(seen.find("\r\nX-Service-Key-Id: mk_test_1\r\n") != std::string::npos);
  CHECK(seen.ends_with("\r\n\r\n{\"n\":0}"));
}

TEST_CASE("An answer of many TLS records is read whole, up to a mebibyte") {
  const std::string large(700'000, 'x');
  test_server server{[&](std::size_t, const std::string&) { return ok(large); }};
  numbered asks{2};
  run(server, closed(), {&asks});
  REQUIRE(asks.bodies.size() == 2);
  CHECK(asks.bodies[0] == large);
  CHECK(asks.bodies[1] == large);
}

TEST_CASE("Malformed answers are losses, and the connection is opened again") {
  const std::string first = "HTTP/1.1 200 OK\r\n";
  const std::string bad = GENERATE_COPY(values<std::string>(
      {first + "\r\nno length", "SSH-2.0-x\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n",
       "HTTP/1.1 200 OK\nContent-Length: 1\r\n\r\nx", first + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
       first + "Content-Length: -1\r\n\r\n", first + "Content-Length: 1\r\n\r\nxy",
       first + "Content-Length: 1\r\nContent-Length: 1\r\n\r\nx", first + "Content-Length: 2000000\r\n\r\n",
       first + "Content-Length: 18446744073709551615\r\n\r\n", std::string(1'100'000, 'x')}));
  CAPTURE(bad.substr(0, 80));
  test_server server{[&](std::size_t number, const std::string&) { return number == 0 ? bad : ok(); }};
  numbered asks{2};
  const auto result = run(server, closed(), {&asks});
  CHECK(asks.losses == std::vector{loss::bad_answer, loss::none});
  CHECK(outcomes(result) == std::map<std::string, std::uint64_t>{{"200", 1}, {"bad_answer", 1}});
  CHECK(server.connections() == 2);
}

TEST_CASE("A request whose connection breaks is lost: it is not sent again") {
  test_server server{[](std::size_t number, const std::string&) { return number % 3 == 1 ? std::string{} : ok(); }};
  numbered asks{30};
  const auto result = run(server, GENERATE(true, false) ? closed(2) : open(2000, 60 * second, 2), {&asks});
  CHECK(server.requests() == 30);
  CHECK(asks.each_answered_once());
  CHECK(outcomes(result) == std::map<std::string, std::uint64_t>{{"200", 20}, {"connection_broken", 10}});
  CHECK(result.measured.answered() == 20);
}

TEST_CASE("A server that closes after its answer is connected to again") {
  test_server server{[](std::size_t, const std::string&) { return ok("{}", "Connection: close\r\n"); }};
  numbered asks{10};
  const auto result = run(server, closed(), {&asks});
  CHECK(result.measured.answered() == 10);
  CHECK(server.connections() >= 10);
}

TEST_CASE("A request without an answer in time is lost, and its connection is opened again") {
  test_server server{stalls_once(0, 400ms)};
  numbered asks{2};
  auto plan = closed();
  plan.timeout = 100ms;
  const auto result = run(server, plan, {&asks});
  CHECK(asks.losses == std::vector{loss::timed_out, loss::none});
  CHECK(outcomes(result) == std::map<std::string, std::uint64_t>{{"200", 1}, {"timed_out", 1}});
  CHECK(server.connections() == 2);
}

TEST_CASE("Too many requests without a connection end the load, with a message") {
  test_server server{stalls_once(0, 300ms)};
  numbered asks;
  auto plan = open(1000, 60 * second);
  plan.most_waiting = 20;
  const auto result = run(server, plan, {&asks});
  CHECK(result.fault.find("more than 20 requests waited") != std::string::npos);
  CHECK(asks.each_answered_once());
  CHECK(asks.given < 60'000);
  // A request that never left is no outcome of the server.
  CHECK(outcomes(result) == std::map<std::string, std::uint64_t>{{"200", 1}});
}

TEST_CASE("A server that goes away permanently: requests fail to connect, and the load ends after a while") {
  test_server* gone = nullptr;
  test_server server{[&](std::size_t number, const std::string&) {
    if (number == 10) gone->refuse_all();
    return ok();
  }};
  gone = &server;
  numbered asks;
  auto plan = open(500, 60 * second, 2);
  plan.timeout = 300ms;
  const auto result = run(server, plan, {&asks});
  CHECK(result.fault.find("no connection could be made") != std::string::npos);
  CHECK(asks.each_answered_once());
  CHECK(outcomes(result).contains("connect_failed"));
}

TEST_CASE("Requests due in the warm-up are not counted") {
  test_server server{[](std::size_t, const std::string&) { return ok(); }};
  numbered asks;
  auto plan = open(1000, second / 5, 4);
  plan.open = plan.open->after_warm_up(second / 10);
  plan.warm_up_ns = second / 10;
  const auto result = run(server, plan, {&asks});
  CHECK(asks.given == 300);
  CHECK(result.measured.answered() == 200);
  CHECK(result.measured.intended_per_second == Approx(1000));
  REQUIRE(!result.measured.timeline.empty());
  CHECK(result.measured.timeline[0].intended == 200);
}

TEST_CASE("Several threads share the schedule and the connections, and their numbers add up") {
  test_server server{[](std::size_t, const std::string&) { return ok(); }};
  numbered first, other;
  const auto result = run(server, open(1000, second / 5, 5), {&first, &other});
  CHECK(first.given == 100);
  CHECK(other.given == 100);
  CHECK(first.each_answered_once());
  CHECK(other.each_answered_once());
  CHECK(server.connections() == 5);
  CHECK(result.measured.threads == 2);
  CHECK(result.measured.answered() == 200);
  CHECK(result.measured.intended_per_second == Approx(1000));
}

TEST_CASE("When stopped, a load waits only for the requests in flight") {
  std::atomic<bool> stop{false};
  test_server server{[&](std::size_t number, const std::string&) {
    if (number == 5) stop = true;
    return ok();
  }};
  numbered asks;
  const target to{server.insecure()};
  const auto result = run_load({&to, 1}, signer{to.authority(), key}, open(1000, 3600 * second), {&asks}, stop);
  CHECK(result.fault.empty());
  CHECK(asks.each_answered_once());
  CHECK(result.measured.answered() >= 6);
}

TEST_CASE("A load that finds no server does not begin") {
  test_server server{[](std::size_t, const std::string&) { return ok(); }};
  server.stop();
  numbered asks{1};
  CHECK_THROWS_WITH(run(server, closed(), {&asks}), "cannot connect: Connection refused");
  CHECK(asks.given == 0);
}

TEST_CASE("Several targets have an equal share of the connections, over all threads") {
  std::atomic<int> asked[2] = {0, 0};
  const auto counting = [&](int which) {
    return [&asked, which](std::size_t, const std::string&) {
      ++asked[which];
      return ok();
    };
  };
  test_server first{counting(0)}, second{counting(1)};
  std::vector<target> to;
  to.emplace_back(first.insecure());
  to.emplace_back(second.insecure());
  numbered one{20}, other{20};
  const std::atomic<bool> stop{false};
  // A thread each: what one of them sends goes over its only connection.
  const auto result = run_load(to, signer{to.front().authority(), key}, closed(2), {&one, &other}, stop);
  CHECK(result.measured.answered() == 40);
  CHECK(asked[0] == 20);
  CHECK(asked[1] == 20);
}

TEST_CASE("The server's certificate is checked") {
  test_server server{[](std::size_t, const std::string&) { return ok(); }};
  numbered asks{1};
  target_options options;
  options.url = server.url();
  const std::atomic<bool> stop{false};
  const auto go = [&] {
    const target to{options};
    return run_load({&to, 1}, signer{to.authority(), key}, closed(), {&asks}, stop).measured.answered();
  };
  SECTION("one without a trusted issuer is refused") {
    CHECK_THROWS_WITH(go(), Catch::StartsWith("cannot connect: its certificate is not trusted"));
  }
  const auto folder = std::filesystem::temp_directory_path() / ("load_engine_test." + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  std::ofstream{folder / "dev-certificate.pem"} << server.certificate();
  SECTION("one in the named file is accepted") {
    options.ca_file = folder / "dev-certificate.pem";
    CHECK(go() == 1);
  }
  SECTION("so is the development certificate of the data directory") {
    options.data_dir = folder;
    CHECK(go() == 1);
  }
  SECTION("under another name it is refused") {
    options.ca_file = folder / "dev-certificate.pem";
    options.url.replace(options.url.find("127.0.0.1"), 9, "localhost");
    // localhost may resolve to ::1, which has no listener.
    CHECK_THROWS_WITH(go(), Catch::StartsWith("cannot connect: "));
  }
  SECTION("a file without certificates is an error") {
    options.ca_file = folder / "none.pem";
    CHECK_THROWS_WITH(go(), Catch::StartsWith("no certificate can be read from"));
  }
  std::filesystem::remove_all(folder);
}

TEST_CASE("Malformed targets, and those on other machines, are rejected") {
  const auto made = [](const std::string& url, bool allow_remote = false, bool insecure = false) {
    target_options options;
    options.url = url;
    options.allow_remote = allow_remote;
    options.insecure = insecure;
    return target{options}.url();
  };
  CHECK(made("https://127.0.0.1:8443") == "https://127.0.0.1:8443");
  CHECK(made("https://127.0.0.1:8443/") == "https://127.0.0.1:8443");
  CHECK(made("https://127.3.2.1") == "https://127.3.2.1");
  CHECK(made("https://[::1]:8443") == "https://[::1]:8443");
  for (const auto* bad :
       {"", "127.0.0.1:8443", "http://127.0.0.1", "https://", "https://127.0.0.1:", "https://127.0.0.1:0",
        "https://127.0.0.1:70000", "https://127.0.0.1/v1", "https://a b", "https://[::1", "https://user@127.0.0.1"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(made(bad), std::invalid_argument);
  }
  CHECK_THROWS_WITH(made("https://192.0.2.1"),
                    "192.0.2.1 is not this machine: --allow-remote says that you may load it");
  CHECK(made("https://192.0.2.1", true) == "https://192.0.2.1");
  CHECK_THROWS_WITH(made("https://192.0.2.1", true, true), Catch::StartsWith("--insecure is for this machine only"));
}

TEST_CASE("The code of an error is found in each form of errors") {
  CHECK(error_code_of(R"({"error":"unauthorized","error_description":"…"})") == "unauthorized");
  CHECK(error_code_of(R"({"error":{"code":"currency_unknown","message":"m","docs_url":"d"}})") == "currency_unknown");
  CHECK(error_code_of(R"({ "error" : { "message" : "a \"quoted\" }" , "code" : "late" } })") == "late");
  CHECK(
      error_code_of(
          R"({"a":-1.5e3,"b":[1,{"b":null}],"provider":{"error":{"code":"inner"}},"error":"provider outcome unknown"})") ==
      "provider outcome unknown");
  for (const auto* none : {"", "[]", "{}", "null", R"({"error":)", R"({"error":{)", R"({"error":5})", R"({"a":")",
                           R"({"a\)", R"({"a":{"error":"x"}})", R"({"error":{"code":7}})", "}{", "{,"}) {
    CAPTURE(none);
    CHECK(error_code_of(none).empty());
  }
}
