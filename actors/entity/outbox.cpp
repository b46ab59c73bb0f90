#include "outbox.hpp"

#include <utility>

#include "gateway/base/log.hpp"

namespace gateway::actors {

fresh_deliveries deliveries_of(const entity_key& subject, const std::vector<timeline_entry>& entries,
                               const entity_context& with) {
  fresh_deliveries outbox;
  const auto owner = with.merchants.find_merchant(subject.merchant);
  if (!owner) {
    // The directory is read before anything runs, so this is a fault of the gateway, and nobody would be told of the
    // event.
    if (!entries.empty())
      log::error("event_without_merchant", {{"merchant", subject.merchant.value}, {"subject", subject.id}});
    return outbox;
  }
  for (const auto& entry : entries) {
    if (entry.kind != timeline_kind::event) continue;
    for (const auto& to : owner->destinations) {
      if (!is_for(to, subject.env, entry.operation)) continue;
      delivery row;
      row.id = with.numbers.next(entry.occurred_at);
      row.subject = subject;
      row.event_seq = entry.seq;
      row.to = to.id;
      row.next_attempt_at = entry.occurred_at;
      row.created_at = entry.occurred_at;
      outbox.jobs.push_back(
          {std::move(row), {entry.event_id, subject, entry.seq, entry.operation, entry.occurred_at, entry.event_data}});
    }
  }
  return outbox;
}

}  // namespace gateway::actors
