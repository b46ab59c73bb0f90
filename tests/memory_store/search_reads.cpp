// The questions of operators who look for something.
#include <algorithm>
#include <functional>
#include <tuple>

#include "gateway/domain/folded_text.hpp"
#include "memory_store.hpp"
#include "stored_names.hpp"

namespace gateway::testing {

merchants_lookup memory_store::run(const find_merchants& what) const {
  std::vector<save_merchant> all;
  for (const auto& [id, row] : directory_.merchants) all.push_back(row);
  const auto age = [](const save_merchant& m) { return std::tuple{m.created_at, m.id.value}; };
  std::ranges::sort(all, std::greater{}, age);
  if (what.after)
    std::erase_if(
        all, [&](const auto& m) { return age(m) >= std::tuple{what.after->created_at, what.after->merchant.value}; });
  const auto searched = folded_text(what.search);
  merchants_lookup found;
  std::size_t rows = 0;
  for (const auto& m : all) {
    if (rows == what.compared || found.merchants.size() == what.limit) {
      found.next = merchant_position{all[rows - 1].created_at, all[rows - 1].id};
      return found;
    }
    ++rows;
    if (contains_folded(m.name, searched) || contains_folded(m.owner_email, searched) ||
        (!what.entity.empty() && m.entity.value == what.entity))
      found.merchants.push_back(m);
  }
  // A full part may be the last one. The databases return a next position in that case, too.
  if (rows == what.compared) found.next = merchant_position{all.back().created_at, all.back().id};
  return found;
}

people_lookup memory_store::run(const find_people& what) const {
  std::map<std::string, found_person> all;
  for (const auto& [email_key, row] : directory_.users)
    if (row.id.value > what.after.value) all[row.id.value] = {row.id, row.email, {}};
  for (const auto& [key, row] : directory_.memberships)
    if (const auto at = all.find(row.user.value); at != all.end()) at->second.of.push_back(row.merchant);
  const auto searched = folded_text(what.search);
  people_lookup found;
  std::size_t rows = 0;
  user_id last;
  for (auto& [id, person] : all) {
    if (rows == what.compared || found.people.size() == what.limit) break;
    ++rows;
    last = person.id;
    std::ranges::sort(person.of, {}, &merchant_id::value);
    if (contains_folded(person.email, searched)) found.people.push_back(std::move(person));
  }
  if (rows == what.compared || rows < all.size()) found.next = last;
  return found;
}

payments_everywhere_lookup memory_store::run(const find_payments_everywhere& what) const {
  payments_everywhere_lookup found;
  std::vector<std::string> merchants;
  for (const auto& [id, row] : directory_.merchants)
    if (id > what.after.value && merchants.size() < what.merchants) merchants.push_back(id);
  for (const auto& [key, row] : payments) {
    if (!std::ranges::binary_search(merchants, row.key.merchant.value)) continue;
    const auto has_dispute =
        std::ranges::any_of(row.records.disputes, [&](const auto& dispute) { return dispute.id == what.text; });
    if (row.key.id == what.text || (!what.text.empty() && row.provider_ref == what.text) || has_dispute)
      found.payments.push_back(std::make_shared<const payment>(row));
  }
  if (merchants.size() == what.merchants) found.next = merchant_id{merchants.back()};
  return found;
}

events_by_id_lookup memory_store::run(const find_events_by_id& what) const {
  events_by_id_lookup found;
  for (const auto& [key, entries] : timelines) {
    const entity_key subject{merchant_id{std::get<0>(key)}, static_cast<environment>(std::get<1>(key)),
                             static_cast<entity_kind>(std::get<2>(key)), std::get<3>(key)};
    for (const auto& [seq, entry] : entries)
      if (entry.kind == timeline_kind::event && entry.event_id == what.event_id && found.events.size() < what.limit)
        found.events.push_back({entry.event_id, subject, seq, entry.operation, entry.occurred_at, entry.event_data});
  }
  return found;
}

requests_lookup memory_store::run(const find_requests& what) const {
  requests_lookup found;
  for (const auto& [key, row] : commands)
    if (row.request_id == what.request_id && row.created_at >= what.from && row.created_at <= what.until &&
        found.requests.size() < what.limit)
      found.requests.push_back(
          {row.key.merchant, row.key.env, row.operation, row.subject_kind, row.subject_id, row.created_at});
  return found;
}

}  // namespace gateway::testing
