// Token buckets: how many requests a caller gets, however it spreads them and however many other callers there are.
#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <random>
#include <thread>
#include <vector>

#include "http/access/rate_limit.hpp"
#include "http/access/rate_limit_headers.hpp"

using namespace gateway::http;
using namespace std::chrono_literals;

namespace {

using bucket_time = rate_limit::clock::time_point;

const bucket_time first_moment{1'000h};

/// How many of `count` simultaneous requests pass.
int pass_at(rate_limit& limit, std::uint64_t who, bucket_time now, int count) {
  int passed = 0;
  for (int i = 0; i < count; ++i) passed += limit.take(who, now).passed ? 1 : 0;
  return passed;
}

}  // namespace

TEST_CASE("a bucket holds its burst, and refills at the rate") {
  struct {
    rate_rule rule;
    std::chrono::nanoseconds pause;
    int first, then;  ///< requests that pass at once, and after the pause
  } const rows[] = {
      {{10, 5}, 0ms, 5, 0},     {{10, 5}, 99ms, 5, 0},         {{10, 5}, 100ms, 5, 1},        {{10, 5}, 250ms, 5, 2},
      {{10, 5}, 500ms, 5, 5},   {{10, 5}, 24h, 5, 5},          {{1, 1}, 999ms, 1, 0},         {{1, 1}, 1s, 1, 1},
      {{1, 100}, 30s, 100, 30}, {{3, 3}, 333'333'333ns, 3, 0}, {{3, 3}, 333'333'334ns, 3, 1}, {{1000, 1}, 1ms, 1, 1},
      {{1000, 1}, 500us, 1, 0}, {{5, 0}, 200ms, 1, 1},
  };
  for (const auto& row : rows) {
    CAPTURE(row.rule.per_second, row.rule.burst, row.pause.count());
    rate_limit limit{row.rule};
    CHECK(pass_at(limit, 7, first_moment, 200) == row.first);
    CHECK(pass_at(limit, 7, first_moment + row.pause, 200) == row.then);
  }
}

TEST_CASE("the limit reports what is left, and 0 to a rejected request") {
  rate_limit limit{{10, 3}};
  CHECK(limit.take(1, first_moment).left == 2);
  CHECK(limit.take(1, first_moment).left == 1);
  CHECK(limit.take(1, first_moment).left == 0);
  CHECK_FALSE(limit.take(1, first_moment).passed);
  CHECK(limit.take(1, first_moment).left == 0);
  CHECK(limit.take(1, first_moment + 250ms).left == 1);
  CHECK(limit.take(1, first_moment + 1h).left == 2);
}

TEST_CASE("a rejected request does not delay the next one") {
  rate_limit limit{{1, 1}};
  CHECK(limit.take(1, first_moment).passed);
  for (auto now = first_moment; now < first_moment + 1s; now += 10ms) CHECK_FALSE(limit.take(1, now).passed);
  CHECK(limit.take(1, first_moment + 1s).passed);
}

TEST_CASE("each caller has a bucket of its own") {
  rate_limit limit{{1, 2}};
  CHECK(pass_at(limit, 1, first_moment, 10) == 2);
  CHECK(pass_at(limit, 2, first_moment, 10) == 2);
  CHECK(limit.in_use(first_moment) == 2);
  CHECK(limit.in_use(first_moment + 2s) == 0);
}

TEST_CASE("a request that is given back can be sent again") {
  rate_limit limit{{1, 2}};
  CHECK(pass_at(limit, 1, first_moment, 2) == 2);
  limit.give_back(1);
  CHECK(pass_at(limit, 1, first_moment, 2) == 1);
  limit.give_back(99);  // a caller without a place
  CHECK(limit.take(99, first_moment).left == 1);
}

TEST_CASE("without a rate there is no limit") {
  CHECK_FALSE(rate_limit{}.limits());
  CHECK_FALSE(rate_limit{{0, 100}}.limits());
  CHECK(rate_limit{{1, 1}}.limits());
  CHECK(rate_limit{}.in_use(first_moment) == 0);
}

TEST_CASE("within any time no caller gets more than the burst and the rate allow, even if all share one set") {
  std::mt19937_64 random{20261125};
  for (int round = 0; round < 60; ++round) {
    const rate_rule rule{1 + static_cast<std::uint32_t>(random() % 50), 1 + static_cast<std::uint32_t>(random() % 20)};
    const auto callers = 1 + random() % 40;
    rate_limit limit{rule, rate_limit::places};  // one set: from nine callers on they displace one another
    std::map<std::uint64_t, std::vector<std::chrono::nanoseconds>> passed;
    auto now = first_moment;
    for (int i = 0; i < 2'000; ++i) {
      const auto pause = random() % 100 == 0 ? random() % 2'000'000'000 : random() % 5'000'000;
      now += std::chrono::nanoseconds{pause};
      // One of them sends half of all requests.
      const auto who = random() % 2 == 0 ? 0 : random() % callers;
      if (limit.take(who, now).passed) passed[who].push_back(now - first_moment);
    }
    for (const auto& [who, times] : passed) {
      std::int64_t too_many = 0;
      for (std::size_t first = 0; first < times.size(); ++first)
        for (auto last = first; last < times.size(); ++last) {
          const auto nanoseconds = (times[last] - times[first]).count();
          const auto count = static_cast<std::int64_t>(last - first + 1);
          // count <= burst + rate * t, in whole numbers
          if ((count - rule.burst) * 1'000'000'000 > nanoseconds * rule.per_second) ++too_many;
        }
      CAPTURE(round, who, rule.per_second, rule.burst, callers);
      CHECK(too_many == 0);
    }
  }
}

TEST_CASE("many other callers cannot displace a caller's bucket, and memory does not grow") {
  rate_limit limit{{1, 10}, 64};
  CHECK(pass_at(limit, 5, first_moment, 100) == 10);
  for (std::uint64_t stranger = 100; stranger < 100'000; ++stranger) limit.take(stranger, first_moment);
  CHECK(pass_at(limit, 5, first_moment, 100) == 0);
  CHECK(limit.in_use(first_moment) <= 64);
  // The other callers' buckets fill up, which frees their places.
  CHECK(pass_at(limit, 5, first_moment + 10s, 100) == 10);
}

TEST_CASE("a caller's first request finds a full bucket while few others send") {
  rate_limit limit{{10, 10}};
  for (std::uint64_t other = 0; other < 4'096; ++other) limit.take(other * 0x9E3779B97F4A7C15, first_moment);
  CHECK(pass_at(limit, 0xDEADBEEF, first_moment, 100) == 10);
}

TEST_CASE("with any number of concurrent threads no more pass than the bucket holds") {
  rate_limit limit{{1, 500}};
  std::atomic<int> passed{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) threads.emplace_back([&] { passed += pass_at(limit, 3, first_moment, 1'000); });
  for (auto& thread : threads) thread.join();
  CHECK(passed == 500);
}

TEST_CASE("the fields have the limit and what is left of it, and never a higher rate than the limit's") {
  struct {
    rate_rule rule;
    std::uint32_t left;
    const char* policy;
    const char* now;
  } const rows[] = {
      {{10, 20}, 15, R"("key";q=20;w=2)", R"("key";r=15;t=2)"},
      {{10, 20}, 20, R"("key";q=20;w=2)", R"("key";r=20;t=2)"},
      {{10, 20}, 10, R"("key";q=20;w=2)", R"("key";r=10;t=1)"},
      {{10, 20}, 0, R"("key";q=20;w=2)", R"("key";r=0;t=1)"},
      {{10, 5}, 4, R"("key";q=5;w=1)", R"("key";r=4;t=1)"},
      {{3, 10}, 7, R"("key";q=10;w=4)", R"("key";r=7;t=3)"},
      {{1, 1}, 0, R"("key";q=1;w=1)", R"("key";r=0;t=1)"},
  };
  for (const auto& row : rows) {
    const rate_standing one[] = {{"key", row.rule, row.left}};
    CHECK(rate_policy_text(one) == row.policy);
    CHECK(rate_left_text(one) == row.now);
  }
}

TEST_CASE("several limits are one list in one field") {
  response out;
  add_rate_limits(out, {});
  CHECK(out.headers.empty());
  const rate_standing of_signer[] = {{"key", {10, 20}, 19}, {"platform", {50, 50}, 3}};
  add_rate_limits(out, of_signer);
  const rate_standing of_address[] = {{"address", {5, 10}, 1}};
  add_rate_limits(out, of_address);
  REQUIRE(out.headers.size() == 2);
  CHECK(out.headers[0].first == "RateLimit-Policy");
  CHECK(out.headers[0].second == R"("key";q=20;w=2, "platform";q=50;w=1, "address";q=10;w=2)");
  CHECK(out.headers[1].first == "RateLimit");
  CHECK(out.headers[1].second == R"("key";r=19;t=2, "platform";r=3;t=1, "address";r=1;t=1)");
}
