// Points in time, and their two RFC 3339 forms: whole seconds (signing, created_at)
// and exactly three fractional digits (timelines, events). Always UTC with a Z.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

namespace gateway {

using time_point = std::chrono::sys_time<std::chrono::milliseconds>;
using duration_ms = std::chrono::milliseconds;

inline std::int64_t to_unix_ms(time_point at) noexcept { return at.time_since_epoch().count(); }
inline time_point from_unix_ms(std::int64_t ms) noexcept { return time_point{duration_ms{ms}}; }

namespace detail {
struct calendar_fields {
  int year;
  unsigned month, day;
  int hour, minute, second, millisecond;
};

inline calendar_fields calendar(time_point at) noexcept {
  const auto day = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{at - day};
  return {static_cast<int>(date.year()),
          static_cast<unsigned>(date.month()),
          static_cast<unsigned>(date.day()),
          static_cast<int>(clock.hours().count()),
          static_cast<int>(clock.minutes().count()),
          static_cast<int>(clock.seconds().count()),
          static_cast<int>(clock.subseconds().count())};
}
}  // namespace detail

/// 2026-11-20T09:30:00Z
inline std::string format_seconds(time_point at) {
  const auto f = detail::calendar(at);
  char text[48];
  const int n = std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02dZ", f.year, f.month, f.day, f.hour,
                              f.minute, f.second);
  return {text, static_cast<std::size_t>(n)};
}

/// 2026-11-20T09:30:00.125Z
inline std::string format_millis(time_point at) {
  const auto f = detail::calendar(at);
  char text[56];
  const int n = std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ", f.year, f.month, f.day, f.hour,
                              f.minute, f.second, f.millisecond);
  return {text, static_cast<std::size_t>(n)};
}

/// Reads exactly `YYYY-MM-DDThh:mm:ssZ`; anything else, and any date that does not exist, is nothing.
inline std::optional<time_point> parse_seconds(std::string_view text) noexcept {
  if (text.size() != 20) return std::nullopt;
  constexpr std::string_view shape = "dddd-dd-ddTdd:dd:ddZ";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const bool ok = shape[i] == 'd' ? (text[i] >= '0' && text[i] <= '9') : text[i] == shape[i];
    if (!ok) return std::nullopt;
  }
  const auto number = [&](std::size_t at, std::size_t digits) {
    int n = 0;
    for (std::size_t i = 0; i < digits; ++i) n = n * 10 + (text[at + i] - '0');
    return n;
  };
  const std::chrono::year_month_day date{std::chrono::year{number(0, 4)},
                                         std::chrono::month{static_cast<unsigned>(number(5, 2))},
                                         std::chrono::day{static_cast<unsigned>(number(8, 2))}};
  const int hour = number(11, 2), minute = number(14, 2), second = number(17, 2);
  if (!date.ok() || hour > 23 || minute > 59 || second > 59) return std::nullopt;
  return time_point{std::chrono::sys_days{date}} + std::chrono::hours{hour} + std::chrono::minutes{minute} +
         std::chrono::seconds{second};
}

/// 2026-11-20
inline std::string format_day(std::chrono::sys_days day) { return format_seconds(time_point{day}).substr(0, 10); }

/// Reads exactly `YYYY-MM-DD`; anything else, and any day that does not exist, is nothing.
inline std::optional<std::chrono::sys_days> parse_day(std::string_view text) {
  if (text.size() != 10) return std::nullopt;
  const auto midnight = parse_seconds(std::string{text} + "T00:00:00Z");
  if (!midnight) return std::nullopt;
  return std::chrono::floor<std::chrono::days>(*midnight);
}

/// Where "now" comes from, so that tests and simulations can hold time in their hands.
class wall_clock {
 public:
  virtual ~wall_clock() = default;
  virtual time_point now() const = 0;
};

class system_wall_clock final : public wall_clock {
 public:
  /// `moved_by`: how far it is off on purpose, for tests of what expires.
  explicit system_wall_clock(duration_ms moved_by = duration_ms{0}) : moved_by_{moved_by} {}
  time_point now() const override {
    return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now()) + moved_by_;
  }

 private:
  duration_ms moved_by_;
};

}  // namespace gateway
