#include <catch2/catch.hpp>

#include "engine/schedule.hpp"

using namespace gateway::load;

namespace {

constexpr std::uint64_t second = 1'000'000'000;

std::uint64_t in_window(const schedule& of, std::uint64_t from, std::uint64_t to) {
  std::uint64_t found = 0;
  for (std::uint64_t n = 0; n < of.count(); ++n) found += of.intended(n) >= from && of.intended(n) < to ? 1 : 0;
  return found;
}

void check_order(const schedule& of) {
  for (std::uint64_t n = 1; n < of.count(); ++n) REQUIRE(of.intended(n) >= of.intended(n - 1));
  CHECK(of.intended(of.count() - 1) <= of.end());
  CHECK(of.intended(of.count()) == schedule::no_end);
}

}  // namespace

TEST_CASE("A constant rate: the first leaves at once, the n-th n intervals later, and the last before the end") {
  const auto made = schedule::constant(2000, 10 * second);
  CHECK(made.count() == 20000);
  CHECK(made.end() == 10 * second);
  CHECK(made.intended(0) == 0);
  CHECK(made.intended(1) == 500'000);
  CHECK(made.intended(19'999) == 10 * second - 500'000);
  CHECK(made.intended(20'000) == schedule::no_end);
  CHECK(made.text() == "constant 2000/s");
  check_order(made);
}

TEST_CASE("A rate that does not divide a second: nothing drifts in a day") {
  const auto made = schedule::constant(3, 24 * 3600 * second);
  CHECK(made.count() == 3ULL * 24 * 3600);
  for (const std::uint64_t hour : {1, 7, 23}) CHECK(made.intended(hour * 3600 * 3) == hour * 3600 * second);
}

TEST_CASE("A ramp sends as many requests as the area under its line") {
  const auto up = schedule::ramp(0, 1000, 10 * second);
  CHECK(up.count() == 5000);
  CHECK(up.intended(0) == 0);
  // In a ramp from 0 a quarter of the requests leave in the first half of the time.
  CHECK(up.intended(1250) == 5 * second);
  CHECK(in_window(up, 9 * second, 10 * second) == 950);
  check_order(up);

  const auto down = schedule::ramp(1000, 0, 10 * second);
  CHECK(down.count() == 5000);
  CHECK(down.intended(3750) == 5 * second);
  check_order(down);

  const auto level = schedule::ramp(100, 100, 10 * second);
  CHECK(level.count() == 1000);
  CHECK(level.intended(500) == 5 * second);
}

TEST_CASE("Steps take equal parts of the time") {
  const auto made = schedule::steps({100, 0, 400}, 9 * second);
  CHECK(made.count() == 1500);
  CHECK(in_window(made, 0, 3 * second) == 300);
  CHECK(in_window(made, 3 * second, 6 * second) == 0);
  CHECK(in_window(made, 6 * second, 9 * second) == 1200);
  CHECK(made.intended(300) == 6 * second);
  CHECK(made.end() == 9 * second);
  CHECK(made.text() == "steps 100,0,400/s");
  check_order(made);

  CHECK(schedule::steps({1, 1, 1, 1, 1, 1, 1}, 10 * second).end() == 10 * second);
}

TEST_CASE("A warm-up precedes the load, at the rate with which the load begins") {
  const auto made = schedule::ramp(100, 200, 10 * second).after_warm_up(2 * second);
  CHECK(made.end() == 12 * second);
  CHECK(made.count() == 200 + 1500);
  CHECK(made.intended(100) == second);
  CHECK(made.intended(200) == 2 * second);
  check_order(made);
}

TEST_CASE("The shares of several threads are the whole, each request in one of them") {
  const auto whole = schedule::ramp(10, 500, 3 * second);
  const unsigned threads = 4;
  std::uint64_t sum = 0;
  for (unsigned i = 0; i < threads; ++i) {
    const auto part = whole.share(i, threads);
    sum += part.count();
    for (std::uint64_t n = 0; n < part.count(); ++n) REQUIRE(part.intended(n) == whole.intended(n * threads + i));
    check_order(part);
  }
  CHECK(sum == whole.count());
}

TEST_CASE("A constant rate without an end continues for a year") {
  const auto made = schedule::constant(1000, schedule::no_end);
  CHECK(made.intended(1000ULL * 3600 * 24 * 300) == 3600ULL * 24 * 300 * second);
}

TEST_CASE("Schedules that send nothing are refused") {
  CHECK_THROWS_AS(schedule::constant(0, second), std::invalid_argument);
  CHECK_THROWS_AS(schedule::constant(-1, second), std::invalid_argument);
  CHECK_THROWS_AS(schedule::constant(1e9, second), std::invalid_argument);
  CHECK_THROWS_AS(schedule::constant(10, 0), std::invalid_argument);
  CHECK_THROWS_AS(schedule::steps({}, second), std::invalid_argument);
  CHECK_THROWS_AS(schedule::steps({0, 0}, second), std::invalid_argument);
}

TEST_CASE("Rates and durations are read as they are typed") {
  CHECK(read_rate("0.5") == 0.5);
  CHECK(read_ramp("100..2000") == std::pair{100.0, 2000.0});
  CHECK(read_ramp("0.5..1") == std::pair{0.5, 1.0});
  CHECK(read_steps("1,2,3") == std::vector<double>{1, 2, 3});
  CHECK(read_duration("10s") == 10 * second);
  CHECK(read_duration("1.5ms") == 1'500'000);
  CHECK(read_duration("2m") == 120 * second);
  CHECK(read_duration("1h") == 3600 * second);
  for (const auto* bad : {"", "10", "s", "-1s", "10 s", "1e9h", "nans", "infs", "10sec"})
    CHECK_THROWS_AS(read_duration(bad), std::invalid_argument);
  for (const auto* bad : {"", "x", "1..", "..2", "1-2"}) CHECK_THROWS_AS(read_ramp(bad), std::invalid_argument);
  for (const auto* bad : {"", "1,", ",1", "1,,2", "a"}) CHECK_THROWS_AS(read_steps(bad), std::invalid_argument);
}
