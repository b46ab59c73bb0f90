#include "delivery_lag.hpp"

#include <algorithm>

#include "gateway/base/log.hpp"

namespace gateway::actors {

namespace {

/// A lane whose window was full at every sample for this long waits for its destination, not for the gateway.
constexpr duration_ms busy_after{250};

}  // namespace

void delivery_lag::sample(std::unordered_map<destination_id, destination_lane>& lanes, ticks at, time_point now) {
  for (auto* of : {&live_, &all_}) of->longest = duration_ms{0}, of->waiting = 0;
  for (auto& [id, each] : lanes) {
    // If the destination fails, its small window limits its workers, and not a slow store. And if an owner's slow
    // destinations delay its other ones, other owners' writes must not be refused for that.
    const bool held_up = each.owner && owners_.is_held_up_by_itself(*each.owner);
    if (each.has_room() && (each.has_workers_left() || !each.allowed.distressed()) && !held_up) each.had_room_at = now;
    // Most lanes have nothing to do, so this case must be cheap.
    if (each.ready.empty() && (!each.table_due || *each.table_due > now)) continue;
    each.well = is_well(each, now);
    const auto lag = lag_of(each, now);
    all_.see(each, lag);
    if (is_live(each)) live_.see(each, lag);
  }
  live_.limit_writes(at, "live");
  all_.limit_writes(at, "test");
  const auto limit = live_.balance.limit() ? live_.balance.limit() : all_.balance.limit();
  context_.meters.webhook_write_limit.Set(limit.value_or(0));
  context_.meters.webhook_lag_seconds.Set(std::chrono::duration<double>(all_.longest).count());
}

void delivery_lag::side::see(const destination_lane& lane, duration_ms lag) {
  longest = std::max(longest, lag);
  if (lag > duration_ms{0} && lane.pending > lane.with_workers) waiting += lane.pending - lane.with_workers;
}

void delivery_lag::side::limit_writes(ticks at, std::string_view which) {
  const bool limited = balance.limit().has_value();
  balance.sample(at, longest, waiting, brake.admitted(), brake.refused());
  const auto limit = balance.limit();
  limit ? brake.limit(*limit) : brake.release();
  if (limited != limit.has_value())
    log::warn(limited ? "webhooks_keep_up_again" : "webhooks_fall_behind",
              {{"lag_ms", static_cast<std::int64_t>(longest.count())}, {"writes", which}});
}

/// Whether only the gateway delays the lane's deliveries. False if the destination may not be posted to, if it fails,
/// or if it already has as many attempts as its window allows.
bool delivery_lag::is_well(const destination_lane& lane, time_point now) const {
  if (lane.trust.current() != breaker::state::closed || now - lane.had_room_at > busy_after) return false;
  const auto endpoint = context_.merchants.find_destination(lane.id);
  return endpoint && may_be_sent(*endpoint) && !lane.gone;
}

/// How long the oldest delivery has been due; 0 for a lane that is not well.
duration_ms delivery_lag::lag_of(const destination_lane& of, time_point now) {
  if (!of.well || (of.ready.empty() && !of.table_due)) return duration_ms{0};
  const auto due = of.ready.empty() ? *of.table_due : of.ready.front().row.next_attempt_at.value_or(now);
  return std::max(duration_ms{0}, duration_ms{now - due});
}

}  // namespace gateway::actors
