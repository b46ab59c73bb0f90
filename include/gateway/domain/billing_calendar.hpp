// When the periods of a subscription end. Every boundary is counted from the anchor, not from the previous boundary, so
// that a subscription of the 31st returns to the 31st after each shorter month.
//
// The functions read no clock: time is an argument.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "gateway/domain/enum_names.hpp"
#include "gateway/domain/time.hpp"

namespace gateway {

enum class billing_interval : unsigned char { day, week, month, year };

template <>
inline constexpr auto enum_table<billing_interval> = enum_names<billing_interval>({{billing_interval::day, "day"},
                                                                                   {billing_interval::week, "week"},
                                                                                   {billing_interval::month, "month"},
                                                                                   {billing_interval::year, "year"}});
inline constexpr auto parse_billing_interval = parse_name<billing_interval>;

/// `count` intervals make one period. A caller's 0 means 1.
struct billing_period {
  billing_interval interval = billing_interval::month;
  std::uint32_t count = 1;

  bool operator==(const billing_period&) const = default;
};

namespace detail {

/// RFC 3339 has four digits for the year. Later ends are cut to this time.
inline constexpr time_point end_of_calendar =
    std::chrono::sys_days{std::chrono::year{9999} / 12 / 31} + std::chrono::hours{24} - duration_ms{1};
/// More days than the calendar has. The same number of weeks, months or years also lies beyond its end.
inline constexpr std::uint64_t days_of_calendar = 4'000'000;

/// The same day of a later month at the same time of day, or the month's last day if the month is shorter.
time_point plus_months(time_point anchor, std::int64_t months) noexcept;

}  // namespace detail

/// When the n-th period from the anchor ends and the next one begins. Period 0 ends at the anchor.
time_point end_of_period(time_point anchor, billing_period every, std::uint32_t n) noexcept;

/// When a trial that begins at `begins` ends: the anchor of billing.
time_point end_of_trial(time_point begins, std::uint32_t trial_days) noexcept;

}  // namespace gateway
