#include "outbox.hpp"

#include <utility>

#include "gateway/base/log.hpp"

namespace gateway::actors {

namespace {

/// How much of an entity's events a platform receives.
enum class share : unsigned char { whole, partial, none };

share share_of(const platform_id& platform, const entity_row& row) {
  if (const auto* of = std::get_if<payment_ptr>(&row))
    return !has_private_parts(**of) || is_made_by(**of, platform) ? share::whole : share::partial;
  if (const auto* of = std::get_if<subscription_ptr>(&row))
    return (*of)->platform == platform ? share::whole : share::none;
  return share::whole;
}

}  // namespace

fresh_deliveries deliveries_of(const entity_key& subject, const entity_row& after,
                               const std::vector<timeline_entry>& entries, const entity_context& with) {
  fresh_deliveries outbox;
  const auto owner = with.merchants.find_merchant(subject.merchant);
  if (!owner) {
    // An entity's actor starts only after its merchant was read, so a missing merchant is a fault of the gateway. The
    // event is not delivered to any destination.
    if (!entries.empty())
      log::error("event_without_merchant", {{"merchant", subject.merchant.value}, {"subject", subject.id}});
    return outbox;
  }
  event_record event;
  const auto add_delivery = [&](const timeline_entry& entry, const destination& to, bool partial) {
    if (!is_for(to, subject.env, entry.operation)) return;
    if (event.seq != entry.seq || event.id.empty())
      event = {entry.event_id, subject, entry.seq, entry.operation, entry.occurred_at, entry.event_data};
    delivery row;
    row.id = with.numbers.next(entry.occurred_at);
    row.subject = subject;
    row.event_seq = entry.seq;
    row.to = to.id;
    row.next_attempt_at = entry.occurred_at;
    row.created_at = entry.occurred_at;
    row.partial = partial;
    outbox.jobs.push_back({std::move(row), event});
  };
  for (const auto& entry : entries) {
    if (entry.kind != timeline_kind::event) continue;
    for (const auto& to : owner->destinations) add_delivery(entry, to, false);
    // Platforms receive no test events.
    if (subject.env != environment::live) continue;
    for (const auto& platform : with.merchants.find_listening_platforms(subject.merchant)) {
      const auto to = with.merchants.find_platform_destination(platform, subject.env);
      if (!to) continue;
      if (const auto part = share_of(platform, after); part != share::none)
        add_delivery(entry, *to, part == share::partial);
    }
  }
  return outbox;
}

}  // namespace gateway::actors
