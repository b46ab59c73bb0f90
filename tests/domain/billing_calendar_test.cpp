// The billing calendar: tables of known dates, and properties of any dates.
#include <catch2/catch.hpp>

#include <random>

#include "gateway/domain/billing_calendar.hpp"

using namespace gateway;
using namespace std::chrono_literals;

namespace {

time_point at(std::string_view text) { return parse_seconds(text).value(); }

struct sequence {
  const char* anchor;
  billing_period every;
  std::vector<const char*> ends;  ///< of the first period, the second, …
};

void check(const sequence& row) {
  CAPTURE(row.anchor, to_string(row.every.interval), row.every.count);
  const auto anchor = at(row.anchor);
  CHECK(end_of_period(anchor, row.every, 0) == anchor);
  for (std::uint32_t n = 1; n <= row.ends.size(); ++n)
    CHECK(format_seconds(end_of_period(anchor, row.every, n)) == row.ends[n - 1]);
}

constexpr billing_interval every_interval[] = {billing_interval::day, billing_interval::week, billing_interval::month,
                                               billing_interval::year};

}  // namespace

TEST_CASE("days and weeks are counted through months and years") {
  using enum billing_interval;
  check({"2026-02-27T09:30:00Z", {day, 1}, {"2026-02-28T09:30:00Z", "2026-03-01T09:30:00Z", "2026-03-02T09:30:00Z"}});
  check({"2028-02-27T09:30:00Z", {day, 1}, {"2028-02-28T09:30:00Z", "2028-02-29T09:30:00Z", "2028-03-01T09:30:00Z"}});
  check({"2026-12-30T23:59:59Z", {day, 3}, {"2027-01-02T23:59:59Z", "2027-01-05T23:59:59Z"}});
  check({"2026-12-28T00:00:00Z", {week, 1}, {"2027-01-04T00:00:00Z", "2027-01-11T00:00:00Z"}});
  check({"2026-11-20T12:00:00Z", {week, 2}, {"2026-12-04T12:00:00Z", "2026-12-18T12:00:00Z"}});
}

TEST_CASE(
    "in a month without a 29th, 30th or 31st the period ends on its last day, and the next one returns to that day") {
  using enum billing_interval;
  check({"2026-01-31T09:30:00Z",
         {month, 1},
         {"2026-02-28T09:30:00Z", "2026-03-31T09:30:00Z", "2026-04-30T09:30:00Z", "2026-05-31T09:30:00Z",
          "2026-06-30T09:30:00Z", "2026-07-31T09:30:00Z", "2026-08-31T09:30:00Z", "2026-09-30T09:30:00Z",
          "2026-10-31T09:30:00Z", "2026-11-30T09:30:00Z", "2026-12-31T09:30:00Z", "2027-01-31T09:30:00Z"}});
  check({"2028-01-31T00:00:00Z", {month, 1}, {"2028-02-29T00:00:00Z", "2028-03-31T00:00:00Z"}});
  check({"2027-12-30T00:00:00Z", {month, 1}, {"2028-01-30T00:00:00Z", "2028-02-29T00:00:00Z", "2028-03-30T00:00:00Z"}});
  check({"2026-11-29T00:00:00Z", {month, 3}, {"2027-02-28T00:00:00Z", "2027-05-29T00:00:00Z"}});
  check({"2026-08-31T00:00:00Z", {month, 6}, {"2027-02-28T00:00:00Z", "2027-08-31T00:00:00Z", "2028-02-29T00:00:00Z"}});
  check({"2026-01-15T00:00:00Z", {month, 1}, {"2026-02-15T00:00:00Z", "2026-03-15T00:00:00Z"}});
  check({"2026-12-01T00:00:00Z", {month, 1}, {"2027-01-01T00:00:00Z"}});
}

