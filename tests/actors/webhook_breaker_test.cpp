#include <catch2/catch.hpp>

#include <vector>

#include "providers/breaker.hpp"
#include "webhooks/attempt_window.hpp"
#include "webhooks/gone_streak.hpp"

using namespace gateway;
using namespace gateway::actors;
using namespace std::chrono_literals;
using state = breaker::state;

namespace {

const auto noon = from_unix_ms(1'795'167'000'000);

/// Failures from noon on, evenly over `span`.
breaker failing(unsigned failures, duration_ms span) {
  breaker b;
  for (unsigned i = 0; i < failures; ++i) {
    b.on_sent();
    b.failed(noon + (failures > 1 ? span * i / (failures - 1) : 0ms));
  }
  return b;
}

}  // namespace

TEST_CASE("a breaker opens for many failures in a row over some seconds, not for a burst and not for a few") {
  CHECK(failing(9, 60s).current() == state::closed);
  CHECK(failing(1'000, 4s).current() == state::closed);
  CHECK(failing(10, 5s).current() == state::open);
}

TEST_CASE("a success closes a breaker, and resets its run of failures") {
  auto b = failing(9, 60s);
  b.succeeded();
  for (int i = 0; i < 9; ++i) b.failed(noon + 120s + i * 1s);
  CHECK(b.current() == state::closed);
  b.failed(noon + 130s);
  CHECK(b.current() == state::open);
  b.succeeded();
  CHECK(b.current() == state::closed);
}

TEST_CASE("an open breaker lets one attempt through, after twice the pause each time that fails, up to a minute") {
  auto b = failing(10, 5s);
  auto now = noon + 5s;
  std::vector<std::int64_t> pauses;
  for (int i = 0; i < 9; ++i) {
    CHECK_FALSE(b.permits(now));
    pauses.push_back((*b.probe_at() - now) / 1s);
    now = *b.probe_at();
    CHECK_FALSE(b.permits(now - 1ms));
    REQUIRE(b.permits(now));
    b.on_sent();
    CHECK(b.current() == state::probing);
    CHECK_FALSE(b.permits(now + 1h));  // one at a time
    b.failed(now);
  }
  CHECK(pauses == std::vector<std::int64_t>{1, 2, 4, 8, 16, 32, 60, 60, 60});
  now = *b.probe_at();
  b.on_sent();
  b.succeeded();
  CHECK(b.permits(now));
}

TEST_CASE("a probe without a result is made again") {
  auto b = failing(10, 5s);
  b.on_sent();
  b.abandoned(noon + 10s);
  CHECK(b.current() == state::open);
  CHECK(b.probe_at() == noon + 11s);
}

TEST_CASE("a window grows less the longer each attempt occupies a worker, and not at all if it takes seconds") {
  const auto grown = [](std::uint32_t took_ms) {
    attempt_window w{32};
    for (int i = 0; i < 100; ++i) w.ended(attempt_result::delivered, 200, took_ms);
    return w.size();
  };
  CHECK(grown(1'000) == 32);
  CHECK(grown(2'000) == 16);
  CHECK(grown(9'900) == 8);
  attempt_window single{1};
  single.ended(attempt_result::delivered, 200, 9'900);
  CHECK(single.size() == 1);
}

TEST_CASE("a window begins small, grows by one with each success, and halves at each sign of overload") {
  attempt_window w{32};
  CHECK(w.size() == 8);
  for (int i = 0; i < 100; ++i) w.ended(attempt_result::delivered, 200, 20);
  CHECK(w.size() == 32);
  w.ended(attempt_result::rejected, 404, 20);  // the destination is well: it rejects only this one
  CHECK(w.size() == 32);
  w.ended(attempt_result::rejected, 503, 20);
  CHECK(w.size() == 16);
  w.ended(attempt_result::rejected, 429, 20);
  CHECK(w.size() == 8);
  CHECK_FALSE(w.distressed());
  for (const auto result :
       {attempt_result::answer_timeout, attempt_result::connect_timeout, attempt_result::unreachable})
    w.ended(result, 0, 10'000);
  CHECK(w.size() == 1);
  w.ended(attempt_result::answer_timeout, 0, 10'000);
  CHECK(w.size() == 1);
  w.ended(attempt_result::delivered, 200, 20);
  CHECK(w.size() == 2);
  CHECK(w.distressed());
  for (int i = 0; i < 6; ++i) w.ended(attempt_result::delivered, 200, 20);
  CHECK_FALSE(w.distressed());
  CHECK_FALSE(attempt_window{3}.distressed());
  CHECK(attempt_window{3}.size() == 3);
  CHECK(attempt_window{0}.size() == 1);
}

TEST_CASE("a window shrinks while answers are slower than before, and grows again if the destination stays that slow") {
  attempt_window w{32};
  for (int i = 0; i < 100; ++i) w.ended(attempt_result::delivered, 200, 3);
  w.ended(attempt_result::delivered, 200, 34);
  CHECK(w.size() == 32);
  for (int i = 0; i < 10; ++i) w.ended(attempt_result::delivered, 200, 35);
  CHECK(w.size() == 22);
  for (int i = 0; i < 100; ++i) w.ended(attempt_result::delivered, 200, 500);
  CHECK(w.size() == 8);
  // The destination has moved to the other side of the world.
  for (int i = 0; i < 1'000; ++i) w.ended(attempt_result::delivered, 200, 500);
  CHECK(w.size() == 32);
  attempt_window single{1};
  for (int i = 0; i < 10; ++i) single.ended(attempt_result::delivered, 200, static_cast<std::uint32_t>(1 + 100 * i));
  CHECK(single.size() == 1);
}

TEST_CASE("410 disables after three deliveries in a row, over a minute at least") {
  struct answer {
    duration_ms at;
    std::int64_t delivery;
    attempt_result result;
    bool is_gone;
  };
  using enum attempt_result;
  const std::vector<answer> stories[] = {
      {{0s, 1, gone, false}, {30s, 2, gone, false}, {60s, 3, gone, true}},
      // Three at once, and one of them again.
      {{0s, 1, gone, false},
       {0s, 2, gone, false},
       {0s, 3, gone, false},
       {59'999ms, 1, gone, false},
       {60s, 1, gone, true}},
      // One rejected delivery, however often.
      {{0s, 1, gone, false},
       {30s, 1, gone, false},
       {90s, 1, gone, false},
       {210s, 2, gone, false},
       {3600s, 1, gone, false}},
      // Another answer in between resets the count, and so does a missing answer.
      {{0s, 1, gone, false},
       {30s, 2, gone, false},
       {50s, 4, delivered, false},
       {60s, 3, gone, false},
       {90s, 1, gone, false},
       {119'999ms, 2, gone, false},
       {120s, 2, gone, true}},
      {{0s, 1, gone, false}, {0s, 2, gone, false}, {50s, 4, unreachable, false}, {60s, 3, gone, false}},
      {{0s, 1, gone, false}, {0s, 2, gone, false}, {50s, 4, rejected, false}, {60s, 3, gone, false}},
  };
  for (const auto& story : stories) {
    gone_streak streak;
    for (const auto& each : story) {
      CAPTURE(&story - stories, each.at.count());
      CHECK(streak.ended(each.result, each.delivery, noon + each.at) == each.is_gone);
    }
  }
}
