// The purge of payments that have ended, and of the beginning of the audit log's one chain.
#include <algorithm>
#include <vector>

#include "gateway/domain/payment_end.hpp"
#include "memory_store.hpp"
#include "stored_names.hpp"

namespace gateway::testing {

void memory_store::purge_payments(const purge_commands& what, purge_result& made) {
  const auto is_pending = [](const payment& p, const auto& one) {
    return one.second.subject == p.key && one.second.status == delivery_status::pending;
  };
  std::vector<payment> old;
  for (const auto& [key, row] : payments) {
    if (old.size() == what.limit) break;
    if (row.updated_at >= *what.payments || !has_ended(row)) continue;
    if (std::ranges::any_of(deliveries, [&](const auto& one) { return is_pending(row, one); })) continue;
    old.push_back(row);
  }
  for (const auto& row : old) {
    forget(row);
    made.purged_payments.push_back(row.key);
  }
  made.payments = old.size();
  made.payments_left = made.payments == what.limit;
}

purged_payment_lookup memory_store::run(const find_purged_payment& what) const {
  return {purged_payments.contains(id(what.key))};
}

void memory_store::forget(const payment& row) {
  timelines.erase(id(row.key));
  for (auto& [subject, seq] : event_log)
    if (subject == row.key) seq = 0;
  std::erase_if(deliveries, [&](const auto& one) { return one.second.subject == row.key; });
  for (const auto& each : row.records.disputes) disputes.erase({row.key.merchant.value, text(row.key.env), each.id});
  std::erase_if(sandbox_events, [&](const sandbox_event& one) {
    return one.merchant == row.key.merchant && one.env == row.key.env && one.payment_id == row.key.id;
  });
  purged_payments.insert(id(row.key));
  payments.erase(id(row.key));
}

std::uint64_t memory_store::purge_audit(time_point before, std::uint32_t limit) {
  auto& end = directory_.audit_end;
  if (!end) return 0;
  std::vector<const audit_entry*> chain;
  for (const auto& [id, entry] : directory_.audit)
    if (entry.link) chain.push_back(&entry);
  std::ranges::sort(chain, {}, [](const audit_entry* one) { return one->link->number; });
  std::uint64_t deleted = 0;
  for (const auto* entry : chain) {
    if (deleted == limit || entry->what.at >= before) break;
    end->purged_to = entry->link->number;
    end->purged_hash = entry->link->hash;
    ++deleted;
    directory_.audit.erase(std::string{entry->what.id});
  }
  return deleted;
}

}  // namespace gateway::testing
