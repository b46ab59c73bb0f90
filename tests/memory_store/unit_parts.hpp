// A unit of work's rows by name: tests write units with it, and read the units of others.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "gateway/ports/store/store.hpp"

namespace gateway::testing {

struct unit_parts {
  std::optional<unit_kind> kind;  ///< empty: the kind that a unit with these rows has
  std::optional<payment> insert_payment;
  std::optional<payment> update_payment;
  std::optional<grant_binding> insert_binding;
  std::optional<grant_binding> update_binding;
  std::optional<customer> insert_customer;
  std::optional<customer> update_customer;
  std::optional<subscription> insert_subscription;
  std::optional<subscription> update_subscription;
  std::optional<sandbox_enrollment> insert_enrollment;
  std::optional<sandbox_enrollment> update_enrollment;
  std::optional<notification> insert_notification;
  std::optional<notification> update_notification;
  std::vector<counted_event> counted_events;
  std::vector<past_grant> past_grants;
  std::optional<command_record> insert_command;
  std::optional<command_finish> finish_command;
  std::vector<timeline_entry> entries;  ///< of the inserted or updated entity
  std::vector<delivery> deliveries;
  std::vector<delivery> update_deliveries;
  std::vector<inserted_row> records;  ///< of the directory
  std::optional<revoke_api_key> revoked;
  std::vector<claimed_row> record_claims;  ///< of the directory, all but `revoked`
  std::optional<time_point> last_seen;
  std::vector<save_fact> facts;
  std::vector<ledger_entry> ledger;
  std::vector<count_daily> totals;
  std::vector<dispute_entry> disputes;
  std::vector<save_event_position> event_positions;
  std::vector<sandbox_event> sandbox_events;
  std::vector<destination_health> health;
  std::vector<directory_change> changes;
  std::optional<directory_turn> turn;

  unit_parts() = default;

  explicit unit_parts(const unit_of_work& unit) : kind{unit.kind} {
    for (const auto& row : unit.inserts) std::visit([this](const auto& one) { insert(one); }, row);
    for (const auto& row : unit.claims) std::visit([this](const auto& one) { claim(one); }, row);
  }

  /// The payment that is inserted or updated; null if none is.
  const payment* changed() const noexcept {
    return insert_payment ? &*insert_payment : update_payment ? &*update_payment : nullptr;
  }

  /// The binding that is inserted or updated; null if none is.
  const grant_binding* changed_binding() const noexcept {
    return insert_binding ? &*insert_binding : update_binding ? &*update_binding : nullptr;
  }

  /// The customer that is inserted or updated; null if none is.
  const customer* changed_customer() const noexcept {
    return insert_customer ? &*insert_customer : update_customer ? &*update_customer : nullptr;
  }

  /// The subscription that is inserted or updated; null if none is.
  const subscription* changed_subscription() const noexcept {
    return insert_subscription ? &*insert_subscription : update_subscription ? &*update_subscription : nullptr;
  }

  /// The enrollment that is inserted or updated; null if none is.
  const sandbox_enrollment* changed_enrollment() const noexcept {
    return insert_enrollment ? &*insert_enrollment : update_enrollment ? &*update_enrollment : nullptr;
  }

  /// The notification that is inserted or updated; null if none is.
  const notification* changed_notification() const noexcept {
    return insert_notification ? &*insert_notification : update_notification ? &*update_notification : nullptr;
  }

  /// The key of the entity that is inserted or updated; null if none is.
  const entity_key* subject() const noexcept {
    if (const auto* row = changed_notification()) return &row->key;
    if (const auto* row = changed_enrollment()) return &row->key;
    if (const auto* row = changed_subscription()) return &row->key;
    if (const auto* row = changed_customer()) return &row->key;
    if (const auto* row = changed_binding()) return &row->key;
    if (const auto* row = changed()) return &row->key;
    return nullptr;
  }

  operator unit_of_work() const {  // so that a test may hand over its parts as the unit that they make
    unit_of_work unit;
    unit.kind = kind.value_or(usual_kind());
    if (const auto* key = subject()) unit.subject = *key;
    if (insert_command) unit.inserts.emplace_back(*insert_command);
    if (insert_payment) unit.inserts.emplace_back(std::make_shared<const payment>(*insert_payment));
    if (insert_binding) unit.inserts.emplace_back(std::make_shared<const grant_binding>(*insert_binding));
    if (insert_customer) unit.inserts.emplace_back(std::make_shared<const customer>(*insert_customer));
    if (insert_subscription) unit.inserts.emplace_back(std::make_shared<const subscription>(*insert_subscription));
    if (insert_enrollment) unit.inserts.emplace_back(std::make_shared<const sandbox_enrollment>(*insert_enrollment));
    if (insert_notification) unit.inserts.emplace_back(std::make_shared<const notification>(*insert_notification));
    for (const auto& row : counted_events) unit.inserts.emplace_back(row);
    for (const auto& row : past_grants) unit.inserts.emplace_back(row);
    for (const auto& entry : entries) unit.inserts.emplace_back(entry);
    for (const auto& row : deliveries) unit.inserts.emplace_back(row);
    for (const auto& row : records) unit.inserts.push_back(row);
    if (last_seen) unit.inserts.emplace_back(save_last_seen{*last_seen});
    for (const auto& fact : facts) unit.inserts.emplace_back(fact);
    for (const auto& row : ledger) unit.inserts.emplace_back(row);
    for (const auto& added : totals) unit.inserts.emplace_back(added);
    for (const auto& row : disputes) unit.inserts.emplace_back(row);
    for (const auto& row : event_positions) unit.inserts.emplace_back(row);
    for (const auto& row : sandbox_events) unit.inserts.emplace_back(row);
    for (const auto& row : health) unit.inserts.emplace_back(row);
    for (const auto& change : changes) unit.inserts.emplace_back(change);
    if (update_payment) unit.claims.emplace_back(std::make_shared<const payment>(*update_payment));
    if (update_binding) unit.claims.emplace_back(std::make_shared<const grant_binding>(*update_binding));
    if (update_customer) unit.claims.emplace_back(std::make_shared<const customer>(*update_customer));
    if (update_subscription) unit.claims.emplace_back(std::make_shared<const subscription>(*update_subscription));
    if (update_enrollment) unit.claims.emplace_back(std::make_shared<const sandbox_enrollment>(*update_enrollment));
    if (update_notification) unit.claims.emplace_back(std::make_shared<const notification>(*update_notification));
    if (finish_command) unit.claims.emplace_back(*finish_command);
    for (const auto& row : update_deliveries) unit.claims.emplace_back(row);
    if (revoked) unit.claims.emplace_back(*revoked);
    for (const auto& row : record_claims) unit.claims.push_back(row);
    if (turn) unit.claims.emplace_back(*turn);
    return unit;
  }