TEST_CASE("29 February becomes the 28th a year later, and the 29th again in a leap year") {
  using enum billing_interval;
  check({"2028-02-29T12:00:00Z",
         {year, 1},
         {"2029-02-28T12:00:00Z", "2030-02-28T12:00:00Z", "2031-02-28T12:00:00Z", "2032-02-29T12:00:00Z"}});
  check({"2028-02-29T12:00:00Z", {year, 4}, {"2032-02-29T12:00:00Z", "2036-02-29T12:00:00Z"}});
  // A century year that is not a leap year.
  check({"2096-02-29T12:00:00Z", {year, 4}, {"2100-02-28T12:00:00Z", "2104-02-29T12:00:00Z"}});
  check({"2026-02-28T12:00:00Z", {year, 1}, {"2027-02-28T12:00:00Z", "2028-02-28T12:00:00Z"}});
}

TEST_CASE("a count of 0 means 1") {
  for (const auto interval : every_interval)
    CHECK(end_of_period(at("2026-01-31T00:00:00Z"), {interval, 0}, 1) ==
          end_of_period(at("2026-01-31T00:00:00Z"), {interval, 1}, 1));
}

TEST_CASE("a trial ends after its days, and one of no days at once") {
  CHECK(end_of_trial(at("2026-02-27T10:00:00Z"), 0) == at("2026-02-27T10:00:00Z"));
  CHECK(end_of_trial(at("2026-02-27T10:00:00Z"), 14) == at("2026-03-13T10:00:00Z"));
}

TEST_CASE("a period that would end after the year 9999 ends with it") {
  constexpr auto most = ~std::uint32_t{0};
  for (const auto interval : every_interval) {
    CAPTURE(to_string(interval));
    CHECK(format_seconds(end_of_period(at("2026-01-31T00:00:00Z"), {interval, most}, most)) == "9999-12-31T23:59:59Z");
    CHECK(format_seconds(end_of_period(at("2026-01-31T00:00:00Z"), {interval, 4'000'000}, 1)) ==
          "9999-12-31T23:59:59Z");
  }
  CHECK(format_seconds(end_of_period(at("2026-01-31T00:00:00Z"), {billing_interval::year, 7'973}, 1)) ==
        "9999-01-31T00:00:00Z");
  CHECK(format_seconds(end_of_trial(at("2026-01-31T00:00:00Z"), most)) == "9999-12-31T23:59:59Z");
}

TEST_CASE("for any anchor and period: ends increase, keep the time of day, and do not drift") {
  using namespace std::chrono;
  std::mt19937_64 random{20261120};
  const auto below = [&](std::uint64_t limit) { return random() % limit; };
  for (int round = 0; round < 2'000; ++round) {
    const auto anchor = at("2000-01-01T00:00:00Z") + seconds{below(3'000'000'000)};
    const billing_period every{every_interval[below(enum_count<billing_interval>)],
                               static_cast<std::uint32_t>(1 + below(12))};
    const auto n = static_cast<std::uint32_t>(1 + below(200));
    CAPTURE(format_seconds(anchor), to_string(every.interval), every.count, n);
    const auto end = end_of_period(anchor, every, n);
    REQUIRE(end_of_period(anchor, every, n - 1) < end);
    REQUIRE(end - floor<days>(end) == anchor - floor<days>(anchor));
    // n periods of one interval equal one period of n intervals.
    REQUIRE(end == end_of_period(anchor, {every.interval, every.count * n}, 1));
    if (every.interval == billing_interval::month || every.interval == billing_interval::year) {
      const year_month_day from{floor<days>(anchor)}, to{floor<days>(end)};
      const year_month_day last_of_month{to.year() / to.month() / last};
      REQUIRE(to.day() == std::min(from.day(), last_of_month.day()));
      REQUIRE(((to.year() / to.month()) - (from.year() / from.month())).count() ==
              static_cast<int>(every.count * n * (every.interval == billing_interval::year ? 12 : 1)));
    }
  }
}
