#include "gateway/base/log.hpp"
#include "persistence/connection/transaction.hpp"
#include "persistence/tables/queries.hpp"
#include "persistence/tables/unit_rows.hpp"

namespace gateway::persistence {

namespace {

template <class Columns, class Key>
void command_key_columns(Columns& v, Key& key) {
  v.given("merchant_id", key.merchant);
  v.given("environment", key.env);
  v.given("principal", key.principal);
  v.given("idempotency_key", key.key);
}

/// The stored answer. All its columns are NULL while the command is open; an answer without its time is corrupt, and so
/// is a time alone.
template <class Row>
struct answer_body {
  Row& row;
};
template <class Row>
void put(row_buffer& to, const answer_body<Row>& value) {
  value.row.result ? to.add(value.row.result->body) : to.null();
}
void get(cursor& in, const answer_body<command_record>& value, const char*) {
  value.row.result.emplace().body = in.text();
}

template <class Row>
struct answer_time {
  Row& row;
};
template <class Row>
void put(row_buffer& to, const answer_time<Row>& value) {
  value.row.result ? put(to, value.row.finished_at) : static_cast<void>(to.null());
}
void get(cursor& in, const answer_time<command_record>& value, const char*) {
  value.row.finished_at = in.optional_time();
}

template <class Row>
struct answer_status {
  Row& row;
};
template <class Row>
void put(row_buffer& to, const answer_status<Row>& value) {
  value.row.result ? to.add(std::int64_t{value.row.result->status}) : to.null();
}
void get(cursor& in, const answer_status<command_record>& value, const char* name) {
  auto& result = value.row.result;
  if (in.skip_null())
    result.reset();
  else
    result->status = in.number<std::uint16_t>(name, 200, 599);
  if (result.has_value() != value.row.finished_at.has_value()) throw corrupt_row("an answer and its time go together");
}

template <class Columns, class Row>
void answer_columns(Columns& v, Row& row) {
  v("body", answer_body<Row>{row});
  v("finished_at", answer_time<Row>{row});
  v("status", answer_status<Row>{row});
}

template <class Columns, class Command>
void command_columns(Columns& v, Command& c) {
  command_key_columns(v, c.key);
  v.fixed("fingerprint", c.fingerprint);
  v.fixed("operation", c.operation);
  v.fixed("subject_kind", c.subject_kind);
  v.fixed("subject_id", c.subject_id);
  v.fixed("amount", c.amount);
  v.fixed("reason", c.reason);
  v.fixed("created_at", c.created_at);
  v.fixed("request_id", c.request_id);
  answer_columns(v, c);
}

const table_columns commands_table{"commands", [](column_names& v) {
                                     const command_record any{};
                                     command_columns(v, any);
                                   }};

}  // namespace

namespace statements {

const write_shape insert_command = commands_table.insert();
const write_shape finish_command = commands_table.update("status IS NULL");

const statement read_command = sql(R"sql(
  SELECT {columns} FROM commands
  WHERE merchant_id = ? AND environment = ? AND principal = ? AND idempotency_key = ?
)sql",
                                   commands_table);

// Reads all commands of the merchant's environment: only erasure uses it.
const statement read_commands_of = sql(R"sql(
  SELECT {columns}, principal, idempotency_key FROM commands
  WHERE merchant_id = ? AND environment = ? AND subject_kind = ? AND subject_id = ? ORDER BY created_at
)sql",
                                       commands_table);

const statement read_oldest_command = sql("SELECT MIN(created_at) FROM commands");

// The index is named because the planner may otherwise read and sort all commands for each step, for instance when most
// are old enough. Some builds of SQLite have no DELETE … LIMIT, so rows are found by their rowid, which is in the
// index. MySQL has no LIMIT inside IN, and accepts an index's name only in a SELECT.
const statement purge_commands = sql(R"sql(
  DELETE FROM commands WHERE rowid IN (
    SELECT rowid FROM commands {by commands_by_age}
    WHERE created_at < ? AND status IS NOT NULL ORDER BY created_at LIMIT ?)
)sql",
                                     R"sql(
  DELETE c FROM (
    SELECT merchant_id, environment, principal, idempotency_key FROM commands {by commands_by_age}
    WHERE created_at < ? AND status IS NOT NULL ORDER BY created_at LIMIT ?) AS old
  STRAIGHT_JOIN commands AS c ON c.merchant_id = old.merchant_id AND c.environment = old.environment
    AND c.principal = old.principal AND c.idempotency_key = old.idempotency_key
)sql");

}  // namespace statements

