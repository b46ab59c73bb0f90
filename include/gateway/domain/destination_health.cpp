#include "gateway/domain/destination_health.hpp"

#include <algorithm>
#include <chrono>

namespace gateway {

namespace {

template <class Time>
std::optional<Time> later_time(const std::optional<Time>& a, const std::optional<Time>& b) {
  return !a ? b : !b ? a : std::max(*a, *b);
}

void forget_old_hours(std::vector<attempts_of_hour>& hours) {
  if (hours.empty()) return;
  const auto first = hours.back().hour - static_cast<std::int64_t>(hours_of_health) + 1;
  std::erase_if(hours, [&](const attempts_of_hour& each) { return each.hour < first; });
}

/// Adds to the hour's entry. The clock may have been set back, so the hour need not be the last.
void add_attempts(std::vector<attempts_of_hour>& hours, const attempts_of_hour& more) {
  auto at = std::ranges::lower_bound(hours, more.hour, {}, &attempts_of_hour::hour);
  if (at == hours.end() || at->hour != more.hour) at = hours.insert(at, {more.hour, 0, 0});
  at->attempts += more.attempts;
  at->failures += more.failures;
}

attempts_of_hour attempts_from(const destination_health& of, std::int64_t first) {
  attempts_of_hour sum;
  for (const auto& each : of.hours) {
    if (each.hour < first) continue;
    sum.attempts += each.attempts;
    sum.failures += each.failures;
  }
  return sum;
}

}  // namespace

std::int64_t hour_of(time_point at) noexcept {
  return std::chrono::floor<std::chrono::hours>(at.time_since_epoch()).count();
}

void note_attempt(destination_health& to, bool delivered, time_point now) {
  add_attempts(to.hours, {hour_of(now), 1, delivered ? 0U : 1U});
  forget_old_hours(to.hours);
  if (delivered) {
    to.last_success_at = now;
    to.failing_since.reset();
  } else {
    to.last_failure_at = now;
    if (!to.failing_since) to.failing_since = now;
  }
}

destination_health joined(const destination_health& stored, const destination_health& newer) {
  auto both = newer;
  both.hours = stored.hours;
  for (const auto& each : newer.hours) add_attempts(both.hours, each);
  forget_old_hours(both.hours);
  both.last_success_at = later_time(stored.last_success_at, newer.last_success_at);
  both.last_failure_at = later_time(stored.last_failure_at, newer.last_failure_at);
  // A success since then has ended the stored failures.
  const bool succeeded = newer.last_success_at.has_value();
  if (!succeeded && stored.failing_since) both.failing_since = stored.failing_since;
  return both;
}

std::optional<time_point> failing_since(const destination_health& of, const destination& what) {
  if (!of.failing_since || !of.last_failure_at) return std::nullopt;
  if (!what.enabled_at || *what.enabled_at <= *of.failing_since) return of.failing_since;
  if (*of.last_failure_at < *what.enabled_at) return std::nullopt;
  return what.enabled_at;
}

bool is_in_trouble(const destination_health& of, const destination& what, time_point now) {
  if (what.status != destination_status::enabled) return false;
  const auto since = failing_since(of, what);
  return since && now - *since >= trouble_after;
}

destination_condition condition_of(const destination_health& of, const destination& what, time_point now) {
  if (what.status == destination_status::deleted) return destination_condition::deleted;
  if (what.status == destination_status::disabled) return destination_condition::disabled;
  if (failing_since(of, what))
    return of.paused_until && *of.paused_until > now ? destination_condition::paused : destination_condition::failing;
  if (of.failing_since) return destination_condition::healthy;  // it failed before it was enabled
  const auto lately = attempts_from(of, hour_of(now) - 1);
  const bool half_failed = lately.failures > 0 && lately.failures * 2 >= lately.attempts;
  return half_failed ? destination_condition::failing : destination_condition::healthy;
}

time_point next_attempt(const destination_health& of, time_point due, time_point now) {
  const auto earliest = std::max(due, now);
  return of.paused_until ? std::max(earliest, *of.paused_until) : earliest;
}

attempts_of_hour last_day(const destination_health& of, time_point now) { return attempts_from(of, hour_of(now) - 23); }

}  // namespace gateway
