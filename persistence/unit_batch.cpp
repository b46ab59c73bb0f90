#include "persistence/unit_batch.hpp"

#include <algorithm>
#include <unordered_set>

#include "gateway/base/log.hpp"
#include "persistence/rows.hpp"

namespace gateway::persistence {

namespace {

using units_view = std::span<const unit_of_work>;

/// What a failed write of one unit means for it. A broken constraint is a defect of the gateway or a value that
/// the schema has no room for: nothing was stored, and `unavailable` makes the owner read the truth again.
commit_outcome meaning(write_result result, commit_outcome of_duplicate) {
  switch (result) {
    case write_result::done: return commit_outcome::committed;
    case write_result::duplicate: return of_duplicate;
    case write_result::missed: return commit_outcome::lost_claim;
    case write_result::rejected: break;
  }
  return commit_outcome::unavailable;
}

/// The payment that the unit's timeline entries belong to.
const payment_key* payment_of(const unit_of_work& unit) noexcept {
  if (unit.update_payment) return &unit.update_payment->key;
  return unit.insert_payment ? &unit.insert_payment->key : nullptr;
}

commit_outcome apply_change(db_connection& db, const directory_change& change) {
  using enum commit_outcome;
  const auto write = [&](const write_shape& shape, auto append, const auto& value) {
    row_buffer row;
    append(row, value);
    return meaning(db.write(shape, row.cells()), duplicate_record);
  };
  struct visitor {
    decltype(write)& put;
    db_connection& db;
    commit_outcome operator()(const save_merchant& m) const {
      return put(statements::insert_merchant, insert_merchant_row, m);
    }
    commit_outcome operator()(const save_api_key& k) const {
      return put(statements::insert_api_key, insert_api_key_row, k);
    }
    commit_outcome operator()(const save_user& u) const { return put(statements::put_user, put_user_row, u); }
    commit_outcome operator()(const save_connection& c) const {
      return put(statements::put_connection, put_connection_row, c);
    }
    commit_outcome operator()(const save_route& r) const { return put(statements::put_route, put_route_row, r); }
    commit_outcome operator()(const spend_setup_token& t) const {
      return put(statements::insert_setup_token, insert_setup_token_row, t);
    }
    commit_outcome operator()(const save_destination& d) const {
      return put(statements::put_destination, put_destination_row, d);
    }
    commit_outcome operator()(const revoke_api_key& k) const {
      // Revoking what is revoked changes nothing and is no error: the first time stands.
      const cell parameters[] = {to_unix_ms(k.revoked_at), std::string_view{k.merchant.value},
                                 std::string_view{k.id.value}};
      db.change(statements::revoke_api_key, parameters);
      return committed;
    }
  };
  return std::visit(visitor{write, db}, change);
}

/// The rows of several units, by statement.
struct gathered_rows {
  row_buffer commands, payments, payment_updates, finished_commands, attempts, events, deliveries, delivery_updates;

