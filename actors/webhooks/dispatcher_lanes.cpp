// The lanes of the dispatcher: their owners, what they hold in memory, and their metrics.

#include <algorithm>
#include <utility>

#include "dispatcher_state.hpp"
#include "gateway/ports/store/delivery_numbers.hpp"

namespace gateway::actors {

namespace {

/// A lane that was idle for this long is removed, with its destination's metrics. A lane whose last attempt failed
/// stays until its destination is disabled, or until an attempt succeeds.
constexpr std::chrono::minutes idle_lanes_kept{10};

}  // namespace

/// Whether this node may serve the lane now.
bool dispatcher_state::may_serve(const destination_lane& to) const {
  const auto& nodes = context_->nodes;
  return !nodes.clustered() || (nodes.serves() && nodes.owns(to.id.value) && shared_by_ && shared_by_->yielded);
}

destination_lane& dispatcher_state::lane_of(const destination_id& id) {
  auto& lane = lanes_.try_emplace(id, id, context_->config.webhook_window).first->second;
  lane.idle_since.reset();
  if (!lane.owner)
    if (const auto endpoint = context_->merchants.find_destination(id)) join(lane, *endpoint);
  return lane;
}

void dispatcher_state::show_lanes(time_point now) {
  for (auto at = lanes_.begin(); at != lanes_.end();) {
    auto& lane = at->second;
    if (!lane.is_idle()) lane.idle_since.reset();
    // The clock may have been set back.
    else if (!lane.idle_since || *lane.idle_since > now)
      lane.idle_since = now;
    else if (now - *lane.idle_since >= idle_lanes_kept && !lane.health.changed && !lane.health.failed_here) {
      context_->meters.forget_destination(at->first.value);
      if (lane.owner) owners_->leave(*lane.owner);
      at = lanes_.erase(at);
      continue;
    }
    show(lane, now);
    ++at;
  }
  keep_health(now);
}

/// Whether the delivery fits into the memory limits of its lane, of the owner and of all lanes. Large data may have
/// to stay in the store.
bool dispatcher_state::may_take(const destination_lane& to, delivery_job& job) const {
  if (!to.owner) return false;
  if (has_room(to, bytes_of(job))) return true;
  if (job.event.data.size() <= most_data_read) return false;
  job.left_out = job.event.data.size();
  job.event.data = {};
  return has_room(to, bytes_of(job));
}

void dispatcher_state::take(destination_lane& to, delivery_job job) {
  const auto bytes = bytes_of(job);
  to.bytes += bytes;
  owners_->hold(*to.owner, bytes);
  to.take(std::move(job));
  ready_in_all_ += 1;
}

void dispatcher_state::release(destination_lane& to, const delivery_job& job) {
  const auto bytes = bytes_of(job);
  to.bytes -= bytes;
  owners_->release(*to.owner, bytes);
  to.release(job.row.id);
}

void dispatcher_state::enqueue(destination_lane& to) {
  if (to.queued) return owners_->reconsider(to);
  to.queued = true;
  owners_->enqueue(to);
}

void dispatcher_state::forget_ready(destination_lane& to, time_point now, std::size_t but) {
  if (to.ready.size() <= but) return;
  for (; to.ready.size() > but; to.ready.pop_back(), ready_in_all_ -= 1) release(to, to.ready.back());
  to.expect(now);
}

void dispatcher_state::show(const destination_lane& of, time_point now) const {
  auto& meters = context_->meters;
  const auto& id = of.id.value;
  const auto age = of.pending == 0 || of.oldest_number == 0
                       ? duration_ms{0}
                       : duration_ms{now - delivery_numbers::drawn_at(of.oldest_number)};
  meters.webhook_pending(id).Set(static_cast<double>(of.pending));
  meters.webhook_in_flight(id).Set(static_cast<double>(of.under_way));
  meters.webhook_oldest_seconds(id).Set(std::chrono::duration<double>(std::max(age, duration_ms{0})).count());
  meters.webhook_breaker(id).Set(static_cast<double>(of.trust.current()));
}

void dispatcher_state::join(destination_lane& lane, const webhook_endpoint& of) {
  lane.owner = &owners_->join(of.what.owner, of.what.env);
}

bool dispatcher_state::has_room(const destination_lane& to, std::size_t bytes) const {
  return to.bytes + bytes <= destination_lane::most_bytes && owners_->may_hold(*to.owner, bytes);
}

}  // namespace gateway::actors