 private:
  void insert(const payment_ptr& p) { insert_payment = *p; }
  void insert(const binding_ptr& b) { insert_binding = *b; }
  void insert(const customer_ptr& c) { insert_customer = *c; }
  void insert(const subscription_ptr& s) { insert_subscription = *s; }
  void insert(const enrollment_ptr& e) { insert_enrollment = *e; }
  void insert(const notification_ptr& n) { insert_notification = *n; }
  void insert(const counted_event& e) { counted_events.push_back(e); }
  void insert(const past_grant& g) { past_grants.push_back(g); }
  void insert(const command_record& c) { insert_command = c; }
  void insert(const timeline_entry& e) { entries.push_back(e); }
  void insert(const delivery& d) { deliveries.push_back(d); }
  void insert(const save_last_seen& s) { last_seen = s.at; }
  void insert(const save_fact& f) { facts.push_back(f); }
  void insert(const ledger_entry& e) { ledger.push_back(e); }
  void insert(const dispute_entry& d) { disputes.push_back(d); }
  void insert(const count_daily& c) { totals.push_back(c); }
  void insert(const save_event_position& p) { event_positions.push_back(p); }
  void insert(const sandbox_event& e) { sandbox_events.push_back(e); }
  void insert(const destination_health& h) { health.push_back(h); }
  void insert(const directory_change& c) { changes.push_back(c); }
  template <class Record>
  void insert(const Record& r) {
    records.emplace_back(r);
  }
  void claim(const payment_ptr& p) { update_payment = *p; }
  void claim(const binding_ptr& b) { update_binding = *b; }
  void claim(const customer_ptr& c) { update_customer = *c; }
  void claim(const subscription_ptr& s) { update_subscription = *s; }
  void claim(const enrollment_ptr& e) { update_enrollment = *e; }
  void claim(const notification_ptr& n) { update_notification = *n; }
  void claim(const command_finish& f) { finish_command = f; }
  void claim(const delivery& d) { update_deliveries.push_back(d); }
  void claim(const revoke_api_key& k) { revoked = k; }
  void claim(const directory_turn& t) { turn = t; }
  template <class Record>
  void claim(const Record& r) {
    record_claims.emplace_back(r);
  }

  unit_kind usual_kind() const noexcept {
    if (insert_command) return insert_command->result ? unit_kind::conclude : unit_kind::begin;
    if (update_payment) return unit_kind::finish;
    if (changed_binding() || changed_customer() || changed_subscription() || changed_enrollment() ||
        changed_notification())
      return unit_kind::conclude;
    const bool more = insert_payment || finish_command || !entries.empty() || !deliveries.empty() || !records.empty() ||
                      !counted_events.empty() || !record_claims.empty();
    const bool recorded =
        last_seen || !facts.empty() || !update_deliveries.empty() || !event_positions.empty() || !health.empty();
    return !more && recorded ? unit_kind::record : unit_kind::change;
  }
};

/// A payment's row, as read; empty if there is none, or if the row is of another kind.
inline std::optional<payment> payment_in(const entity_lookup& answer) {
  const auto* row = answer.found ? std::get_if<payment_ptr>(&*answer.found) : nullptr;
  return row ? std::optional{**row} : std::nullopt;
}

/// As payment_in.
inline std::optional<grant_binding> binding_in(const entity_lookup& answer) {
  const auto* row = answer.found ? std::get_if<binding_ptr>(&*answer.found) : nullptr;
  return row ? std::optional{**row} : std::nullopt;
}

/// As payment_in.
inline std::optional<customer> customer_in(const entity_lookup& answer) {
  const auto* row = answer.found ? std::get_if<customer_ptr>(&*answer.found) : nullptr;
  return row ? std::optional{**row} : std::nullopt;
}

/// As payment_in.
inline std::optional<subscription> subscription_in(const entity_lookup& answer) {
  const auto* row = answer.found ? std::get_if<subscription_ptr>(&*answer.found) : nullptr;
  return row ? std::optional{**row} : std::nullopt;
}

/// As payment_in.
inline std::optional<sandbox_enrollment> enrollment_in(const entity_lookup& answer) {
  const auto* row = answer.found ? std::get_if<enrollment_ptr>(&*answer.found) : nullptr;
  return row ? std::optional{**row} : std::nullopt;
}

/// As payment_in.
inline std::optional<notification> notification_in(const entity_lookup& answer) {
  const auto* row = answer.found ? std::get_if<notification_ptr>(&*answer.found) : nullptr;
  return row ? std::optional{**row} : std::nullopt;
}

}  // namespace gateway::testing
