#include "gateway/domain/webhook.hpp"

#include <algorithm>
#include <utility>

namespace gateway {

bool is_for(const destination& to, environment env, std::string_view type) {
  if (to.env != env || to.status == destination_status::deleted) return false;
  if (to.kind == destination_kind::platform && env == environment::test) return false;
  if (!to.events.empty()) return std::ranges::find(to.events, type) != to.events.end();
  const auto known = parse_event_type(type);
  return known && !event_catalogue[static_cast<std::size_t>(*known)].on_request;
}

static void keep_earlier(delivery& d) {
  if (!d.last) return;
  auto& kept = d.earlier.emplace_back(std::move(*d.last));
  auto length = std::min(kept.excerpt.size(), most_earlier_excerpt_bytes);
  // Cut before a character, not within one.
  while (length > 0 && length < kept.excerpt.size() &&
         (static_cast<unsigned char>(kept.excerpt[length]) & 0xC0) == 0x80)
    --length;
  kept.excerpt.resize(length);
  if (d.earlier.size() > most_earlier_attempts) d.earlier.erase(d.earlier.begin());
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
  keep_earlier(d);
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

delivery dropped(delivery d) {
  d.version += 1;
  d.status = delivery_status::failed;
  d.next_attempt_at.reset();
  return d;
}

}  // namespace gateway
