// Whether a destination accepts its deliveries, judged by the attempts. Pure: time is an argument.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gateway/domain/time.hpp"
#include "gateway/domain/webhook.hpp"

namespace gateway {

/// The attempts that ended in one hour.
struct attempts_of_hour {
  std::int64_t hour = 0;  ///< since 1970
  std::uint32_t attempts = 0;
  std::uint32_t failures = 0;  ///< of these

  bool operator==(const attempts_of_hour&) const = default;
};

/// The results of the attempts at one destination. The node that serves its lane updates them, and stores them from
/// time to time.
struct destination_health {
  std::string owner;
  destination_id id;
  std::optional<time_point> failing_since;  ///< the first failure after the last success; nullopt after a success
  std::optional<time_point> last_success_at;
  std::optional<time_point> last_failure_at;
  std::optional<time_point> paused_until;   ///< until then the breaker is open, and no attempt is made
  std::vector<attempts_of_hour> hours;      ///< those with attempts, oldest first, at most hours_of_health

  bool operator==(const destination_health&) const = default;
};

/// A day, and the present hour.
inline constexpr std::size_t hours_of_health = 25;
/// A destination at which everything fails for this long is shown to its owners.
inline constexpr duration_ms trouble_after = std::chrono::hours{1};

std::int64_t hour_of(time_point at) noexcept;

/// Adds an attempt that ended at `now`.
void note_attempt(destination_health& to, bool delivered, time_point now);

/// Merges both: `newer` was gathered while `stored` was being read.
destination_health joined(const destination_health& stored, const destination_health& newer);

/// Since when everything at the destination has failed; nullopt if its last attempt succeeded, or if none was made
/// since it was last enabled or given its URL.
std::optional<time_point> failing_since(const destination_health& of, const destination& what);

/// Whether its owners must be shown that it fails.
bool is_in_trouble(const destination_health& of, const destination& what, time_point now);

/// The condition that a destination's owner is shown.
enum class destination_condition : unsigned char {
  healthy,
  failing,   ///< its last attempt failed, or half of those of the last hour
  paused,    ///< it fails, and only occasional probes are sent
  disabled,
  deleted,
};

destination_condition condition_of(const destination_health& of, const destination& what, time_point now);

/// When an attempt that is due at `due` can be made: not before a pause ends.
time_point next_attempt(const destination_health& of, time_point due, time_point now);

/// The attempts of the day before `now`.
attempts_of_hour last_day(const destination_health& of, time_point now);

}  // namespace gateway