void insert_row(gathered_rows& rows, const command_record& c) {
  column_writer v{rows.add_to(row_kind::command)};
  command_columns(v, c);
}

void claim_row(gathered_rows& rows, const command_finish& f) {
  column_writer v{rows.add_to(row_kind::command_finish)};
  command_key_columns(v, f.key);
  answer_columns(v, f);
}

std::size_t row_hash(const command_record& c) { return std::hash<command_key>{}(c.key); }
std::size_t row_hash(const command_finish& f) { return std::hash<command_key>{}(f.key); }
std::size_t row_bytes(const command_record& c) {
  return 256 + c.reason.size() + (c.result ? c.result->body.size() : 0);
}
std::size_t row_bytes(const command_finish& f) { return f.result ? f.result->body.size() : 0; }

command_record command_from(const result_row& row, const command_key& key) {
  column_reader v{row};
  command_record c;
  c.key = key;
  command_columns(v, c);
  return c;
}

command_lookup run(db_connection& db, const find_command& what) {
  const cell key[] = {std::string_view{what.key.merchant.value}, to_string(what.key.env),
                      std::string_view{what.key.principal}, std::string_view{what.key.key}};
  command_lookup answer;
  db.read(statements::read_command, key, [&](const result_row& row) { answer.found = command_from(row, what.key); });
  return answer;
}

std::vector<command_record> read_commands_of(db_connection& db, const entity_key& of) {
  const cell parameters[] = {std::string_view{of.merchant.value}, to_string(of.env), to_string(of.kind),
                             std::string_view{of.id}};
  std::vector<command_record> found;
  db.read(statements::read_commands_of, parameters, [&](const result_row& row) {
    column_reader v{row};
    command_record c;
    command_columns(v, c);
    c.key = {of.merchant, of.env, v.rest().text(), v.rest().text()};
    found.push_back(std::move(c));
  });
  return found;
}

purge_result run(db_connection& db, const purge_commands& what) {
  const std::int64_t limit = what.limit;
  const cell commands[] = {to_unix_ms(what.before), limit};
  const cell notifications[] = {to_unix_ms(what.notifications.value_or(what.before)), limit};
  purge_result answer;
  in_transaction(db, [&] {
    answer.deleted = db.change(statements::purge_commands, commands);
    answer.notifications = db.change(statements::purge_notifications, notifications);
    if (what.events) answer.events = purge_events(db, *what.events, what.limit);
    answer.deliveries_behind = what.deliveries_behind;
    if (what.deliveries)
      answer.deliveries = purge_deliveries(db, *what.deliveries, what.limit, answer.deliveries_behind);
  });
  // Each in a transaction of its own: writers lock payments and the ends of chains in the other order.
  answer.payments_behind = what.payments_behind;
  if (what.payments) in_transaction(db, [&] { purge_payments(db, what, answer); });
  if (what.audit) {
    std::vector<audit_head> moved;
    in_transaction(db, [&] { moved = purge_audit(db, *what.audit, what.limit, answer.audit); });
    // The process log records what the purge deleted, as it records the chains' ends.
    for (const auto& head : moved)
      log::info("audit_purged", {{"chain", head.chain}, {"number", head.purged_to}, {"hash", head.purged_hash}});
  }
  return answer;
}

std::optional<time_point> oldest_command(db_connection& db) {
  std::optional<time_point> at;
  db.read(statements::read_oldest_command, {}, [&](const result_row& row) {
    if (!row.is_null(0)) at = from_unix_ms(row.integer(0));
  });
  db.rollback();  // on a writing connection a read begins a transaction
  return at;
}

}  // namespace gateway::persistence
