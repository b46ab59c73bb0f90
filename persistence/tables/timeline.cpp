// The timelines of entities: attempts at providers, and events.
#include "persistence/tables/queries.hpp"
#include "persistence/tables/unit_rows.hpp"

namespace gateway::persistence {

namespace {

template <class Columns, class Subject>
void subject_columns(Columns& v, Subject& subject) {
  v.key("merchant_id", subject.merchant);
  v.key("environment", subject.env);
  v.key("subject_kind", subject.kind);
  v.key("subject_id", subject.id);
}

template <class Columns, class Subject, class Entry>
void attempt_columns(Columns& v, Subject& subject, Entry& e) {
  subject_columns(v, subject);
  v.key("seq", e.seq);
  v.fixed("operation", e.operation);
  v.fixed("status", e.status);
  v.fixed("error_code", e.error_code);
  v.fixed("message", e.message);
  v.fixed("occurred_at", e.occurred_at);
  v.fixed("origin", e.by);
}

template <class Columns, class Subject, class Entry, class Position>
void event_columns(Columns& v, Subject& subject, Entry& e, Position& log_position) {
  subject_columns(v, subject);
  v.key("seq", e.seq);
  v.fixed("type", e.operation);
  v.fixed("status", e.status);
  v.fixed("occurred_at", e.occurred_at);
  v.fixed("event_id", e.event_id);
  v.fixed("data", e.event_data);
  v.fixed("origin", e.by);
  v.fixed("log_position", log_position);
}

/// The columns that a list of events shows.
template <class Columns, class Event>
void event_record_columns(Columns& v, Event& e) {
  subject_columns(v, e.subject);
  v.key("seq", e.seq);
  v.fixed("event_id", e.id);
  v.fixed("type", e.type);
  v.fixed("occurred_at", e.created);
  v.fixed("data", e.data);
}

const table_columns attempts_table{"attempts", [](column_names& v) {
                                     const entity_key of{};
                                     const timeline_entry any{};
                                     attempt_columns(v, of, any);
                                   }};
const table_columns events_table{"events", [](column_names& v) {
                                   const entity_key of{};
                                   const timeline_entry any{};
                                   const std::int64_t position = 0;
                                   event_columns(v, of, any, position);
                                 }};
const table_columns event_records{"events", [](column_names& v) {
                                    const event_record any{};
                                    event_record_columns(v, any);
                                  }};

}  // namespace

namespace statements {

const write_shape insert_attempt = attempts_table.insert();
const write_shape insert_event = events_table.insert();

const statement read_events = sql(R"sql(
  SELECT {columns} FROM events WHERE merchant_id = ? AND environment IN (?, ?)
  AND occurred_at < ? ORDER BY occurred_at DESC, environment DESC, subject_kind DESC, subject_id DESC, seq DESC
  LIMIT ?
)sql",
                                  event_records);
// The + keeps SQLite from using the index on the time: an entity has few events, which are adjacent in the primary key.
const statement read_events_of_subject = sql(R"sql(
  SELECT {columns} FROM events WHERE merchant_id = ? AND environment IN (?, ?) AND subject_kind = ? AND subject_id = ?
  AND +occurred_at < ? ORDER BY +occurred_at DESC, environment DESC, seq DESC LIMIT ?
)sql",
                                             event_records);

const statement read_events_of_id = sql(R"sql(
  SELECT {columns} FROM events {by events_by_id} WHERE event_id = ? LIMIT ?
)sql",
                                        event_records);

}  // namespace statements

namespace {

const statement read_timeline = sql(R"sql(
  SELECT seq, 0 AS is_event, operation AS what, status, error_code, message, occurred_at, '' AS event_id, '' AS data,
  origin
  FROM attempts WHERE merchant_id = ? AND environment = ? AND subject_kind = ? AND subject_id = ?
  UNION ALL
  SELECT seq, 1, type, status, '', '', occurred_at, event_id, data, origin
  FROM events WHERE merchant_id = ? AND environment = ? AND subject_kind = ? AND subject_id = ? ORDER BY seq
)sql");

}  // namespace

void insert_entry(gathered_rows& rows, const entity_key& subject, const timeline_entry& e) {
  if (e.kind == timeline_kind::attempt) {
    column_writer v{rows.add_to(row_kind::attempt)};
    attempt_columns(v, subject, e);
  } else {
    rows.log(subject, e);
  }
}

void insert_event(gathered_rows& rows, const entity_key& subject, const timeline_entry& e, std::int64_t position) {
  column_writer v{rows.add_to(row_kind::event)};
  event_columns(v, subject, e, position);
}

std::size_t row_bytes(const timeline_entry& e) { return 256 + e.message.size() + e.event_data.size(); }

timeline_entry timeline_entry_from(const result_row& row) {
  cursor in{row};
  timeline_entry e;
  e.seq = in.number<std::uint32_t>("seq");
  e.kind = in.flag("is_event") ? timeline_kind::event : timeline_kind::attempt;
  e.operation = in.text();
  e.status = in.text();
  e.error_code = in.text();
  e.message = in.text();
  e.occurred_at = in.time();
  e.event_id = in.text();
  e.event_data = in.text();
  // Rows older than the column have no origin; most were requested by API.
  if (!in.skip_null()) get(in, e.by, "origin");
  return e;
}

event_record event_from(const result_row& row) {
  column_reader v{row};
  event_record e;
  event_record_columns(v, e);
  return e;
}

timeline_lookup run(db_connection& db, const find_timeline& what) {
  const std::string_view merchant = what.key.merchant.value, env = to_string(what.key.env), id = what.key.id;
  const auto kind = to_string(what.key.kind);
  const cell keys[] = {merchant, env, kind, id, merchant, env, kind, id};
  timeline_lookup answer;
  read_into(db, read_timeline, keys, answer.entries, timeline_entry_from);
  return answer;
}

events_by_id_lookup run(db_connection& db, const find_events_by_id& what) {
  const cell parameters[] = {std::string_view{what.event_id}, std::int64_t{what.limit}};
  events_by_id_lookup answer;
  read_into(db, statements::read_events_of_id, parameters, answer.events, event_from);
  return answer;
}

events_lookup run(db_connection& db, const find_events& what) {
  const std::string_view merchant = what.merchant.value, subject = what.subject;
  const auto first = to_string(what.env.value_or(environment::test)),
             second = to_string(what.env.value_or(environment::live));
  const auto before = bound(what.before, no_bound);
  const std::int64_t limit = what.limit;
  events_lookup answer;
  if (subject.empty()) {
    const cell parameters[] = {merchant, first, second, before, limit};
    read_into(db, statements::read_events, parameters, answer.events, event_from);
  } else {
    const cell parameters[] = {merchant, first, second, to_string(what.kind), subject, before, limit};
    read_into(db, statements::read_events_of_subject, parameters, answer.events, event_from);
  }
  return answer;
}

}  // namespace gateway::persistence
