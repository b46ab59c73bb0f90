#include "gateway/domain/webhook.hpp"

#include <algorithm>
#include <utility>

namespace gateway {

bool is_for(const destination& to, environment env, std::string_view type) {
  if (to.env != env) return false;
  if (to.kind == destination_kind::platform && env == environment::test) return false;
  if (!to.events.empty()) return std::ranges::find(to.events, type) != to.events.end();
  const auto known = parse_event_type(type);
  return known && !event_catalogue[static_cast<std::size_t>(*known)].on_request;
}

delivery after_attempt(delivery d, delivery_attempt seen, destination_kind kind, const retry_schedule& schedule,
                       time_point now) {
  d.version += 1;
  d.attempts += 1;
  d.next_attempt_at.reset();
  if (seen.result == attempt_result::delivered) {
    d.status = delivery_status::delivered;
  } else {
    auto delay = schedule.delay_after(kind, d.attempts - d.round_from);
    d.status = delay ? delivery_status::pending : delivery_status::failed;
    if (delay && seen.retry_after) delay = std::max(*delay, std::min(*seen.retry_after, longest_retry_after));
    if (delay) d.next_attempt_at = now + *delay;
  }
  seen.retry_after.reset();
  d.last = std::move(seen);
  return d;
}

delivery redelivered(delivery d, time_point now) {
  d.version += 1;
  d.status = delivery_status::pending;
  d.round_from = d.attempts;
  d.next_attempt_at = now;
  return d;
}

}  // namespace gateway
