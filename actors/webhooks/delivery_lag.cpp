#include "delivery_lag.hpp"

#include <algorithm>

#include "gateway/base/log.hpp"

namespace gateway::actors {

namespace {

/// A lane whose window has been full at each look for so long waits for its destination, not for the gateway.
constexpr duration_ms busy_after{250};

}  // namespace

void delivery_lag::look(std::unordered_map<destination_id, destination_lane>& lanes, ticks at, time_point now) {
  longest_ = duration_ms{0};
  std::uint64_t waiting = 0;
  for (auto& [id, each] : lanes) {
    // Where the destination is in distress, its small window is what keeps its workers few, not the slow store.
    if (each.has_room() && (each.has_workers_left() || !each.allowed.distressed())) each.had_room_at = now;
    // Most lanes have nothing to do, and must cost next to nothing.
    if (each.ready.empty() && (!each.table_due || *each.table_due > now)) continue;
    each.well = is_well(each, now);
    const auto lag = lag_of(each, now);
    longest_ = std::max(longest_, lag);
    if (lag > duration_ms{0} && each.pending > each.with_workers) waiting += each.pending - each.with_workers;
  }
  brake(at, waiting);
}

void delivery_lag::brake(ticks at, std::uint64_t waiting) {
  const bool limited = brakes();
  balance_.look(at, longest_, waiting, context_.brake.let_in(), context_.brake.turned_away());
  const auto limit = balance_.limit();
  limit ? context_.brake.limit(*limit) : context_.brake.release();
  context_.meters.webhook_write_limit.Set(limit.value_or(0));
  context_.meters.webhook_lag_seconds.Set(std::chrono::duration<double>(longest_).count());
  if (limited != limit.has_value())
    log::warn(limited ? "webhooks_keep_up_again" : "webhooks_fall_behind",
              {{"lag_ms", static_cast<std::int64_t>(longest_.count())}});
}

/// Whether only the gateway keeps the lane's deliveries back: not where nothing may be sent, or the destination fails,
/// or is busy with as many as it may have.
bool delivery_lag::is_well(const destination_lane& lane, time_point now) const {
  if (lane.trust.now_is() != breaker::state::closed || now - lane.had_room_at > busy_after) return false;
  const auto endpoint = context_.merchants.find_destination(lane.id);
  return endpoint && may_be_sent(*endpoint) && !lane.gone;
}

/// How long the oldest delivery of a lane that is well has been due.
duration_ms delivery_lag::lag_of(const destination_lane& of, time_point now) {
  if (!of.well || (of.ready.empty() && !of.table_due)) return duration_ms{0};
  const auto due = of.ready.empty() ? *of.table_due : of.ready.front().row.next_attempt_at.value_or(now);
  return std::max(duration_ms{0}, duration_ms{now - due});
}

}  // namespace gateway::actors
