#include "overview_totals.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "gateway/domain/shown_money.hpp"
#include "gateway/domain/text.hpp"
#include "http/html/shown_time.hpp"

namespace gateway::http {
namespace {

constexpr int most_named_days = 30;
constexpr int days_of_a_week = 7;

std::string name_of_date(std::chrono::sys_days day) {
  constexpr std::array<std::string_view, 12> months{"January",   "February", "March",    "April",
                                                    "May",       "June",     "July",     "August",
                                                    "September", "October",  "November", "December"};
  const std::chrono::year_month_day date{day};
  return std::to_string(static_cast<unsigned>(date.day())) + ' ' +
         std::string{months.at(static_cast<unsigned>(date.month()) - 1)};
}

/// The number of the day, which is shown below its bars. In a long period only one day a week has one, counted back
/// from today.
std::string number_of_date(std::chrono::sys_days day, const overview_period& period) {
  if (period.days > most_named_days && (period.today - day).count() % days_of_a_week != 0) return {};
  return std::to_string(static_cast<unsigned>(std::chrono::year_month_day{day}.day()));
}

struct sum_of_days {
  std::int64_t minor = 0;
  std::int64_t count = 0;
};
/// By counter.
using sums = std::array<sum_of_days, enum_count<daily_counter>>;

sum_of_days& sum_of_counter(sums& all, daily_counter what) { return all.at(static_cast<std::size_t>(what)); }

void add_total(sums& to, const daily_total& each) {
  auto& sum = sum_of_counter(to, each.what);
  sum.minor += each.amount.minor;
  sum.count += each.count;
}

struct currency_totals {
  std::map<std::chrono::sys_days, sums> by_day;
  sums now{}, before{};
  std::int64_t payments = 0;
};

std::map<std::string, currency_totals, std::less<>> by_currency(const std::vector<daily_total>& totals,
                                                                const overview_period& period) {
  std::map<std::string, currency_totals, std::less<>> all;
  for (const auto& each : totals) {
    auto& mine = all[std::string{each.amount.unit.code()}];
    mine.payments += each.count;
    if (each.day < period.first()) {
      add_total(mine.before, each);
      continue;
    }
    add_total(mine.now, each);
    add_total(mine.by_day[each.day], each);
  }
  return all;
}

day_total shown_total(const sum_of_days& sum, const currency& unit) {
  // Failed refunds that returned may exceed a day's refunds; then the day has no bar.
  return {std::max<std::int64_t>(sum.minor, 0), static_cast<std::uint64_t>(std::max<std::int64_t>(sum.count, 0)),
          (sum.minor < 0 ? "-" : "") + amount_text({std::abs(sum.minor), unit})};
}

std::string days_before(const overview_period& period) { return "the " + std::to_string(period.days) + " days before"; }

/// A percentage with one decimal, rounded down.
std::string per_cent(std::int64_t part, std::int64_t whole) {
  // Both are divided alike while the product below would overflow.
  while (part > std::numeric_limits<std::int64_t>::max() / 1'000 && whole >= 10) {
    part /= 10;
    whole /= 10;
  }
  const auto tenths =
      part > std::numeric_limits<std::int64_t>::max() / 1'000 ? part / whole * 1'000 : part * 1'000 / whole;
  return std::to_string(tenths / 10) + '.' + std::to_string(tenths % 10) + "%";
}

std::string change_of(const sum_of_days& now, const sum_of_days& before, const overview_period& period) {
  if (before.minor <= 0) return now.minor > 0 ? "None in " + days_before(period) : std::string{};
  if (now.minor == before.minor) return "As much as in " + days_before(period);
  const bool more = now.minor > before.minor;
  const auto difference = more ? now.minor - before.minor : before.minor - now.minor;
  return per_cent(difference, before.minor) + (more ? " more than in " : " less than in ") + days_before(period);
}

overview_currency shown_currency(const std::string& code, const currency_totals& totals,
                                 const overview_period& period) {
  const auto unit = *currency::parse(code);
  overview_currency made;
  made.currency = code;
  auto now = totals.now, before = totals.before;
  for (const auto& [figure, what] : {std::pair{&made.captured, daily_counter::captured},
                                     {&made.refunded, daily_counter::refunded},
                                     {&made.failed, daily_counter::failed}})
    *figure = {shown_total(sum_of_counter(now, what), unit),
               change_of(sum_of_counter(now, what), sum_of_counter(before, what), period)};
  for (auto day = period.first(); day <= period.today; day += std::chrono::days{1}) {
    const auto found = totals.by_day.find(day);
    auto sum = found == totals.by_day.end() ? sums{} : found->second;
    made.days.push_back({name_of_date(day), number_of_date(day, period),
                         shown_total(sum_of_counter(sum, daily_counter::captured), unit),
                         shown_total(sum_of_counter(sum, daily_counter::refunded), unit),
                         shown_total(sum_of_counter(sum, daily_counter::failed), unit),
                         day_name(time_point{day.time_since_epoch()}, "UTC")});
  }
  return made;
}

struct success_count {
  std::int64_t good = 0;
  std::int64_t decided = 0;

  void count(const daily_total& each) {
    if (each.what == daily_counter::authorized) good += each.count;
    if (each.what == daily_counter::authorized || each.what == daily_counter::failed) decided += each.count;
  }
};

/// Rounded down, so that 100 % means all.
void tell_success(overview_view& view, const std::vector<daily_total>& totals, const overview_period& period) {
  success_count now, before;
  for (const auto& each : totals) (each.day < period.first() ? before : now).count(each);
  view.decided = static_cast<std::uint64_t>(std::max<std::int64_t>(now.decided, 0));
  if (now.decided <= 0) return;
  view.success_rate = per_cent(now.good, now.decided);
  if (before.decided > 0) view.success_change = per_cent(before.good, before.decided) + " in " + days_before(period);
}

}  // namespace

void fill_totals(overview_view& view, const std::vector<daily_total>& totals, const overview_period& period,
                 std::string_view currency) {
  view.period = period.days;
  tell_success(view, totals, period);
  const auto all = by_currency(totals, period);
  if (all.empty()) return;
  for (const auto& [code, each] : all) view.currencies.push_back(code);
  auto chosen = all.find(currency);
  if (chosen == all.end())
    chosen = std::ranges::max_element(all, {}, [](const auto& each) { return each.second.payments; });
  view.chosen = shown_currency(chosen->first, chosen->second, period);
}

}  // namespace gateway::http
