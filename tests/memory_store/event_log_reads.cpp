// The log of events: here commits happen one after the other, so the log is always complete.
#include <algorithm>

#include "memory_store.hpp"
#include "stored_names.hpp"

namespace gateway::testing {

/// Purges from the oldest event on, up to the first one that must stay.
std::uint64_t memory_store::purge_events(time_point before, std::uint32_t limit) {
  const auto is_gone = [&](std::size_t index) { return event_log.at(index).second == 0; };
  const auto entry_at = [&](std::size_t index) -> timeline_entry& {
    return timelines.at(id(event_log.at(index).first)).at(event_log.at(index).second);
  };
  auto end = events_purged;
  while (end < event_log.size() && (is_gone(end) || entry_at(end).occurred_at < before)) ++end;
  if (end == events_purged) return 0;
  events_kept_from = std::max(events_kept_from, static_cast<std::int64_t>(end) + 1);
  const auto last = std::min(end, events_purged + limit);
  const auto count = last - events_purged;
  for (; events_purged < last; ++events_purged) {
    if (is_gone(events_purged)) continue;
    const auto& [subject, seq] = event_log.at(events_purged);
    const auto is_of_it = [&](const auto& one) { return one.second.subject == subject && one.second.event_seq == seq; };
    if (std::ranges::none_of(deliveries, is_of_it)) entry_at(events_purged).event_data = "{}";
  }
  return count;
}

bool memory_store::may_read(const platform_id& platform, const event_record& event) const {
  const auto covers = [&](const grant& one) {
    return one.scopes.permits(scope::payments_read) && event.created >= one.granted_at &&
           (!one.revoked_at || event.created < *one.revoked_at);
  };
  const auto binding = bindings.find(id(binding_key(event.subject.merchant, event.subject.env, platform)));
  if (binding != bindings.end() && binding->second.newest && covers(*binding->second.newest)) return true;
  return std::ranges::any_of(past_grants, [&](const auto& one) {
    const auto& of = one.second.binding;
    return of.merchant == event.subject.merchant && of.env == event.subject.env && of.id == platform.value &&
           covers(one.second.what);
  });
}

std::optional<logged_event> memory_store::logged_at(std::size_t position, const find_logged_events& what) const {
  const auto& [subject, seq] = event_log.at(position - 1);
  if (seq == 0) return std::nullopt;
  const auto& entry = timelines.at(id(subject)).at(seq);
  logged_event found;
  found.event = {entry.event_id, subject, seq, entry.operation, entry.occurred_at, entry.event_data};
  found.position = static_cast<std::int64_t>(position);
  const auto type = parse_event_type(entry.operation);
  const bool has_type = what.types.empty() || (type && std::ranges::find(what.types, *type) != what.types.end());
  const bool matches = subject.env == what.env && (what.merchant.empty() || what.merchant == subject.merchant) &&
                       has_type && (!what.from || entry.occurred_at >= *what.from) &&
                       (what.id.empty() || what.id == entry.event_id);
  if (!matches) return std::nullopt;
  if (const auto owner = directory_.merchants.find(subject.merchant.value); owner != directory_.merchants.end())
    found.merchants_entity = owner->second.entity;
  if (what.platform.empty()) return found;
  if (!may_read(what.platform, found.event)) return std::nullopt;
  if (subject.kind == entity_kind::subscription && subscriptions.at(id(subject)).platform != what.platform)
    return std::nullopt;
  if (const auto of = payments.find(id(subject)); of != payments.end())
    found.partial = !is_made_by(of->second, what.platform);
  return found;
}

logged_events_lookup memory_store::run(const find_logged_events& what) const {
  logged_events_lookup found;
  const auto end = static_cast<std::int64_t>(event_log.size()) + 1;
  found.complete = found.furthest = end;
  found.complete_to = what.complete_to != 0 ? what.complete_to : end;
  found.read_to = std::max(what.after, end - 1);
  found.expired = what.id.empty() && what.after > 0 && what.after < events_kept_from - 1;
  if (found.expired) return found;
  const auto first = std::max<std::int64_t>({what.id.empty() ? what.after + 1 : 1, events_kept_from, 1});
  for (auto position = first; position < end; ++position) {
    auto one = logged_at(static_cast<std::size_t>(position), what);
    if (!one) continue;
    found.events.push_back(*std::move(one));
    if (found.events.size() < what.limit) continue;
    found.read_to = position;
    found.more = true;
    break;
  }
  return found;
}

event_news_lookup memory_store::run(const find_event_news& what) const {
  event_news_lookup found;
  found.complete = found.furthest = static_cast<std::int64_t>(event_log.size()) + 1;
  found.read_to = std::max(what.after, found.complete - 1);
  if (what.after == 0) return found;
  std::uint32_t seen = 0;
  for (auto position = what.after + 1; position < found.complete && !found.more; ++position) {
    const auto& [subject, seq] = event_log.at(static_cast<std::size_t>(position) - 1);
    if (seq == 0) continue;
    const auto is_same = [&](const auto& each) { return each.merchant == subject.merchant && each.env == subject.env; };
    if (std::ranges::none_of(found.owners, is_same)) found.owners.push_back({subject.merchant, subject.env});
    found.more = ++seen == what.limit;
    if (found.more) found.read_to = position;
  }
  return found;
}

}  // namespace gateway::testing
