// Which requests are traced, and the bounds of the stored spans.
#include <catch2/catch.hpp>

#include <set>
#include <string>
#include <thread>
#include <vector>

#include "gateway/base/tracing.hpp"

using namespace gateway;

namespace {

constexpr auto sampled = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
constexpr auto unsampled = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00";

span span_named(std::string name) {
  span one;
  one.name = std::move(name);
  one.where.recorded = true;
  return one;
}

}  // namespace

TEST_CASE("tracing, off: a caller's trace is passed on unchanged, and nothing is recorded") {
  auto& off = tracing::off();
  CHECK_FALSE(off.on());
  CHECK_FALSE(off.enter({}).at.present());
  CHECK_FALSE(off.enter("no traceparent").at.present());
  const auto entered = off.enter(sampled);
  CHECK(entered.at == *parse_traceparent(sampled));
  CHECK_FALSE(entered.at.recorded);
  CHECK(off.begin(entered.at) == 0);
  CHECK(off.within(entered.at) == entered.at);
  off.record(span_named("lost"));
  CHECK(off.queued() == 0);
}

TEST_CASE("tracing: the caller's sampled flag decides whether its trace is recorded") {
  metrics meters;
  tracing on{{.one_in = 0}, meters};
  const auto followed = on.enter(sampled);
  CHECK(followed.at.recorded);
  CHECK(followed.at.trace == parse_traceparent(sampled)->trace);
  CHECK(followed.parent == 0x00f067aa0ba902b7);
  CHECK(followed.at.span != followed.parent);
  CHECK(on.begin(followed.at) > 1'700'000'000'000'000'000);
  const auto inner = on.within(followed.at);
  CHECK(inner.trace == followed.at.trace);
  CHECK(inner.span != followed.at.span);

  const auto passed_on = on.enter(unsampled);
  CHECK(passed_on.at == *parse_traceparent(unsampled));
  CHECK(on.begin(passed_on.at) == 0);
}

TEST_CASE("tracing: a limited number of callers' traces is recorded each second") {
  metrics meters;
  tracing on{{.one_in = 1, .callers_per_second = 5}, meters};
  std::size_t granted = 0;
  for (int i = 0; i < 1000; ++i) granted += on.enter(sampled).at.recorded ? 1 : 0;
  CHECK(granted >= 5);
  CHECK(granted <= 15);  // a second or two may have begun meanwhile
  const auto refused = on.enter(sampled);
  CHECK(refused.at.trace == parse_traceparent(sampled)->trace);
  tracing never{{.callers_per_second = 0}, meters};
  CHECK(never.enter(sampled).at == *parse_traceparent(sampled));
}

TEST_CASE("tracing: a share of the requests without a valid trace begins one") {
  metrics meters;
  for (const auto* header : {"", "00-00-00-00"}) {
    CAPTURE(header);
    const auto traced = [&](unsigned one_in) {
      tracing on{{.one_in = one_in}, meters};
      std::size_t count = 0;
      for (int i = 0; i < 10'000; ++i) count += on.enter(header).at.recorded ? 1 : 0;
      return count;
    };
    CHECK(traced(0) == 0);
    CHECK(traced(1) == 10'000);
    CHECK(traced(10) > 700);
    CHECK(traced(10) < 1'300);
  }
  tracing on{{.one_in = 1}, meters};
  const auto begun = on.enter({});
  CHECK(begun.parent == 0);
  CHECK(begun.at.flags == (trace_context::sampled | trace_context::random));
}

TEST_CASE("tracing: no id repeats, also not between threads") {
  metrics meters;
  tracing on{{.one_in = 1}, meters};
  std::vector<trace_context> seen[2];
  std::thread other{[&] {
    for (int i = 0; i < 5'000; ++i) seen[1].push_back(on.enter({}).at);
  }};
  for (int i = 0; i < 5'000; ++i) seen[0].push_back(on.enter({}).at);
  other.join();
  std::set<std::uint64_t> spans, highs, lows;
  for (const auto& all : seen)
    for (const auto& one : all) {
      CHECK(one.present());
      spans.insert(one.span);
      highs.insert(one.trace.high);
      lows.insert(one.trace.low);
    }
  CHECK(spans.size() == 10'000);
  CHECK(highs.size() == 10'000);
  CHECK(lows.size() == 10'000);
  tracing another_process{{.one_in = 1}, meters};
  CHECK(spans.count(another_process.enter({}).at.span) == 0);
}

TEST_CASE("tracing: spans are kept in order until they are taken, and dropped beyond the bound") {
  metrics meters;
  tracing on{{.most_queued = 5, .batch = 2}, meters};
  int woken = 0;
  on.when_a_batch_is_there([&] { ++woken; });
  for (int i = 0; i < 8; ++i) on.record(span_named(std::to_string(i)));
  CHECK(woken == 1);
  CHECK(on.queued() == 5);
  CHECK(meters.trace_spans_dropped.Value() == 3);
  auto taken = on.take(2);
  REQUIRE(taken.size() == 2);
  CHECK(taken[0].name == "0");
  CHECK(taken[1].name == "1");
  taken = on.take(100);
  REQUIRE(taken.size() == 3);
  CHECK(taken[2].name == "4");
  CHECK(on.take(100).empty());
  on.record(span_named("8"));
  on.record(span_named("9"));
  CHECK(woken == 2);
}

TEST_CASE("tracing: a span never ends before it begins, even if the clock is set back") {
  metrics meters;
  tracing on{{}, meters};
  auto one = span_named("odd");
  one.begun = 1'000;
  one.ended = 10;
  on.record(std::move(one));
  CHECK(on.take(1).front().ended == 1'000);
}
