#include "memory_store.hpp"
#include "gateway/ports/store/delivery_numbers.hpp"

#include <algorithm>
#include <map>

#include "stored_names.hpp"

namespace gateway::testing {

namespace {

/// The schema's CHECK.
bool adds_up(const payment& p) { return p.refunded >= 0 && p.refunded <= p.captured && p.captured <= p.amount.minor; }

/// The schema's CHECK.
bool adds_up(const ledger_entry& e) {
  const auto paid = paid_by_customer({e.what, e.amount.minor});
  return e.amount.minor > 0 && sum_of(e.accounts) == 0 && e.accounts.customer == -paid;
}

}  // namespace

/// The first obstacle to storing the unit, in the order in which the databases check; committed if there is none.
commit_outcome memory_store::obstacle_to(const unit_parts& unit) const {
  using enum commit_outcome;
  if (unit.insert_command && commands.contains(id(unit.insert_command->key))) return duplicate_command;
  if (!counts_once(unit)) return duplicate_record;
  if (const auto& fresh = unit.insert_payment) {
    if (payments.contains(id(fresh->key)) || purged_payments.contains(id(fresh->key))) return entity_exists;
    if (!adds_up(*fresh)) return unavailable;
  }
  if (const auto& fresh = unit.insert_binding)
    if (bindings.contains(id(fresh->key)) || has_other_binding_with_grant_of(*fresh)) return entity_exists;
  if (const auto& fresh = unit.insert_customer)
    if (customers.contains(id(fresh->key))) return entity_exists;
  if (const auto& fresh = unit.insert_subscription)
    if (subscriptions.contains(id(fresh->key))) return entity_exists;
  if (const auto& fresh = unit.insert_enrollment)
    if (enrollments.contains(id(fresh->key))) return entity_exists;
  if (const auto& fresh = unit.insert_notification)
    if (notifications.contains(id(fresh->key))) return entity_exists;
  if (const auto& changed = unit.update_payment) {
    const auto row = payments.find(id(changed->key));
    if (row == payments.end() || row->second.version != changed->version - 1) return lost_claim;
    if (!adds_up(*changed)) return unavailable;
  }
  if (const auto& changed = unit.update_binding) {
    const auto row = bindings.find(id(changed->key));
    if (row == bindings.end() || row->second.version != changed->version - 1) return lost_claim;
    if (has_other_binding_with_grant_of(*changed)) return lost_claim;
  }
  if (const auto& changed = unit.update_customer) {
    const auto row = customers.find(id(changed->key));
    if (row == customers.end() || row->second.version != changed->version - 1) return lost_claim;
  }
  if (const auto& changed = unit.update_subscription) {
    const auto row = subscriptions.find(id(changed->key));
    if (row == subscriptions.end() || row->second.version != changed->version - 1) return lost_claim;
  }
  if (const auto& changed = unit.update_enrollment) {
    const auto row = enrollments.find(id(changed->key));
    if (row == enrollments.end() || row->second.version != changed->version - 1) return lost_claim;
  }
  if (const auto& changed = unit.update_notification) {
    const auto row = notifications.find(id(changed->key));
    if (row == notifications.end() || row->second.version != changed->version - 1) return lost_claim;
  }
  for (const auto& past : unit.past_grants)
    if (past_grants.contains(past.what.id.value)) return lost_claim;
  if (const auto& finish = unit.finish_command) {
    const auto row = commands.find(id(finish->key));
    if (row == commands.end() || row->second.result) return lost_claim;
  }
  if (const auto* subject = unit.subject())
    if (const auto rows = timelines.find(id(*subject)); rows != timelines.end())
      for (const auto& entry : unit.entries)
        if (rows->second.contains(entry.seq)) return lost_claim;
  if (!deliveries_apply(unit) || !is_new_in_ledger(unit)) return lost_claim;
  return std::ranges::all_of(unit.ledger, [](const ledger_entry& e) { return adds_up(e); }) ? committed : unavailable;
}

bool memory_store::counts_once(const unit_parts& unit) const {
  std::set<event_row_key> seen;
  return std::ranges::all_of(unit.counted_events, [&](const counted_event& e) {
    return !counted_events.contains(id(e)) && seen.insert(id(e)).second;
  });
}

bool memory_store::is_new_in_ledger(const unit_parts& unit) const {
  std::set<ledger_row_key> seen;
  return std::ranges::all_of(
      unit.ledger, [&](const ledger_entry& e) { return !ledger.contains(id(e)) && seen.insert(id(e)).second; });
}

/// The schema's unique key of grants.
bool memory_store::has_other_binding_with_grant_of(const grant_binding& one) const {
  return std::ranges::any_of(bindings, [&](const auto& row) {
    return row.second.newest.value().id == one.newest.value().id && row.second.key != one.key;
  });
}

bool memory_store::deliveries_apply(const unit_parts& unit) const {
  std::map<std::int64_t, const delivery*> seen;  // as the unit has left them so far
  for (const auto& fresh : unit.deliveries)
    if (deliveries.contains(fresh.id) || !seen.emplace(fresh.id, &fresh).second) return false;
  for (const auto& changed : unit.update_deliveries) {
    const auto row = deliveries.find(changed.id);
    const auto* before = seen.contains(changed.id) ? seen.at(changed.id)
                         : row == deliveries.end() ? nullptr
                                                   : &row->second;
    if (!before || before->subject.merchant != changed.subject.merchant || before->version != changed.version - 1)
      return false;
    seen.insert_or_assign(changed.id, &changed);
  }
  return true;
}

/// Applies all of the directory's records, or none.
commit_outcome memory_store::records_apply(const unit_parts& unit) {
  if (unit.records.empty() && !unit.revoked && unit.record_claims.empty()) return commit_outcome::committed;
  auto changed = directory_;
  // Claims that come before the other records, as in the databases.
  const auto comes_first = [](const claimed_row& claim) {
    return std::holds_alternative<set_first_password>(claim) || std::holds_alternative<check_credentials>(claim) ||
           std::holds_alternative<spend_password_link>(claim) || std::holds_alternative<set_mailed_password>(claim);
  };
  for (const auto& claim : unit.record_claims)
    if (comes_first(claim) && !changed.apply(claim)) return commit_outcome::lost_claim;
  for (const auto& record : unit.records)
    if (!changed.apply(record)) return commit_outcome::duplicate_record;
  if (unit.revoked) changed.apply(*unit.revoked);
  for (const auto& claim : unit.record_claims)
    if (!comes_first(claim) && !changed.apply(claim)) return commit_outcome::lost_claim;
  directory_ = std::move(changed);
  return commit_outcome::committed;
}

commit_outcome memory_store::commit(const unit_of_work& whole) {
  const unit_parts unit{whole};
  if (const auto obstacle = obstacle_to(unit); obstacle != commit_outcome::committed) return obstacle;
  const auto before = directory_;
  if (const auto outcome = records_apply(unit); outcome != commit_outcome::committed) return outcome;
  if (unit.turn && unit.turn->planned_in != head.turn) {
    directory_ = before;
    return commit_outcome::lost_claim;
  }
  if (unit.turn) ++head.turn;
  if (!unit.changes.empty()) ++head.number;
  for (const auto& change : unit.changes) log.emplace_back(head.number, change);
  if (unit.insert_command) commands.emplace(id(unit.insert_command->key), *unit.insert_command);
  if (unit.insert_payment) payments.emplace(id(unit.insert_payment->key), *unit.insert_payment);
  if (unit.insert_binding) bindings.emplace(id(unit.insert_binding->key), *unit.insert_binding);
  if (unit.update_binding) bindings.at(id(unit.update_binding->key)) = *unit.update_binding;
  if (unit.insert_customer) customers.emplace(id(unit.insert_customer->key), *unit.insert_customer);
  if (unit.update_customer) customers.at(id(unit.update_customer->key)) = *unit.update_customer;
  if (unit.insert_subscription) subscriptions.emplace(id(unit.insert_subscription->key), *unit.insert_subscription);
  if (unit.update_subscription) subscriptions.at(id(unit.update_subscription->key)) = *unit.update_subscription;
  if (unit.insert_enrollment) enrollments.emplace(id(unit.insert_enrollment->key), *unit.insert_enrollment);
  if (unit.update_enrollment) enrollments.at(id(unit.update_enrollment->key)) = *unit.update_enrollment;
  if (unit.insert_notification) notifications.emplace(id(unit.insert_notification->key), *unit.insert_notification);
  if (const auto& changed = unit.update_notification) {
    auto& row = notifications.at(id(changed->key));
    // As for a payment: the posted content stays as it was inserted.
    auto next = *changed;
    next.type = row.type;
    next.account = row.account;
    next.body = row.body;
    next.received_at = row.received_at;
    row = std::move(next);
  }
  for (const auto& event : unit.counted_events) counted_events.insert(id(event));
  for (const auto& past : unit.past_grants) past_grants.emplace(past.what.id.value, past);
  if (unit.update_payment) {
    auto& row = payments.at(id(unit.update_payment->key));
    // What an update may not change stays as it was inserted.
    auto next = *unit.update_payment;
    next.how = row.how;
    next.provider = row.provider;
    next.account = row.account;
    next.hides_provider = row.hides_provider;
    next.created_at = row.created_at;
    next.details = row.details;
    row = std::move(next);
  }
  for (const auto& claim : unit.record_claims) {
    if (const auto* text = std::get_if<replace_text>(&claim)) replace(*text);
    if (const auto* details = std::get_if<replace_details>(&claim)) replace(*details);
  }
  if (const auto& finish = unit.finish_command) {
    auto& row = commands.at(id(finish->key));
    row.result = *finish->result;
    row.finished_at = finish->finished_at;
  }
  if (const auto* subject = unit.subject())
    for (const auto& entry : unit.entries) {
      timelines[id(*subject)].emplace(entry.seq, entry);
      if (entry.kind == timeline_kind::event) event_log.emplace_back(*subject, entry.seq);
    }
  if (unit.last_seen) last_seen = unit.last_seen;
  for (const auto& fact : unit.facts) facts[fact.name] = fact.value;
  for (const auto& entry : unit.ledger) ledger.emplace(id(entry), entry);
  for (const auto& h : unit.health) health[{h.owner, h.id.value}] = h;
  for (const auto& p : unit.event_positions) event_positions[{text(p.provider), text(p.env), p.account}] = p.read_to;
  for (const auto& entry : unit.disputes) {
    const auto [row, is_new] = disputes.try_emplace({entry.merchant.value, text(entry.env), entry.dispute_id}, entry);
    if (!is_new) row->second.status = entry.status;  // the rest is written once
  }
  for (const auto& event : unit.sandbox_events) sandbox_events.push_back(event);
  for (const auto& [merchant, env, added] : unit.totals) {
    const std::string currency{added.amount.unit.code()}, what{to_string(added.what)};
    auto& total = totals[{merchant.value, text(env), added.day, currency, what}];
    total = {added.day, added.what, total.count + added.count,
             money{total.amount.minor + added.amount.minor, added.amount.unit}};
  }
  for (const auto& fresh : unit.deliveries) deliveries.emplace(fresh.id, fresh);
  for (const auto& changed : unit.update_deliveries) {
    auto& row = deliveries.at(changed.id);
    auto next = changed;
    next.subject = row.subject;
    next.event_seq = row.event_seq;
    next.to = row.to;
    next.created_at = row.created_at;
    if (next.last) next.last->retry_after.reset();
    row = std::move(next);
  }
  return commit_outcome::committed;
}

std::vector<commit_outcome> memory_store::commit(std::span<const unit_of_work> units) {
  std::vector<commit_outcome> outcomes;
  for (const auto& unit : units) outcomes.push_back(commit(unit));
  return outcomes;
}

redeliver_rows_result memory_store::run(const redeliver_rows& what) {
  redeliver_rows_result answer;
  const auto wanted = [&](const delivery& row) {
    if (what.id != 0) return row.id == what.id;
    if (what.drop) return row.to == what.to && row.status == delivery_status::pending;
    return row.to == what.to && row.status == delivery_status::failed && (!what.from || row.created_at >= *what.from) &&
           (!what.until || row.created_at < *what.until);
  };
  for (auto& [number, row] : deliveries) {
    if (what.id == 0 && answer.changed == what.limit) break;
    if (!wanted(row)) continue;
    row = what.drop ? dropped(std::move(row)) : redelivered(std::move(row), what.now);
    answer.changed += 1;
    if (what.id != 0) answer.to = row.to;
  }
  return answer;
}

std::vector<memory_store::command_row_key> memory_store::found_by(const purge_commands& what) const {
  std::multimap<time_point, command_row_key> old;
  for (const auto& [key, row] : commands)
    if (row.result && row.created_at < what.before) old.emplace(row.created_at, key);
  std::vector<command_row_key> found;
  for (const auto& [at, key] : old) {
    if (found.size() == what.limit) break;
    found.push_back(key);
  }
  return found;
}

purge_result memory_store::run(const purge_commands& what) {
  const auto found = found_by(what);
  for (const auto& key : found) commands.erase(key);
  std::multimap<time_point, entity_row_key> settled;
  for (const auto& [key, row] : notifications)
    if (row.settled_at && *row.settled_at < what.notifications.value_or(what.before))
      settled.emplace(*row.settled_at, key);
  purge_result made{found.size()};
  for (const auto& [at, key] : settled) {
    if (made.notifications == what.limit) break;
    notifications.erase(key);
    ++made.notifications;
  }
  made.events = what.events ? purge_events(*what.events, what.limit) : 0;
  made.deliveries_behind = what.deliveries_behind;
  if (what.deliveries) {
    std::erase_if(deliveries, [&](const auto& one) {
      const auto& [number, row] = one;
      const bool is_old = number < delivery_numbers::first_at(*what.deliveries) && number > what.deliveries_behind;
      if (!is_old || made.deliveries == what.limit) return false;
      ++made.deliveries;
      made.deliveries_behind = number;
      return row.status != delivery_status::pending;
    });
  }
  if (what.payments) purge_payments(what, made);
  if (what.audit) made.audit = purge_audit(*what.audit, what.limit);
  return made;
}

}  // namespace gateway::testing
