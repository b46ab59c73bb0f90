// The purge of payments that have ended. It walks through the index by age, merchant by merchant, so that no payment
// needs an index of its last change, which each step of each payment would have to update.
#include <algorithm>

#include "gateway/base/log.hpp"
#include "gateway/domain/payment_end.hpp"
#include "persistence/tables/queries.hpp"
#include "persistence/tables/unit_rows.hpp"

namespace gateway::persistence {

namespace {

/// A payment takes some ten statements, so one transaction purges few.
constexpr std::size_t most_payments_of_step = 16;
/// How many ids one statement looks up in MySQL. On SQLite each id has a statement: there is no round trip to save.
constexpr std::size_t ids_at_once = 16;

template <class Columns, class Key>
void purged_payment_columns(Columns& v, Key& key) {
  v.key("merchant_id", key.merchant);
  v.key("environment", key.env);
  v.key("payment_id", key.id);
}

const table_columns purged_payments_table{"purged_payments", [](column_names& v) {
                                            const entity_key any{};
                                            purged_payment_columns(v, any);
                                          }};

const statement read_pending_delivery = sql(R"sql(
  SELECT 1 FROM deliveries {by deliveries_of_subject} WHERE merchant_id = ? AND subject_id = ? AND environment = ?
  AND subject_kind = 'payment' AND status = 'pending' LIMIT 1
)sql");

// A claim: a payment that has changed since it was read stays.
const statement delete_payment = sql(R"sql(
  DELETE FROM payments WHERE merchant_id = ? AND environment = ? AND payment_id = ? AND version = ?
)sql");
const statement delete_attempts = sql(R"sql(
  DELETE FROM attempts WHERE merchant_id = ? AND environment = ? AND subject_kind = 'payment' AND subject_id = ?
)sql");
const statement delete_events = sql(R"sql(
  DELETE FROM events WHERE merchant_id = ? AND environment = ? AND subject_kind = 'payment' AND subject_id = ?
)sql");
const statement delete_customer_payment = sql(R"sql(
  DELETE FROM customer_payments WHERE merchant_id = ? AND environment = ? AND platform_id = ? AND customer_ref = ?
  AND created_at = ? AND payment_id = ?
)sql");
const statement delete_dispute =
    sql("DELETE FROM disputes WHERE merchant_id = ? AND environment = ? AND dispute_id = ?");
const statement delete_sandbox_event =
    sql("DELETE FROM sandbox_events WHERE merchant_id = ? AND environment = ? AND event_id = ?");

}  // namespace

namespace statements {

const statement next_merchant_with_payments = sql(R"sql(
  SELECT merchant_id FROM payments {by payments_by_age} WHERE merchant_id > ? ORDER BY merchant_id LIMIT 1
)sql");
// has_ended() checks the state, too. The condition here avoids reading most other payments as a whole.
const statement read_old_payments = sql(R"sql(
  SELECT created_at, payment_id, CASE WHEN updated_at < ? AND open_command IS NULL AND due_at IS NULL
    AND state NOT IN ('created', 'processing', 'authorized') THEN 1 ELSE 0 END
  FROM payments {by payments_by_age}
  WHERE merchant_id = ? AND environment = ? AND created_at >= ? AND created_at < ? AND (created_at > ? OR payment_id > ?)
  ORDER BY created_at, payment_id LIMIT ?
)sql");
const statement delete_deliveries_of_payment = sql(R"sql(
  DELETE FROM deliveries {INDEXED BY deliveries_of_subject|} WHERE merchant_id = ? AND subject_id = ?
  AND environment = ? AND subject_kind = 'payment'
)sql");

}  // namespace statements

namespace {

std::string rows_of_ids() {
  std::string text;
  for (std::size_t i = 0; i < ids_at_once; ++i) text += i == 0 ? "(?, ?, ?)" : ", (?, ?, ?)";
  return text;
}

const statement find_purged = sql(
    "SELECT 1 FROM purged_payments WHERE merchant_id = ? AND environment = ? AND payment_id = ?",
    "SELECT 1 FROM purged_payments WHERE (merchant_id, environment, payment_id) IN (" + rows_of_ids() + ") LIMIT 1");
const statement find_any_purged = sql("SELECT 1 FROM purged_payments LIMIT 1");

bool finds(db_connection& db, const statement& what, std::span<const cell> parameters) {
  bool found = false;
  db.read(what, parameters, [&](const result_row&) { found = true; });
  return found;
}

class payment_purge {
 public:
  payment_purge(db_connection& db, const purge_commands& what, purge_result& answer)
      : db_(db), before_(*what.payments), limit_(what.limit), answer_(answer), at_(answer.payments_behind) {}

  void run() {
    answer_.payments_left = true;
    while (has_room()) {
      if (at_.merchant.empty() && !go_to_next_merchant()) return end();
      if (look_at_some()) continue;
      if (!go_on()) return end();
    }
  }

 private:
  struct looked_at {
    std::int64_t created_ms = 0;
    std::string id;
    bool may_have_ended = false;
  };

  bool has_room() const { return answer_.payments < limit_ && answer_.purged_payments.size() < most_payments_of_step; }

  void end() {
    answer_.payments_left = false;
    at_ = {};
  }

