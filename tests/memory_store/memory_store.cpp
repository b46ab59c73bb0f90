#include "memory_store.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <stdexcept>

namespace gateway::testing {

namespace {

/// The schema's CHECK.
bool adds_up(const payment& p) { return p.refunded >= 0 && p.refunded <= p.captured && p.captured <= p.amount.minor; }

/// The schema's CHECK.
bool adds_up(const ledger_entry& e) {
  const auto paid = e.what == ledger_kind::captured   ? e.amount.minor
                    : e.what == ledger_kind::refunded ? -e.amount.minor
                                                      : 0;
  return e.amount.minor > 0 && sum_of(e.accounts) == 0 && e.accounts.customer == -paid;
}

std::string text(environment env) { return std::string{to_string(env)}; }
std::string text(provider_kind kind) { return std::string{to_string(kind)}; }

}  // namespace

/// The first obstacle to storing the unit, in the order in which the databases check; committed if there is none.
commit_outcome memory_store::obstacle_to(const unit_parts& unit) const {
  using enum commit_outcome;
  if (unit.insert_command && commands.contains(id(unit.insert_command->key))) return duplicate_command;
  if (!counts_once(unit)) return duplicate_record;
  if (const auto& fresh = unit.insert_payment) {
    if (payments.contains(id(fresh->key))) return entity_exists;
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
    return std::holds_alternative<set_first_password>(claim) || std::holds_alternative<check_credentials>(claim);
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
    next.amount = row.amount;
    next.how = row.how;
    next.provider = row.provider;
    next.account = row.account;
    next.hides_provider = row.hides_provider;
    next.created_at = row.created_at;
    next.details = row.details;
    row = std::move(next);
  }
  if (const auto& finish = unit.finish_command) {
    auto& row = commands.at(id(finish->key));
    row.result = *finish->result;
    row.finished_at = finish->finished_at;
  }
  if (const auto* subject = unit.subject())
    for (const auto& entry : unit.entries) timelines[id(*subject)].emplace(entry.seq, entry);
  if (unit.last_seen) last_seen = unit.last_seen;
  for (const auto& entry : unit.ledger) ledger.emplace(id(entry), entry);
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

entity_lookup memory_store::run(const find_entity& what) const {
  const auto look_in = [&]<class Row>(const std::map<entity_row_key, Row>& rows) -> entity_lookup {
    const auto row = rows.find(id(what.key));
    if (row == rows.end()) return {};
    return {entity_row{std::make_shared<const Row>(row->second)}};
  };
  switch (what.key.kind) {
    case entity_kind::payment: return look_in(payments);
    case entity_kind::grant: return look_in(bindings);
    case entity_kind::customer: return look_in(customers);
    case entity_kind::subscription: return look_in(subscriptions);
    case entity_kind::enrollment: return look_in(enrollments);
    case entity_kind::notification: return look_in(notifications);
  }
  return {};
}

command_lookup memory_store::run(const find_command& what) const {
  const auto row = commands.find(id(what.key));
  return {row == commands.end() ? std::nullopt : std::optional{row->second}};
}

payments_lookup memory_store::run(const find_payments& what) const {
  const auto position = [](const payment& p) { return payment_position{p.created_at, p.key.id}; };
  payments_lookup found;
  for (const auto& [key, row] : payments) {
    if (row.key.merchant != what.merchant || row.key.env != what.env) continue;
    if (what.state && row.state != *what.state) continue;
    if (!what.currency.empty() && row.amount.unit.code() != what.currency) continue;
    if (what.from && row.created_at < *what.from) continue;
    if (what.until && row.created_at >= *what.until) continue;
    if (what.before && position(row) >= *what.before) continue;
    if (what.after && position(row) <= *what.after) continue;
    found.payments.push_back(std::make_shared<const payment>(row));
  }
  std::ranges::sort(found.payments, std::greater{}, [&](const payment_ptr& p) { return position(*p); });
  const bool back = what.after && !what.before;
  found.more = found.payments.size() > what.limit;
  if (found.more && back) found.payments.erase(found.payments.begin(), found.payments.end() - what.limit);
  if (found.more && !back) found.payments.resize(what.limit);
  if (what.most_bytes > 0) cut_to_bytes(found, what.most_bytes);
  return found;
}

payments_lookup memory_store::run(const find_payments_by_ref& what) const {
  find_payments all{what.merchant, what.env};
  all.limit = std::numeric_limits<std::uint32_t>::max();
  auto found = run(all);
  std::erase_if(found.payments, [&](const payment_ptr& p) {
    return what.provider_ref.empty() || p->provider_ref != what.provider_ref;
  });
  found.more = found.payments.size() > what.limit;
  if (found.more) found.payments.resize(what.limit);
  return found;
}

payment_key_lookup memory_store::run(const find_payment_key& what) const {
  if (what.provider_ref.empty()) return {};
  for (const auto& [key, row] : directory_.connections) {
    if (row.link.provider != what.provider || row.link.env != what.env) continue;
    for (const auto& p : run(find_payments_by_ref{row.merchant, what.env, what.provider_ref}).payments)
      if (p->provider == what.provider) return {p->key};
  }
  return {};
}

daily_totals_lookup memory_store::run(const find_daily_totals& what) const {
  daily_totals_lookup found;
  for (const auto& [key, total] : totals)
    if (std::get<0>(key) == what.merchant.value && std::get<1>(key) == text(what.env) && total.day >= what.from_day &&
        total.day < what.until_day)
      found.totals.push_back(total);
  return found;
}

ledger_sums_lookup memory_store::run(const find_ledger_sums& what) const {
  std::map<std::tuple<std::chrono::sys_days, std::string, std::string, std::string>, ledger_sum> sums;
  for (const auto& [key, entry] : ledger) {
    const auto day = std::chrono::floor<std::chrono::days>(entry.at);
    const auto& merchant = entry.payment.merchant;
    if (entry.payment.env != what.env || day < what.from_day || day >= what.until_day ||
        (what.merchant.empty() ? merchant <= what.after : merchant != what.merchant))
      continue;
    auto& sum =
        sums[{day, std::string{entry.amount.unit.code()}, text(entry.provider), std::string{to_string(entry.what)}}];
    sum = {day, entry.provider, entry.what, sum.count + 1, {sum.amount.minor + entry.amount.minor, entry.amount.unit}};
  }
  ledger_sums_lookup found;
  for (const auto& [key, sum] : sums) found.sums.push_back(sum);
  return found;
}

ledger_lookup memory_store::run(const find_ledger& what) const {
  ledger_lookup found;
  auto left = what.limit;
  for (const auto& [key, entry] : ledger) {
    const auto& merchant = entry.payment.merchant;
    if (entry.payment.env != what.env || entry.at < what.from || entry.at >= what.until ||
        (!what.merchant.empty() && merchant != what.merchant))
      continue;
    const auto position = std::tie(merchant.value, entry.at, entry.payment.id, entry.seq);
    if (what.after &&
        position <= std::tie(what.after->merchant.value, what.after->at, what.after->payment_id, what.after->seq))
      continue;
    if (entry.provider == what.provider) found.entries.push_back(entry);
    if (--left == 0) {
      found.next = ledger_position{merchant, entry.at, entry.payment.id, entry.seq};
      break;
    }
  }
  return found;
}

timeline_lookup memory_store::run(const find_timeline& what) const {
  timeline_lookup found;
  if (const auto rows = timelines.find(id(what.key)); rows != timelines.end())
    for (const auto& [seq, entry] : rows->second) found.entries.push_back(entry);
  return found;
}

due_lookup memory_store::run(const find_due& what) const {
  due_lookup found;
  const auto look_in = [&](const auto& rows, auto is_open) {
    std::multimap<time_point, entity_key> due;
    for (const auto& [key, row] : rows)
      if (row.due_at && *row.due_at <= what.now && (!what.open_only || (is_open(row) && *row.due_at > what.later_than)))
        due.emplace(*row.due_at, row.key);
    auto left = what.limit;
    for (const auto& [at, key] : due) {
      if (left-- == 0) break;
      found.keys.push_back(key);
    }
  };
  look_in(payments, [](const payment& p) { return p.open.has_value(); });
  look_in(subscriptions, [](const subscription& s) { return s.open.has_value(); });
  look_in(enrollments, [](const sandbox_enrollment&) { return false; });
  look_in(notifications, [](const notification&) { return false; });
  return found;
}

directory_lookup memory_store::run(const find_directory& what) const {
  std::set<std::string> owners, platforms, persons, providers;
  for (const auto& name : what.of) {
    switch (name.what) {
      case directory_name::kind::merchant: owners.insert(name.text); break;
      case directory_name::kind::platform: platforms.insert(name.text); break;
      case directory_name::kind::key:
        if (const auto at = directory_.keys.find(name.text); at != directory_.keys.end())
          owners.insert(at->second.key.merchant.value);
        break;
      case directory_name::kind::destination:
        for (const auto& [key, row] : directory_.destinations)
          if (row.what.id.value == name.text) owners.insert(row.what.owner);
        break;
      case directory_name::kind::user: persons.insert(name.text); break;
      case directory_name::kind::email:
        if (const auto at = directory_.users.find(name.text); at != directory_.users.end())
          persons.insert(at->second.id.value);
        break;
      case directory_name::kind::provider: providers.insert(name.text); break;
    }
  }
  if (what.every_platform)
    for (const auto& [id, row] : directory_.platforms) platforms.insert(id);
  if (what.every_platform)
    for (const auto& [id, row] : directory_.platform_keys) platforms.insert(row.key.platform.value);
  if (what.every_platform)
    for (const auto& [key, row] : directory_.providers) providers.insert(key.first);
  std::erase_if(owners, [&](const auto& id) { return !directory_.merchants.contains(id); });

  auto found = whole_directory();
  const auto keep = [](auto& rows, auto of) { std::erase_if(rows, [&](const auto& row) { return !of(row); }); };
  keep(found.merchants, [&](const auto& row) { return owners.contains(row.id.value); });
  keep(found.keys, [&](const auto& row) { return owners.contains(row.key.merchant.value); });
  keep(found.memberships, [&](const auto& row) { return owners.contains(row.merchant.value); });
  keep(found.invitations, [&](const auto& row) { return owners.contains(row.merchant.value); });
  for (const auto& member : found.memberships) persons.insert(member.user.value);
  for (const auto& one : found.invitations) persons.insert(one.user.value);
  keep(found.users, [&](const auto& row) { return persons.contains(row.id.value); });
  keep(found.connections, [&](const auto& row) {
    const bool is_named = what.account && row.link.account == what.account->account &&
                          row.link.provider == what.account->provider && row.link.env == what.account->env;
    return is_named || owners.contains(row.merchant.value);
  });
  keep(found.routes, [&](const auto& row) { return owners.contains(row.merchant.value); });
  keep(found.bindings, [&](const auto& row) { return owners.contains(row.key.merchant.value); });
  keep(found.platforms, [&](const auto& row) { return platforms.contains(row.id.value); });
  keep(found.platform_keys, [&](const auto& row) { return platforms.contains(row.key.platform.value); });
  keep(found.destinations,
       [&](const auto& row) { return owners.contains(row.what.owner) || platforms.contains(row.what.owner); });
  keep(found.providers, [&](const auto& row) { return providers.contains(text(row.provider)); });
  return found;
}

directory_news memory_store::run(const find_directory_news& what) const {
  directory_news news;
  news.head = head;
  news.told_to = head.number;
  if (what.since < 0) return news;
  std::set<directory_change> changed;
  for (const auto& [number, change] : log)
    if (number > what.since) changed.insert(change);
  news.changed.assign(changed.begin(), changed.end());
  return news;
}

destinations_lookup memory_store::run(const find_destinations& what) const {
  destinations_lookup found;
  for (const auto& [key, row] : directory_.destinations) {
    if (!what.owner.empty() && row.what.owner != what.owner) continue;
    if (what.env && row.what.env != *what.env) continue;
    if (found.destinations.size() < what.limit)
      found.destinations.push_back(row);
    else
      ++found.left_out;
  }
  std::ranges::sort(found.destinations, {}, [](const stored_destination& row) {
    return std::tie(row.what.owner, row.what.env, row.what.created_at, row.what.id);
  });
  return found;
}

directory_lookup memory_store::whole_directory() const {
  directory_lookup found;
  for (const auto& [key, row] : directory_.merchants) found.merchants.push_back(row);
  std::ranges::stable_sort(found.merchants, {}, &save_merchant::created_at);
  for (const auto& [key, row] : directory_.keys) found.keys.push_back(row);
  std::vector<save_user> users;
  for (const auto& [key, row] : directory_.users) users.push_back(row);
  std::ranges::stable_sort(users, {}, [](const save_user& u) { return std::tuple{u.created_at, u.id.value}; });
  for (const auto& row : users) found.users.push_back({row.id, row.email, !row.password_hash.empty()});
  for (const auto& [key, row] : directory_.memberships) found.memberships.push_back(row);
  std::ranges::stable_sort(found.memberships, {}, [](const stored_membership& m) {
    return std::tuple{m.merchant.value, m.created_at, m.user.value};
  });
  for (const auto& [key, row] : directory_.invitations) found.invitations.push_back(row);
  std::ranges::stable_sort(found.invitations, {}, [](const stored_invitation& i) {
    return std::tuple{i.merchant.value, i.created_at, i.user.value};
  });
  std::vector<insert_platform> platforms;
  for (const auto& [key, row] : directory_.platforms) platforms.push_back(row);
  std::ranges::stable_sort(platforms, {}, &insert_platform::created_at);
  for (auto& row : platforms) found.platforms.push_back(std::move(row.what));
  for (const auto& [key, row] : directory_.platform_keys) found.platform_keys.push_back(row);
  std::ranges::stable_sort(found.platform_keys, {}, [](const stored_platform_key& k) {
    return std::tuple{k.key.platform.value, k.key.id.value};
  });
  for (const auto& [key, row] : bindings)
    found.bindings.push_back({row.key, state_of(row.newest), row.newest.value().scopes, row.version});
  for (const auto& [key, row] : directory_.connections) found.connections.push_back(row);
  for (const auto& [key, row] : directory_.routes) found.routes.push_back(row);
  for (const auto& [key, row] : directory_.destinations) found.destinations.push_back(row);
  for (const auto& [key, row] : directory_.providers) found.providers.push_back(row);
  std::ranges::stable_sort(found.routes, {}, [](const stored_route& r) {
    return std::tuple{r.merchant.value, text(r.way.env), r.way.position};
  });
  return found;
}

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

grant_lookup memory_store::run(const find_grant& what) const {
  for (const auto& [key, row] : bindings)
    if (row.newest.value().id == what.id) return {row.key, false};
  if (const auto row = past_grants.find(what.id.value); row != past_grants.end()) return {row->second.binding, true};
  return {};
}

grants_lookup memory_store::run(const find_grants& what) const {
  grants_lookup found;
  const auto add = [&](const entity_key& binding, const grant& one) {
    if (!what.merchant.empty() && binding.merchant != what.merchant) return;
    if (!what.platform.empty() && binding.id != what.platform.value) return;
    if (what.before && std::tie(one.granted_at, one.id) >= std::tie(*what.before, what.before_id)) return;
    found.grants.emplace_back(binding, one);
  };
  for (const auto& [key, row] : bindings) add(row.key, row.newest.value());
  for (const auto& [key, row] : past_grants) add(row.binding, row.what);
  std::ranges::sort(found.grants, std::greater{},
                    [](const auto& one) { return std::tuple{one.second.granted_at, one.second.id}; });
  if (found.grants.size() > what.limit) found.grants.resize(what.limit);
  return found;
}

customers_lookup memory_store::run(const find_customers& what) const {
  customers_lookup found;
  for (const auto& [key, row] : customers) {
    if (found.customers.size() == what.limit) break;
    if (row.key.merchant == what.merchant && row.key.env == environment::live && row.key.id > what.after)
      found.customers.push_back(std::make_shared<const customer>(row));
  }
  return found;
}

/// By the names of environments, as the databases sort them.
subscription_keys_lookup memory_store::run(const find_subscription_keys& what) const {
  subscription_keys_lookup found;
  for (const auto& [key, row] : subscriptions)
    if (what.provider_id.empty() ? row.key.id == what.id : row.provider_subscription_id == what.provider_id)
      found.keys.push_back(row.key);
  std::ranges::sort(found.keys, {},
                    [](const entity_key& k) { return std::tuple{k.merchant.value, text(k.env), k.id}; });
  if (found.keys.size() > what.limit) found.keys.resize(what.limit);
  return found;
}

subscriptions_lookup memory_store::run(const find_subscriptions& what) const {
  subscriptions_lookup found;
  for (const auto& [key, row] : subscriptions) {
    if (found.subscriptions.size() == what.limit) break;
    if (row.key.merchant == what.merchant && row.key.env == environment::live && row.key.id > what.after)
      found.subscriptions.push_back(std::make_shared<const subscription>(row));
  }
  return found;
}

user_lookup memory_store::run(const find_user& what) const {
  const auto row = directory_.users.find(what.email_key);
  if (row == directory_.users.end()) return {};
  auto found = row->second;
  found.recovery_codes_left = std::ranges::count_if(
      directory_.recovery_codes, [&](const auto& code) { return code.first.first == found.id.value && !code.second; });
  return {std::move(found)};
}

sessions_lookup memory_store::run(const find_sessions& what) const {
  sessions_lookup found;
  for (const auto& [hash, row] : directory_.sessions)
    if (row.what.user == what.user)
      found.sessions.push_back({hash, row.what.created_at, row.used_at, row.what.ends_at});
  std::ranges::stable_sort(found.sessions, std::greater{}, &listed_session::created_at);
  return found;
}

audit_lookup memory_store::run(const find_audit& what) const {
  audit_lookup found;
  for (const auto& [id, row] : directory_.audit) {
    if (what.user.empty() ? row.merchant != what.merchant : row.user != what.user) continue;
    if (!what.before || std::tie(row.at, row.id) < std::tie(*what.before, what.before_id)) found.entries.push_back(row);
  }
  std::ranges::sort(found.entries, std::greater{}, [](const save_audit& a) { return std::tie(a.at, a.id); });
  if (found.entries.size() > what.limit) found.entries.resize(what.limit);
  return found;
}

notifications_lookup memory_store::run(const find_notifications& what) const {
  notifications_lookup found;
  for (const auto& [key, row] : notifications) {
    if (what.provider && row.provider != *what.provider) continue;
    if (what.env && row.key.env != *what.env) continue;
    if (what.state && row.state != *what.state) continue;
    if (what.before && std::tie(row.received_at, row.key.id) >= std::tie(*what.before, what.before_id)) continue;
    auto listed = row;
    listed.body.clear();
    found.notifications.push_back(std::make_shared<const notification>(std::move(listed)));
  }
  std::ranges::sort(found.notifications, std::greater{},
                    [](const notification_ptr& n) { return std::tie(n->received_at, n->key.id); });
  if (found.notifications.size() > what.limit) found.notifications.resize(what.limit);
  return found;
}

spent_token_lookup memory_store::run(const find_spent_token& what) const {
  return {directory_.spent_tokens.contains({what.merchant.value, what.token_id})};
}

invitations_lookup memory_store::run(const find_invitations& what) const {
  invitations_lookup found;
  for (const auto& [key, user] : directory_.users)
    if (user.id == what.user) found.has_password = !user.password_hash.empty();
  found.is_member =
      std::ranges::any_of(directory_.memberships, [&](const auto& one) { return one.second.user == what.user; });
  if (const auto shown = directory_.shown_passwords.find(what.user.value); shown != directory_.shown_passwords.end())
    found.shown_to = shown->second;
  for (const auto& [key, row] : directory_.invitations) {
    if (row.user != what.user) continue;
    const auto merchant = directory_.merchants.find(row.merchant.value);
    found.invitations.push_back({row, merchant == directory_.merchants.end() ? "" : merchant->second.name});
  }
  std::ranges::stable_sort(found.invitations, std::greater{}, [](const auto& one) {
    return std::pair{one.what.by == invited_by::operators, one.what.expires};
  });
  if (found.invitations.size() > most_invitations_told) found.invitations.resize(most_invitations_told);
  return found;
}

session_lookup memory_store::run(const find_session& what) const {
  const auto row = directory_.sessions.find(what.hash);
  if (row == directory_.sessions.end()) return {};
  const auto& session = row->second;
  const auto user =
      std::ranges::find_if(directory_.users, [&](const auto& one) { return one.second.id == session.what.user; });
  if (user == directory_.users.end()) return {};
  stored_session found{user->second.id,         user->second.email,
                       session.what.created_at, session.used_at,
                       session.what.ends_at,    {},
                       user->second.time_zone,  !user->second.sealed_totp.empty()};
  for (const auto& [key, member] : directory_.memberships) {
    if (member.user != found.user) continue;
    const auto merchant = directory_.merchants.find(member.merchant.value);
    found.of.push_back(
        {member.merchant, merchant == directory_.merchants.end() ? "" : merchant->second.name, member.role});
  }
  std::ranges::sort(found.of, {},
                    [](const session_membership& m) { return std::tuple{m.merchant_name, m.merchant.value}; });
  return {std::move(found)};
}

redeliver_rows_result memory_store::run(const redeliver_rows& what) {
  redeliver_rows_result answer;
  const auto wanted = [&](const delivery& row) {
    if (what.id != 0) return row.id == what.id;
    return row.to == what.to && row.status == delivery_status::failed && (!what.from || row.created_at >= *what.from) &&
           (!what.until || row.created_at < *what.until);
  };
  for (auto& [number, row] : deliveries) {
    if (what.id == 0 && answer.changed == what.limit) break;
    if (!wanted(row)) continue;
    row = redelivered(std::move(row), what.now);
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
    if (row.settled_at && *row.settled_at < what.before) settled.emplace(*row.settled_at, key);
  purge_result made{found.size()};
  for (const auto& [at, key] : settled) {
    if (made.notifications == what.limit) break;
    notifications.erase(key);
    ++made.notifications;
  }
  return made;
}

/// False if it names a record that exists already and may not be replaced.
bool memory_store::directory_rows::apply(const inserted_row& record) {
  struct visitor {
    directory_rows& rows;
    bool operator()(const save_merchant& m) const { return rows.merchants.emplace(m.id.value, m).second; }
    bool operator()(const save_api_key& k) const { return rows.keys.emplace(k.id.value, stored_key{k, false}).second; }
    bool operator()(const save_user& u) const {
      if (std::ranges::any_of(rows.users, [&](const auto& one) { return one.second.id == u.id; })) return false;
      return rows.users.emplace(email_key_of(u.email), stored_person{u}).second;
    }
    bool operator()(const save_audit& a) const { return rows.audit.emplace(a.id, a).second; }
    bool operator()(const save_membership& m) const {
      rows.memberships.try_emplace({m.merchant.value, m.user.value}, m).first->second.role = m.role;
      return true;
    }
    bool operator()(const save_invitation& i) const {
      rows.invitations.insert_or_assign({i.what.merchant.value, i.what.user.value}, i.what);
      std::erase_if(rows.invitations, [&](const auto& one) {
        return one.second.merchant == i.what.merchant && one.second.expires <= i.what.created_at;
      });
      return true;
    }
    bool operator()(const save_session& s) const {
      if (!rows.sessions.emplace(s.hash, session{s, s.created_at}).second) return false;
      std::erase_if(rows.sessions, [&](const auto& one) {
        return one.second.what.user == s.user && one.second.what.ends_at <= s.created_at;
      });
      return true;
    }
    bool operator()(const insert_platform& p) const {
      const auto has_slug = [&](const auto& one) { return one.second.what.slug == p.what.slug; };
      return std::ranges::none_of(rows.platforms, has_slug) && rows.platforms.emplace(p.what.id.value, p).second;
    }
    bool operator()(const save_platform_key& k) const {
      return rows.platform_keys.emplace(k.id.value, stored_platform_key{k, false}).second;
    }
    bool operator()(const save_connection& c) const {
      const auto [row, fresh] = rows.connections.try_emplace(
          {c.merchant.value, text(c.link.env), text(c.link.provider)}, stored_connection{c.merchant, c.link, c.id});
      row->second.link = c.link;
      return true;
    }
    bool operator()(const save_route& r) const {
      const auto [row, fresh] = rows.routes.try_emplace({r.merchant.value, text(r.way.env), text(r.way.provider)},
                                                        stored_route{r.merchant, r.way, r.id});
      const auto position = row->second.way.position;
      row->second.way = r.way;
      row->second.way.position = position;
      return true;
    }
    bool operator()(const save_destination& d) const {
      const auto [row, fresh] = rows.destinations.try_emplace({d.what.owner, d.what.id.value}, d);
      const auto [kind, created_at] = std::pair{row->second.what.kind, row->second.what.created_at};
      row->second = d;
      row->second.what.kind = kind;
      row->second.what.created_at = created_at;
      return true;
    }
    bool operator()(const save_provider& p) const {
      rows.providers.insert_or_assign({text(p.provider), text(p.env)}, p);
      return true;
    }
    bool operator()(const spend_token& t) const {
      return rows.spent_tokens.emplace(t.merchant.value, t.token_id).second;
    }
  };
  return std::visit(
      [this]<class Record>(const Record& one) {
        if constexpr (std::is_invocable_v<visitor, const Record&>) return visitor{*this}(one);
        return false;  // an entity's row, not the directory's
      },
      record);
}

void memory_store::directory_rows::apply(const revoke_api_key& k) {
  if (const auto row = keys.find(k.id.value); row != keys.end()) row->second.revoked = true;
}

stored_person* memory_store::directory_rows::person(const user_id& id) {
  const auto row = std::ranges::find_if(users, [&](const auto& one) { return one.second.id == id; });
  return row == users.end() ? nullptr : &row->second;
}

/// False if the claim is lost.
bool memory_store::directory_rows::apply(const claimed_row& record) {
  struct visitor {
    directory_rows& rows;
    void operator()(const set_second_factor& f) const {
      if (auto* who = rows.person(f.user)) {
        who->sealed_totp = f.sealed_totp;
        who->totp_step = 0;
      }
      std::erase_if(rows.recovery_codes, [&](const auto& code) { return code.first.first == f.user.value; });
      for (const auto& hash : f.recovery_hashes) rows.recovery_codes.emplace(std::pair{f.user.value, hash}, false);
    }
    bool operator()(const spend_totp_step& s) const {
      auto* who = rows.person(s.user);
      if (!who || who->sealed_totp.empty() || who->totp_step >= s.step) return false;
      who->totp_step = s.step;
      return true;
    }
    bool operator()(const spend_recovery_code& c) const {
      const auto code = rows.recovery_codes.find({c.user.value, c.hash});
      return code != rows.recovery_codes.end() && !std::exchange(code->second, true);
    }
    void operator()(const set_time_zone& z) const {
      if (auto* who = rows.person(z.user)) who->time_zone = z.zone;
    }
    void operator()(const update_platform& p) const {
      const auto row = rows.platforms.find(p.what.id.value);
      if (row == rows.platforms.end()) return;
      const auto slug = row->second.what.slug;
      row->second.what = p.what;
      row->second.what.slug = slug;
    }
    void operator()(const revoke_platform_key& k) const {
      const auto row = rows.platform_keys.find(k.id.value);
      if (row != rows.platform_keys.end() && row->second.key.platform == k.platform) row->second.revoked = true;
    }
    void operator()(const set_user_password& p) const {
      for (auto& [key, user] : rows.users)
        if (user.id == p.user) user.password_hash = p.password_hash;
      std::erase_if(rows.sessions,
                    [&](const auto& one) { return one.second.what.user == p.user && one.first != p.kept_session; });
    }
    bool operator()(const set_first_password& p) const {
      auto* who = rows.person(p.user);
      const bool is_member =
          std::ranges::any_of(rows.memberships, [&](const auto& one) { return one.second.user == p.user; });
      if (!who || !who->password_hash.empty() || is_member) return false;
      who->password_hash = p.password_hash;
      rows.shown_passwords.insert_or_assign(p.user.value, p.shown_to);
      return true;
    }
    bool operator()(const check_credentials& c) const {
      const auto* who = rows.person(c.user);
      return who && who->password_hash == c.password_hash && who->sealed_totp == c.sealed_totp;
    }
    void operator()(const end_shown_password& p) const {
      if (rows.shown_passwords.erase(p.user.value) == 0) return;
      if (auto* who = rows.person(p.user)) {
        who->password_hash.clear();
        who->sealed_totp.clear();
        who->totp_step = 0;
      }
      std::erase_if(rows.recovery_codes, [&](const auto& code) { return code.first.first == p.user.value; });
      std::erase_if(rows.sessions, [&](const auto& one) { return one.second.what.user == p.user; });
    }
    void operator()(const drop_invitation& i) const { rows.invitations.erase({i.merchant.value, i.user.value}); }
    bool operator()(const spend_invitation& i) const {
      const auto row = rows.invitations.find({i.merchant.value, i.user.value});
      if (row == rows.invitations.end() || row->second.id != i.id || row->second.expires <= i.at) return false;
      rows.invitations.erase(row);
      return true;
    }
    void operator()(const drop_membership& m) const { rows.memberships.erase({m.merchant.value, m.user.value}); }
    void operator()(const touch_session& s) const {
      if (const auto row = rows.sessions.find(s.hash); row != rows.sessions.end()) row->second.used_at = s.used_at;
    }
    void operator()(const end_session& s) const { rows.sessions.erase(s.hash); }
  };
  return std::visit(
      [this]<class Record>(const Record& one) {
        if constexpr (std::is_invocable_r_v<bool, visitor, const Record&>)
          return visitor{*this}(one);
        else if constexpr (std::is_invocable_v<visitor, const Record&>)
          visitor{*this}(one);
        return true;
      },
      record);
}

}  // namespace gateway::testing