  explicit gathered_rows(units_view units) {
    for (const auto& unit : units) {
      if (unit.insert_command) insert_command_row(commands, *unit.insert_command);
      if (unit.insert_payment) insert_payment_row(payments, *unit.insert_payment);
      if (unit.update_payment) update_payment_row(payment_updates, *unit.update_payment);
      if (unit.finish_command) finish_command_row(finished_commands, *unit.finish_command);
      if (const auto* key = payment_of(unit))
        for (const auto& entry : unit.entries) {
          if (entry.kind == timeline_kind::attempt) {
            insert_attempt_row(attempts, *key, entry);
          } else {
            insert_event_row(events, *key, entry);
          }
        }
      for (const auto& fresh : unit.deliveries) insert_delivery_row(deliveries, fresh);
      for (const auto& changed : unit.update_deliveries) update_delivery_row(delivery_updates, changed);
    }
  }
};

/// Writes all units or stops at the first statement that fails, which is the outcome if there is one unit.
/// The order decides which failure of a unit counts: a taken idempotency key before a taken payment_id.
commit_outcome apply(db_connection& db, units_view units) {
  using enum commit_outcome;
  const gathered_rows rows{units};
  struct step {
    const write_shape& shape;
    const row_buffer& rows;
    commit_outcome of_duplicate;
  };
  const step steps[] = {
      {statements::insert_command, rows.commands, duplicate_command},
      {statements::insert_payment, rows.payments, payment_exists},
      {statements::update_payment, rows.payment_updates, lost_claim},
      {statements::finish_command, rows.finished_commands, lost_claim},
      {statements::insert_attempt, rows.attempts, lost_claim},
      {statements::insert_event, rows.events, lost_claim},
      {statements::insert_delivery, rows.deliveries, lost_claim},
      {statements::update_delivery, rows.delivery_updates, lost_claim},
  };
  for (const auto& [shape, of_shape, of_duplicate] : steps) {
    if (of_shape.empty()) continue;
    const auto outcome = meaning(db.write(shape, of_shape.cells()), of_duplicate);
    if (outcome == unavailable && units.size() == 1) log::error("store.row_rejected", {{"table", shape.table}});
    if (outcome != committed) return outcome;
  }
  for (const auto& unit : units)
    for (const auto& change : unit.changes)
      if (const auto outcome = apply_change(db, change); outcome != committed) return outcome;
  return committed;
}

/// Splits a batch so that no part touches a payment, an idempotency key or a delivery twice: within a part the order of
/// the units does not matter, and the parts follow one another. Equal hashes of different keys only split more.
std::vector<units_view> independent_parts(units_view units) {
  std::vector<units_view> parts;
  std::unordered_set<std::size_t> touched;
  touched.reserve(units.size() * 2);
  std::size_t start = 0;
  std::vector<std::size_t> mine;
  const auto note = [&mine](std::size_t hash) { mine.push_back(hash); };
  for (std::size_t i = 0; i < units.size(); ++i) {
    const auto& unit = units[i];
    mine.clear();
    if (unit.insert_payment) note(std::hash<payment_key>{}(unit.insert_payment->key));
    if (unit.update_payment) note(std::hash<payment_key>{}(unit.update_payment->key));
    if (unit.insert_command) note(std::hash<command_key>{}(unit.insert_command->key));
    if (unit.finish_command) note(std::hash<command_key>{}(unit.finish_command->key));
    for (const auto& fresh : unit.deliveries) note(std::hash<std::int64_t>{}(fresh.id));
    for (const auto& changed : unit.update_deliveries) note(std::hash<std::int64_t>{}(changed.id));
    if (std::ranges::any_of(mine, [&](std::size_t hash) { return touched.contains(hash); })) {
      parts.push_back(units.subspan(start, i - start));
      start = i;
      touched.clear();
    }
    touched.insert(mine.begin(), mine.end());
  }
  if (start < units.size()) parts.push_back(units.subspan(start));
  return parts;
}

/// Finds the units that cannot commit by halving, so that one of them among n costs some 2·log n passes, not n.
void settle(db_connection& db, units_view units, commit_outcome* outcomes) {
  db.execute("SAVEPOINT part");
  const auto outcome = apply(db, units);
  if (outcome != commit_outcome::committed) db.execute("ROLLBACK TO SAVEPOINT part");
  db.execute("RELEASE SAVEPOINT part");
  if (outcome == commit_outcome::committed || units.size() == 1) {
    std::fill_n(outcomes, units.size(), outcome);
    return;
  }
  const auto half = units.size() / 2;
  settle(db, units.first(half), outcomes);
  settle(db, units.subspan(half), outcomes + half);
}

std::vector<commit_outcome> commit_in_one(db_connection& db, units_view units) {
  std::vector<commit_outcome> outcomes(units.size(), commit_outcome::committed);
  const auto parts = independent_parts(units);
  db.begin();
  const bool all_apply = std::ranges::all_of(parts, [&](units_view part) {
    const auto outcome = apply(db, part);
    if (units.size() == 1) outcomes.front() = outcome;
    return outcome == commit_outcome::committed;
  });
  if (!all_apply) {
    db.rollback();
    if (units.size() == 1) return outcomes;
    db.begin();
    for (const auto part : parts) settle(db, part, outcomes.data() + (part.data() - units.data()));
  }
  db.commit();
  return outcomes;
}

}  // namespace

std::vector<commit_outcome> commit_units(db_connection& db, units_view units) {
  try {
    return commit_in_one(db, units);
  } catch (const database_error&) {
    db.rollback();
    throw;
  }
}

std::size_t estimated_bytes(const unit_of_work& unit) noexcept {
  std::size_t bytes = 256;
  const auto add_payment = [&](const payment& p) {
    bytes += 512 + p.hosted_url.size() + p.details.description.size() + p.details.success_url.size() +
             p.details.cancel_url.size();
    for (const auto& [name, value] : p.details.metadata) bytes += name.size() + value.size() + 8;
  };
  if (unit.insert_payment) add_payment(*unit.insert_payment);
  if (unit.update_payment) add_payment(*unit.update_payment);
  if (const auto& command = unit.insert_command)
    bytes += 256 + command->reason.size() + (command->result ? command->result->body.size() : 0);
  if (unit.finish_command && unit.finish_command->result) bytes += unit.finish_command->result->body.size();
  for (const auto& entry : unit.entries) bytes += 256 + entry.message.size() + entry.event_data.size();
  const auto add_deliveries = [&](const std::vector<delivery>& rows) {
    for (const auto& row : rows) bytes += 384 + (row.last ? row.last->excerpt.size() : 0);
  };
  add_deliveries(unit.deliveries);
  add_deliveries(unit.update_deliveries);
  return bytes;
}

}  // namespace gateway::persistence
