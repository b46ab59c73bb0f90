#include "gateway/domain/billing_calendar.hpp"

namespace gateway {

namespace detail {

static time_point plus_days(time_point anchor, std::int64_t days) noexcept {
  const auto room = std::chrono::floor<std::chrono::days>(end_of_calendar - anchor);
  return days > room.count() ? end_of_calendar : anchor + std::chrono::days{days};
}

time_point plus_months(time_point anchor, std::int64_t months) noexcept {
  using namespace std::chrono;
  const auto day_of_anchor = floor<days>(anchor);
  const year_month_day date{day_of_anchor};
  // Months since the year 0.
  const auto then = static_cast<int>(date.year()) * std::int64_t{12} + static_cast<unsigned>(date.month()) - 1 + months;
  if (then >= std::int64_t{10'000} * 12) return end_of_calendar;
  const auto wanted = year{static_cast<int>(then / 12)} / month{static_cast<unsigned>(then % 12) + 1} / date.day();
  const sys_days day_then = wanted.ok() ? sys_days{wanted} : sys_days{wanted.year() / wanted.month() / last};
  return day_then + (anchor - day_of_anchor);
}

}  // namespace detail

time_point end_of_period(time_point anchor, billing_period every, std::uint32_t n) noexcept {
  const auto product = std::uint64_t{every.count == 0 ? 1 : every.count} * n;
  if (product > detail::days_of_calendar) return detail::end_of_calendar;
  const auto intervals = static_cast<std::int64_t>(product);
  switch (every.interval) {
    case billing_interval::day: return detail::plus_days(anchor, intervals);
    case billing_interval::week: return detail::plus_days(anchor, intervals * 7);
    case billing_interval::month: return detail::plus_months(anchor, intervals);
    case billing_interval::year: return detail::plus_months(anchor, intervals * 12);
  }
  return detail::end_of_calendar;
}

time_point end_of_trial(time_point begins, std::uint32_t trial_days) noexcept {
  return end_of_period(begins, {billing_interval::day, 1}, trial_days);
}

}  // namespace gateway
