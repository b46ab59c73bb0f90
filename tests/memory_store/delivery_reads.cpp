// The questions about deliveries and events.
#include <algorithm>
#include <functional>
#include <map>
#include <stdexcept>
#include <tuple>

#include "memory_store.hpp"
#include "stored_names.hpp"

namespace gateway::testing {

/// A delivery is stored with its event; one without is an error in the test.
delivery_job memory_store::job_of(const delivery& row) const {
  const auto rows = timelines.find(id(row.subject));
  const auto* entry =
      rows != timelines.end() && rows->second.contains(row.event_seq) ? &rows->second.at(row.event_seq) : nullptr;
  if (!entry || entry->kind != timeline_kind::event) throw std::logic_error("a stored delivery has no event");
  return {row, {entry->event_id, row.subject, entry->seq, entry->operation, entry->occurred_at, entry->event_data}};
}

due_deliveries_lookup memory_store::run(const find_due_deliveries& what) const {
  std::multimap<time_point, const delivery*> due;
  due_deliveries_lookup found;
  for (const auto& [number, row] : deliveries) {
    if (row.status != delivery_status::pending || row.to != what.to || !row.next_attempt_at) continue;
    if (*row.next_attempt_at <= what.now) {
      due.emplace(*row.next_attempt_at, &row);
    } else if (!found.next_due || *row.next_attempt_at < *found.next_due) {
      found.next_due = *row.next_attempt_at;
    }
  }
  for (const auto& [at, row] : due) {
    if (found.jobs.size() == what.limit) break;
    auto& job = found.jobs.emplace_back(job_of(*row));
    if (job.event.data.size() <= what.most_data_bytes) continue;
    job.left_out = job.event.data.size();
    job.event.data = {};
  }
  return found;
}

backlog_lookup memory_store::run(const find_backlog& what) const {
  std::map<std::string, destination_backlog> waiting;
  for (const auto& [number, row] : deliveries) {
    if (row.status != delivery_status::pending || number < what.from_number) continue;
    const auto next = row.next_attempt_at.value();
    auto& mine = waiting.try_emplace(row.to.value, destination_backlog{row.to, 0, next, number}).first->second;
    mine.pending += 1;
    mine.next_attempt_at = std::min(mine.next_attempt_at, next);
  }
  backlog_lookup found;
  for (const auto& [to, mine] : waiting) found.destinations.push_back(mine);
  return found;
}

deliveries_lookup memory_store::run(const find_deliveries& what) const {
  const auto wanted = [&](const delivery& row) {
    if (what.id != 0) return row.id == what.id;
    return (!what.subject || row.subject == *what.subject) && (what.to.value.empty() || row.to == what.to) &&
           (!what.status || row.status == *what.status) && (what.before == 0 || row.id < what.before);
  };
  deliveries_lookup found;
  for (auto row = deliveries.rbegin(); row != deliveries.rend(); ++row) {
    if (what.id == 0 && found.jobs.size() == what.limit) break;
    if (!wanted(row->second)) continue;
    auto& job = found.jobs.emplace_back(job_of(row->second));
    if (what.id == 0) job.event.data = {};
  }
  return found;
}

delivery_count memory_store::run(const count_deliveries& what) const {
  const auto counted = std::ranges::count_if(
      deliveries, [&](const auto& each) { return each.second.to == what.to && each.second.status == what.status; });
  return {std::min<std::uint64_t>(static_cast<std::uint64_t>(counted), what.most)};
}

waiting_deliveries memory_store::run(const find_waiting_deliveries& what) const {
  std::multimap<time_point, std::int64_t> due;
  for (const auto& [number, row] : deliveries)
    if (row.to == what.to && row.status == delivery_status::pending) due.emplace(row.next_attempt_at.value(), number);
  waiting_deliveries found;
  for (const auto& [at, number] : due) {
    if (found.count == what.most) break;
    if (found.count++ == 0) found.next_attempt_at = at;
    found.oldest_number = found.oldest_number == 0 ? number : std::min(found.oldest_number, number);
  }
  return found;
}

destination_health_lookup memory_store::run(const find_destination_health& what) const {
  destination_health_lookup found;
  for (const auto& [key, each] : health) {
    if (each.owner != what.owner || (!what.id.empty() && each.id != what.id)) continue;
    if (what.id.empty() && found.of.size() == what.limit) break;
    found.of.push_back(each);
  }
  return found;
}

events_lookup memory_store::run(const find_events& what) const {
  events_lookup found;
  for (const auto& [key, entries] : timelines) {
    const entity_key subject{merchant_id{std::get<0>(key)}, static_cast<environment>(std::get<1>(key)),
                             static_cast<entity_kind>(std::get<2>(key)), std::get<3>(key)};
    if (subject.merchant != what.merchant || (what.env && subject.env != *what.env)) continue;
    if (!what.subject.empty() && (subject.kind != what.kind || subject.id != what.subject)) continue;
    for (const auto& [seq, entry] : entries)
      if (entry.kind == timeline_kind::event && (!what.before || entry.occurred_at < *what.before))
        found.events.push_back({entry.event_id, subject, seq, entry.operation, entry.occurred_at, entry.event_data});
  }
  std::ranges::sort(found.events, std::greater{}, [](const event_record& e) {
    return std::tuple{e.created, text(e.subject.env), std::string{to_string(e.subject.kind)}, e.subject.id, e.seq};
  });
  if (found.events.size() > what.limit) found.events.resize(what.limit);
  return found;
}

}  // namespace gateway::testing
