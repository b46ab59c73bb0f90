// When the periods of a subscription end. Every boundary is counted from the anchor, never from the boundary before, so
// that a subscription of the 31st comes back to the 31st after each shorter month.
//
// Nothing here reads a clock: time is an argument.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "gateway/domain/time.hpp"

namespace gateway {

enum class billing_interval : unsigned char { day, week, month, year };

inline constexpr std::size_t billing_interval_count = 4;

constexpr std::string_view to_string(billing_interval i) noexcept {
  constexpr std::string_view names[] = {"day", "week", "month", "year"};
  return names[static_cast<std::size_t>(i)];
}

constexpr std::optional<billing_interval> parse_billing_interval(std::string_view text) noexcept {
  for (std::size_t i = 0; i < billing_interval_count; ++i)
    if (to_string(static_cast<billing_interval>(i)) == text) return static_cast<billing_interval>(i);
  return std::nullopt;
}

/// `count` intervals make one period. A caller's 0 means 1.
struct billing_period {
  billing_interval interval = billing_interval::month;
  std::uint32_t count = 1;

  bool operator==(const billing_period&) const = default;
};

namespace detail {

/// RFC 3339 has four digits for the year. What would end later ends here.
inline constexpr time_point end_of_calendar =
    std::chrono::sys_days{std::chrono::year{9999} / 12 / 31} + std::chrono::hours{24} - duration_ms{1};
/// More days than the calendar has, so that also more weeks, months or years lead beyond its end.
inline constexpr std::uint64_t days_of_calendar = 4'000'000;

inline time_point plus_days(time_point anchor, std::int64_t days) noexcept {
  const auto room = std::chrono::floor<std::chrono::days>(end_of_calendar - anchor);
  return days > room.count() ? end_of_calendar : anchor + std::chrono::days{days};
}

/// The same day of a later month at the same time of day, or that month's last day where it is shorter.
inline time_point plus_months(time_point anchor, std::int64_t months) noexcept {
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

/// When the n-th period from the anchor ends and the next one begins. The 0th has ended at the anchor.
inline time_point end_of_period(time_point anchor, billing_period every, std::uint32_t n) noexcept {
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

/// When a trial that begins now ends: the anchor of what is billed.
inline time_point end_of_trial(time_point begins, std::uint32_t trial_days) noexcept {
  return end_of_period(begins, {billing_interval::day, 1}, trial_days);
}

}  // namespace gateway
