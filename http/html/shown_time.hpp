// Times as pages show them: in the reader's zone. Zones are those of the system's tzdata.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/domain/time.hpp"

namespace gateway::http {

/// All texts are empty if there is no time.
struct shown_time {
  std::string text;  ///< in the person's time zone: `20 Nov 2026, 17:30:05`
  std::string iso;   ///< for machines: the `datetime` of a <time>
  std::string utc;   ///< the same in UTC: `20 Nov 2026, 09:30:05 UTC`
};

/// An unknown zone counts as UTC. Any thread.
shown_time show_time(std::optional<time_point> at, std::string_view zone);

/// The same without its seconds, for lists: `20 Nov 2026, 17:30`.
shown_time show_minute(std::optional<time_point> at, std::string_view zone);

/// The day of this time in this zone: `20 Nov 2026`. `iso` and `utc` still have the time.
shown_time show_day(std::optional<time_point> at, std::string_view zone);

/// The day of this time in this zone as read_day() takes it: `2026-11-20`.
std::string day_name(time_point at, std::string_view zone);

/// When the day `2026-11-20` begins in this zone, or the day `days_later` after it; nothing if it is not a valid day.
std::optional<time_point> read_day(std::string_view day, std::string_view zone, int days_later = 0);

/// The zones that a person may choose, sorted: `UTC`, and those that are named after a place. Read once per process,
/// which takes some milliseconds.
const std::vector<std::string>& zone_names();
bool is_zone_name(std::string_view name);

}  // namespace gateway::http
