#include "gateway/domain/time.hpp"
#include "gateway/domain/text.hpp"

#include <cstdio>

namespace gateway {

namespace detail {

calendar_fields calendar(time_point at) noexcept {
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

std::string format_seconds(time_point at) {
  const auto f = detail::calendar(at);
  char text[48];
  const int n = std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02dZ", f.year, f.month, f.day, f.hour,
                              f.minute, f.second);
  return {text, static_cast<std::size_t>(n)};
}

std::string format_millis(time_point at) {
  const auto f = detail::calendar(at);
  char text[56];
  const int n = std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ", f.year, f.month, f.day, f.hour,
                              f.minute, f.second, f.millisecond);
  return {text, static_cast<std::size_t>(n)};
}

std::optional<time_point> parse_seconds(std::string_view text) noexcept {
  if (text.size() != 20) return std::nullopt;
  constexpr std::string_view shape = "dddd-dd-ddTdd:dd:ddZ";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const bool ok = shape[i] == 'd' ? is_digit(text[i]) : text[i] == shape[i];
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

std::string format_day(std::chrono::sys_days day) { return format_seconds(time_point{day}).substr(0, 10); }

std::optional<std::chrono::sys_days> parse_day(std::string_view text) {
  if (text.size() != 10) return std::nullopt;
  const auto midnight = parse_seconds(std::string{text} + "T00:00:00Z");
  if (!midnight) return std::nullopt;
  return std::chrono::floor<std::chrono::days>(*midnight);
}

}  // namespace gateway
