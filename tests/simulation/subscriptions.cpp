#include "subscriptions.hpp"

#include <algorithm>

namespace gateway::simulation {

namespace {

/// The type of the event that a notification causes.
std::string event_of(const subscription_notification& n) {
  const auto type = [&]() -> std::string_view {
    switch (n.kind) {
      case notification_kind::created: return "activated";
      case notification_kind::invoice_failed: return "invoice_failed";
      case notification_kind::invoice_paid: return "invoice_paid";
      case notification_kind::updated:
      case notification_kind::deleted: break;
    }
    return ends_subscription(n) ? "canceled" : "updated";
  }();
  return "evt_sandbox_subscription_" + std::string{type} + '_' + n.event_id;
}

std::string payment_event_of(const subscription_notification& n) {
  const auto result = n.kind == notification_kind::invoice_paid ? cycle_result::paid : cycle_result::failed;
  return cycle_event_id(provider_kind::sandbox, result, n.event_id);
}

bool is_charge(const timeline_entry& entry) {
  return entry.kind == timeline_kind::attempt && entry.operation == "charge";
}

}  // namespace

bool subscription_promises::charges_cycle(const testing::unit_parts& unit) {
  const auto* row = unit.changed();
  return row && is_cycle(row->key) && std::ranges::any_of(unit.entries, is_charge);
}

// ---- rows ---------------------------------------------------------------------------------------

void subscription_promises::committed(const std::optional<payment>& before, const testing::unit_parts& unit) {
  if (const auto* row = unit.changed_enrollment()) enrolled(*row);
  if (const auto* row = unit.changed_subscription()) changed(*row, unit);
  if (charges_cycle(unit)) charged(before, unit);
}

/// Adds the row's notifications to the provider's history.
void subscription_promises::enrolled(const sandbox_enrollment& row) {
  const auto of = rows_.subscriptions.find(testing::memory_store::id(row.what.key));
  if (of == rows_.subscriptions.end()) return all_.break_(row.key.id + " is opened at the provider for nobody");
  if (row.version == 1) customers_.made_for_checkout(of->second, row.what.customer_id);
  auto& history = said_[testing::memory_store::id(row.key)];
  for (const auto& n : row.undelivered) {
    const auto [at, fresh] = history.try_emplace(n.event_id, n);
    if (at->second != n) all_.break_("the provider says two things as " + n.event_id);
  }
}

void subscription_promises::changed(const subscription& row, const testing::unit_parts& unit) {
  const auto at = seen_.find(testing::memory_store::id(row.key));
  if (at == seen_.end()) {
    if (row.version != 1 || row.state.status != subscription_status::pending || !row.open)
      all_.break_(row.key.id + " begins as something other than a checkout that is being opened");
  } else {
    const auto& before = at->second;
    if (row.version != before.version + 1)
      all_.break_(row.key.id + " goes from version " + std::to_string(before.version) + " to " +
                  std::to_string(row.version));
    if (is_final(before.state.status) && row.state.status != before.state.status)
      all_.break_(row.key.id + " was " + std::string{to_string(before.state.status)} + " and becomes " +
                  std::string{to_string(row.state.status)});
    if (before.activated && !row.activated) all_.break_(row.key.id + " is no longer active");
  }
  seen_.insert_or_assign(testing::memory_store::id(row.key), row);
  for (const auto& entry : unit.entries)
    if (entry.kind == timeline_kind::event) tell_once(entry);
}

void subscription_promises::tell_once(const timeline_entry& event) {
  if (!delivered_.insert(event.event_id).second) all_.break_(event.event_id + " is told twice");
}

void subscription_promises::charged(const std::optional<payment>& before, const testing::unit_parts& unit) {
  const auto& row = *unit.changed();
  if (unit.insert_payment && row.version != 1) all_.break_(row.key.id + " begins at another version");
  if (before && row.captured < before->captured) all_.break_(row.key.id + ": what was paid is taken back");
  unsigned events = 0;
  for (const auto& entry : unit.entries) {
    if (is_charge(entry) && entry.status == "approved" && ++approved_[testing::memory_store::id(row.key)] > 1)
      all_.break_(row.key.id + " is charged twice");
    if (entry.kind != timeline_kind::event) continue;
    ++events;
    tell_once(entry);
  }
  if (events != 1) all_.break_(row.key.id + ": an attempt at a cycle is told by " + std::to_string(events) + " events");
}

std::vector<subscription_notification> subscription_promises::said_of(const entity_key& subject) const {
  std::vector<subscription_notification> all;
  for (const auto& [key, row] : rows_.enrollments) {
    if (row.what.key != subject) continue;
    const auto history = said_.find(key);
    if (history == said_.end()) continue;
    for (const auto& [id, n] : history->second) all.push_back(n);
  }
  std::ranges::sort(all, {}, [](const subscription_notification& n) { return position_of(n); });
  return all;
}

// ---- at rest ------------------------------------------------------------------------------------

bool subscription_promises::anything_open() const {
  return std::ranges::any_of(rows_.subscriptions,
                             [](const auto& each) { return each.second.open || !each.second.owed.empty(); }) ||
         std::ranges::any_of(rows_.enrollments, [](const auto& each) { return !each.second.undelivered.empty(); });
}

void subscription_promises::at_rest() {
  std::set<std::string> of_provider;
  for (const auto& [key, row] : rows_.enrollments) {
    check_history(row);
    check_invoices(row);
    for (const auto& [id, n] : said_[key]) {
      of_provider.insert(event_of(n));
      if (n.invoice) of_provider.insert(payment_event_of(n));
    }
  }
  for (const auto& id : delivered_)
    if (!of_provider.contains(id)) all_.break_(id + " is told, and the provider has not said it");
  for (const auto& [key, row] : rows_.subscriptions) {
    const auto length = rows_.timelines.contains(key) ? rows_.timelines.at(key).size() : 0;
    if (length + 1 != row.next_seq) all_.break_(row.key.id + ": entries of its timeline are missing");
    if (row.activated && !row.waiting.empty()) all_.break_(row.key.id + " keeps what it was told for ever");
  }
}

/// Every notification has caused its event, once, and the row is what the provider has said last.
void subscription_promises::check_history(const sandbox_enrollment& row) {
  const auto& history = said_[testing::memory_store::id(row.key)];
  if (history.empty()) return;
  const auto found = rows_.subscriptions.find(testing::memory_store::id(row.what.key));
  if (found == rows_.subscriptions.end()) return all_.break_("the provider has a subscription that nobody knows");
  const auto& known = found->second;
  for (const auto& [id, n] : history)
    if (!delivered_.contains(event_of(n))) all_.break_(known.key.id + ": " + event_of(n) + " is never told");
  const auto last = sandbox_machine::projection_of(row.what);
  if (known.state != last)
    all_.break_(known.key.id + " is " + std::string{to_string(known.state.status)} +
                ", and not what the provider says: " + std::string{to_string(last.status)});
}

void subscription_promises::check_invoices(const sandbox_enrollment& row) {
  struct invoice {
    unsigned failed = 0, paid = 0;
    std::int64_t amount = 0;
  };
  std::map<std::string, invoice> invoices;
  for (const auto& [id, n] : said_[testing::memory_store::id(row.key)]) {
    if (!n.invoice) continue;
    auto& one = invoices[n.invoice->id];
    (n.kind == notification_kind::invoice_paid ? one.paid : one.failed) += 1;
    one.amount = n.invoice->amount.minor;
  }
  for (const auto& [id, said] : invoices) {
    const auto key = payment_key(row.key.merchant, row.key.env, cycle_payment_id(id));
    const auto found = rows_.payments.find(testing::memory_store::id(key));
    if (found == rows_.payments.end()) {
      all_.break_(id + " is " + (said.paid > 0 ? "paid" : "tried") + ", and there is no payment of it");
      continue;
    }
    const auto& its = found->second;
    if (its.captured != (said.paid > 0 ? said.amount : 0) || (said.paid == 0) != (its.state == payment_state::failed))
      all_.break_(its.key.id + " is " + std::string{to_string(its.state)} + ", and its invoice is not");
    unsigned declined = 0;
    for (const auto& [seq, entry] : rows_.timelines.at(found->first))
      if (is_charge(entry) && entry.status == "declined") ++declined;
    if (declined != said.failed)
      all_.break_(its.key.id + " was declined " + std::to_string(declined) + " times, and its invoice " +
                  std::to_string(said.failed) + " times");
  }
}

}  // namespace gateway::simulation
