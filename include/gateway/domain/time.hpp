// Points in time, and their two RFC 3339 forms: whole seconds (signing, created_at)
// and exactly three fractional digits (timelines, events). Always UTC with a Z.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gateway {

using time_point = std::chrono::sys_time<std::chrono::milliseconds>;
using duration_ms = std::chrono::milliseconds;

inline std::int64_t to_unix_ms(time_point at) noexcept { return at.time_since_epoch().count(); }
inline time_point from_unix_ms(std::int64_t ms) noexcept { return time_point{duration_ms{ms}}; }

/// The pause before the next of several attempts: `first`, doubled `times` times, and at most `longest`.
constexpr duration_ms doubled(duration_ms first, std::uint32_t times, duration_ms longest) noexcept {
  auto pause = first;
  for (; times > 0 && pause < longest && pause > duration_ms{0}; --times) pause *= 2;
  return pause < longest ? pause : longest;
}

namespace detail {
struct calendar_fields {
  int year;
  unsigned month, day;
  int hour, minute, second, millisecond;
};

calendar_fields calendar(time_point at) noexcept;
}  // namespace detail

/// 2026-11-20T09:30:00Z
std::string format_seconds(time_point at);

/// 2026-11-20T09:30:00.125Z
std::string format_millis(time_point at);

/// Reads exactly `YYYY-MM-DDThh:mm:ssZ`; nullopt for any other text or a date that does not exist.
std::optional<time_point> parse_seconds(std::string_view text) noexcept;

/// 2026-11-20
std::string format_day(std::chrono::sys_days day);

/// Reads exactly `YYYY-MM-DD`; nullopt for any other text or a day that does not exist.
std::optional<std::chrono::sys_days> parse_day(std::string_view text);

/// The source of the present time, so that tests and simulations can control it.
class wall_clock {
 public:
  virtual ~wall_clock() = default;
  virtual time_point now() const = 0;
};

class system_wall_clock final : public wall_clock {
 public:
  /// `moved_by`: an intended offset, for tests of expiry.
  explicit system_wall_clock(duration_ms moved_by = duration_ms{0}) : moved_by_{moved_by} {}
  time_point now() const override {
    return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now()) + moved_by_;
  }

 private:
  duration_ms moved_by_;
};

}  // namespace gateway
