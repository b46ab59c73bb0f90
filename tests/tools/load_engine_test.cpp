// When requests leave, and what is counted.
#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "load_engine_fixture.hpp"

using namespace gateway::load;
using namespace gateway::load::testing;
using namespace std::chrono_literals;

TEST_CASE("Open model: a stall of the server is in the latency of every request that should have left during it") {
  test_server server{stalls_once(100, 300ms)};
  numbered requests;
  const auto result = run(server, open(1000, second / 2), {&requests});
  CHECK(requests.given == 500);
  CHECK(requests.each_answered_once());
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
  numbered requests{500};
  const auto result = run(server, closed(), {&requests});
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
  numbered requests;
  auto plan = closed(80);
  plan.warm_up_ns = 300 * ms;
  plan.lasts_ns = 1500 * ms;
  const auto result = run(server, plan, {&requests});
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
  numbered requests;
  const auto result = run(server, open(2000, second / 4, 8), {&requests});
  CHECK(requests.given == 500);
  CHECK(server.requests() == 500);
  CHECK(requests.each_answered_once());
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
  numbered requests{~0ULL, 50};
  const auto result = run(server, open(1000, second / 5, 4), {&requests});
  CHECK(requests.given == 200);
  CHECK(requests.each_answered_once());
  // 50 requests leave at once through 4 connections, so most of them wait for a connection.
  CHECK(result.measured.lateness.count() == 200);
}

TEST_CASE("A scenario without further requests, with none in flight, has ended") {
  test_server server{[](std::size_t, const std::string&) { return ok(); }};
  SECTION("closed") {
    numbered requests{37};
    const auto result = run(server, closed(5), {&requests});
    CHECK(result.measured.answered() == 37);
    CHECK(requests.each_answered_once());
  }
  SECTION("open") {
    numbered requests{37};
    const auto result = run(server, open(1000, schedule::no_end, 5), {&requests});
    CHECK(result.measured.answered() == 37);
  }
  SECTION("one that gives its next request only after an answer continues until its last") {
    two_steps requests{10};
    const auto result = run(server, GENERATE(true, false) ? closed(3) : open(5000, 60 * second, 3), {&requests});
    CHECK(result.measured.answered() == 20);
    REQUIRE(result.measured.operations.size() == 2);
    CHECK(result.measured.operations[0].name == "create");
    CHECK(result.measured.operations[1].name == "capture");
    CHECK(result.measured.operations[1].sent == 10);
  }
  SECTION("no request at all") {
    numbered requests{0};
    CHECK(run(server, closed(3), {&requests}).measured.answered() == 0);
  }
}

TEST_CASE("A slot for which the scenario has no request keeps its time until there is one") {
  test_server server{[](std::size_t, const std::string&) {
    std::this_thread::sleep_for(20ms);
    return ok();
  }};
  two_steps requests{5};
  // The schedule requests a thousand a second, but each request can leave only after the answer to the one before.
  const auto result = run(server, open(1000, 60 * second, 4), {&requests});
  CHECK(result.measured.answered() == 10);
  CHECK(result.measured.latency.most() >= 9 * 20 * ms);
}

TEST_CASE("Too many requests without a connection end the load, with a message") {
  test_server server{stalls_once(0, 300ms)};
  numbered requests;
  auto plan = open(1000, 60 * second);
  plan.most_waiting = 20;
  const auto result = run(server, plan, {&requests});
  CHECK(result.fault.find("more than 20 requests waited") != std::string::npos);
  CHECK(requests.each_answered_once());
  CHECK(requests.given < 60'000);
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
  numbered requests;
  auto plan = open(500, 60 * second, 2);
  plan.timeout = 300ms;
  const auto result = run(server, plan, {&requests});
  CHECK(result.fault.find("no connection could be made") != std::string::npos);
  CHECK(requests.each_answered_once());
  CHECK(outcomes(result).contains("connect_failed"));
}

TEST_CASE("Requests due in the warm-up are not counted") {
  test_server server{[](std::size_t, const std::string&) { return ok(); }};
  numbered requests;
  auto plan = open(1000, second / 5, 4);
  plan.open = plan.open->after_warm_up(second / 10);
  plan.warm_up_ns = second / 10;
  const auto result = run(server, plan, {&requests});
  CHECK(requests.given == 300);
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
  numbered requests;
  const target to{server.insecure()};
  const auto result = run_load({&to, 1}, signer{to.authority(), key}, open(1000, 3600 * second), {&requests}, stop);
  CHECK(result.fault.empty());
  CHECK(requests.each_answered_once());
  CHECK(result.measured.answered() >= 6);
}

TEST_CASE("A load that finds no server does not begin") {
  test_server server{[](std::size_t, const std::string&) { return ok(); }};
  server.stop();
  numbered requests{1};
  CHECK_THROWS_WITH(run(server, closed(), {&requests}), "cannot connect: Connection refused");
  CHECK(requests.given == 0);
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
