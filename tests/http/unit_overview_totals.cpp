// The overview's figures, from totals by day: periods, changes, rates and the chosen currency.
#include <catch2/catch.hpp>

#include <algorithm>

#include "http/portal/member/overview_totals.hpp"

using namespace gateway;
using namespace gateway::http;

namespace {

const std::chrono::sys_days day_shown_last{std::chrono::year{2026} / 11 / 28};

daily_total total_of_day(int days_ago, daily_counter what, std::int64_t count, std::int64_t minor,
                         std::string_view code = "HKD") {
  return {day_shown_last - std::chrono::days{days_ago}, what, count, money{minor, currency::parse(code).value()}};
}

overview_view overview_of(const std::vector<daily_total>& totals, int days = 14, std::string_view code = {}) {
  overview_view view;
  fill_totals(view, totals, {day_shown_last, days}, code);
  return view;
}

}  // namespace

TEST_CASE("the overview adds up the days of its period, and compares them with as many days before") {
  const std::vector<daily_total> totals{
      total_of_day(0, daily_counter::captured, 2, 30'00), total_of_day(6, daily_counter::captured, 1, 20'00),
      total_of_day(7, daily_counter::captured, 4, 40'00), total_of_day(13, daily_counter::captured, 1, 10'00)};
  const auto week = overview_of(totals, 7);
  CHECK(week.chosen.captured.now.amount == "HKD 50.00");
  CHECK(week.chosen.captured.now.count == 3);
  CHECK(week.chosen.captured.change == "As much as in the 7 days before");
  const auto fortnight = overview_of(totals, 14);
  CHECK(fortnight.chosen.captured.now.amount == "HKD 100.00");
  CHECK(fortnight.chosen.captured.change == "None in the 14 days before");
  CHECK(fortnight.chosen.refunded.change.empty());
  REQUIRE(fortnight.chosen.days.size() == 14);
  CHECK(fortnight.chosen.days.front().date == "2026-11-15");
  CHECK(fortnight.chosen.days.front().captured.minor == 10'00);
  CHECK(fortnight.chosen.days.back().name == "28 November");
  CHECK(fortnight.chosen.days.back().short_name == "28");
}

TEST_CASE("a change is a part of the period before, rounded down") {
  struct row {
    std::int64_t now, before;
    std::string_view words;
  };
  for (const auto& each :
       {row{112, 100, "12.0% more than in the 7 days before"}, row{2, 3, "33.3% less than in the 7 days before"},
        row{0, 5, "100.0% less than in the 7 days before"},
        row{9'000'000'000'000'000'000, 1'000'000'000'000'000'000, "800.0% more than in the 7 days before"}}) {
    CAPTURE(each.now, each.before);
    const auto view = overview_of({total_of_day(1, daily_counter::captured, 1, each.now),
                                   total_of_day(8, daily_counter::captured, 1, each.before)},
                                  7);
    CHECK(view.chosen.captured.change == each.words);
  }
}

TEST_CASE("a day on which more refunds came back than were made has no bar") {
  const auto view = overview_of({total_of_day(1, daily_counter::refunded, -1, -5'00)});
  CHECK(view.chosen.refunded.now.minor == 0);
  CHECK(view.chosen.refunded.now.amount == "-HKD 5.00");
  CHECK(view.chosen.days.at(12).refunded.minor == 0);
}

TEST_CASE("the success rate is that of all currencies, beside that of the period before") {
  const auto view = overview_of(
      {total_of_day(1, daily_counter::authorized, 2, 1), total_of_day(1, daily_counter::failed, 1, 1, "JPY"),
       total_of_day(20, daily_counter::authorized, 1, 1), total_of_day(20, daily_counter::failed, 1, 1)});
  CHECK(view.success_rate == "66.6%");
  CHECK(view.success_change == "50.0% in the 14 days before");
  CHECK(view.decided == 3);
  CHECK(overview_of({}).success_rate.empty());
}

TEST_CASE("the overview shows the chosen currency, or the one with most payments") {
  const std::vector<daily_total> totals{total_of_day(1, daily_counter::captured, 1, 1'000'00),
                                        total_of_day(1, daily_counter::captured, 5, 5, "JPY"),
                                        total_of_day(15, daily_counter::captured, 2, 2, "EUR")};
  CHECK(overview_of(totals).currencies == std::vector<std::string>{"EUR", "HKD", "JPY"});
  CHECK(overview_of(totals).chosen.currency == "JPY");
  CHECK(overview_of(totals, 14, "HKD").chosen.currency == "HKD");
  CHECK(overview_of(totals, 14, "KWD").chosen.currency == "JPY");
  // Nothing was taken in the period itself: its bars are empty.
  const auto before = overview_of(totals, 14, "EUR").chosen;
  CHECK(before.captured.now.count == 0);
  CHECK(before.captured.change == "100.0% less than in the 14 days before");
}

TEST_CASE("of ninety days one a week has its number") {
  const auto days = overview_of({total_of_day(1, daily_counter::captured, 1, 1)}, 90).chosen.days;
  REQUIRE(days.size() == 90);
  CHECK(std::ranges::count_if(days, [](const overview_day& each) { return !each.short_name.empty(); }) == 13);
  CHECK(days.back().short_name == "28");
}