  /// Moves to the other environment, or to the next merchant. False if there is none.
  bool go_on() {
    if (at_.env == environment::live) {
      at_.env = environment::test;
      at_.created_at = time_point::min();
      at_.payment_id.clear();
      return true;
    }
    return go_to_next_merchant();
  }

  bool go_to_next_merchant() {
    ++answer_.payments;
    const cell behind[] = {std::string_view{at_.merchant.value}};
    std::string next;
    db_.read(statements::next_merchant_with_payments, behind, [&](const result_row& row) { next = row.text(0); });
    at_ = {merchant_id{next}};
    return !next.empty();
  }

  /// Examines the next payments of the merchant. False if none is left.
  bool look_at_some() {
    const auto from = std::max<std::int64_t>(to_unix_ms(at_.created_at), 0);
    const auto asked = static_cast<std::int64_t>(limit_ - answer_.payments);
    const auto before = to_unix_ms(before_);
    const cell parameters[] = {before,
                               std::string_view{at_.merchant.value},
                               to_string(at_.env),
                               from,
                               before,
                               from,
                               std::string_view{at_.payment_id},
                               asked};
    std::vector<looked_at> rows;
    db_.read(statements::read_old_payments, parameters,
             [&](const result_row& row) { rows.push_back({row.integer(0), row.text(1), row.integer(2) != 0}); });
    for (auto& row : rows) {
      if (!has_room()) return true;
      ++answer_.payments;
      at_.created_at = from_unix_ms(row.created_ms);
      at_.payment_id = std::move(row.id);
      if (row.may_have_ended) purge(payment_key(at_.merchant, at_.env, payment_id{at_.payment_id}));
    }
    return static_cast<std::int64_t>(rows.size()) == asked;
  }

  void purge(const entity_key& key) {
    try {
      const auto row = read_payment_row(db_, key);
      const auto* found = row ? std::get_if<payment_ptr>(&*row) : nullptr;
      if (!found || (*found)->updated_at >= before_ || !has_ended(**found) || has_pending_delivery(key)) return;
      if (!claim(**found)) return;
      delete_what_belongs_to(**found);
      answer_.purged_payments.push_back(key);
    } catch (const corrupt_row& error) {
      log::error("store.corrupt_row", {{"why", error.what()}, {"entry", key.id}});  // it stays for an operator
    }
  }

  bool has_pending_delivery(const entity_key& key) {
    const cell of[] = {std::string_view{key.merchant.value}, std::string_view{key.id}, to_string(key.env)};
    return finds(db_, read_pending_delivery, of);
  }

  bool claim(const payment& p) {
    const cell row[] = {std::string_view{p.key.merchant.value}, to_string(p.key.env), std::string_view{p.key.id},
                        p.version};
    return db_.change(delete_payment, row) == 1;
  }

  void delete_what_belongs_to(const payment& p) {
    const std::string_view merchant = p.key.merchant.value, env = to_string(p.key.env), id = p.key.id;
    const cell key[] = {merchant, env, id};
    db_.change(delete_attempts, key);
    db_.change(delete_events, key);
    const cell subject[] = {merchant, id, env};
    db_.change(statements::delete_deliveries_of_payment, subject);
    if (p.customer) {
      const cell entry[] = {merchant,
                            env,
                            std::string_view{p.customer->platform.value},
                            std::string_view{p.customer->ref},
                            to_unix_ms(p.created_at),
                            id};
      db_.change(delete_customer_payment, entry);
    }
    for (const auto& each : p.records.disputes) {
      const cell of[] = {merchant, env, std::string_view{each.id}};
      db_.change(delete_dispute, of);
    }
    for (std::size_t i = 1; i <= p.records.acts.size(); ++i) {
      const auto event = sandbox_event_id(p.key, i);
      const cell of[] = {merchant, env, std::string_view{event}};
      db_.change(delete_sandbox_event, of);
    }
    if (db_.write(statements::insert_purged_payment, key) != write_result::done)
      throw database_error(database_error::kind::failed, 0, "the id of a purged payment could not be stored");
  }

  db_connection& db_;
  time_point before_;
  std::uint64_t limit_;
  purge_result& answer_;
  payment_purge_position& at_;
};

}  // namespace

namespace statements {

const write_shape insert_purged_payment = purged_payments_table.insert();

}  // namespace statements

void purge_payments(db_connection& db, const purge_commands& what, purge_result& answer) {
  payment_purge{db, what, answer}.run();
}

bool any_purged(db_connection& db, const std::vector<const entity_key*>& payments) {
  const auto at_once = db.language() == dialect::sqlite ? 1 : ids_at_once;
  std::vector<cell> ids;
  for (std::size_t from = 0; from < payments.size(); from += at_once) {
    ids.clear();
    // Repeats the last id in the statement's remaining places.
    for (std::size_t i = 0; i < at_once; ++i) {
      const auto& key = *payments[std::min(from + i, payments.size() - 1)];
      ids.insert(ids.end(), {std::string_view{key.merchant.value}, to_string(key.env), std::string_view{key.id}});
    }
    if (finds(db, find_purged, ids)) return true;
  }
  return false;
}

purged_payment_lookup run(db_connection& db, const find_purged_payment& what) { return {any_purged(db, {&what.key})}; }

bool has_purged_payments(db_connection& db) { return finds(db, find_any_purged, {}); }

}  // namespace gateway::persistence
