#include "gateway/base/log.hpp"
#include "gateway/ports/store/delivery_numbers.hpp"
#include "persistence/connection/transaction.hpp"
#include "persistence/tables/queries.hpp"
#include "persistence/tables/unit_rows.hpp"

namespace gateway::persistence {

namespace {

// The largest delivery number: receivers read it from JSON, where a double keeps integers exact up to here.
constexpr std::int64_t last_number = (std::int64_t{1} << 53) - 1;

template <class Columns, class Delivery>
void delivery_columns(Columns& v, Delivery& d) {
  v.key("merchant_id", d.subject.merchant);
  v.key("delivery_id", d.id, 1, last_number);
  v.fixed("environment", d.subject.env);
  v.fixed("subject_kind", d.subject.kind);
  v.fixed("subject_id", d.subject.id);
  v.fixed("event_seq", d.event_seq);
  v.fixed("destination_id", d.to);
  v.fixed("created_at", d.created_at);
  v("status", d.status);
  v("attempts", d.attempts);
  v("round_from", d.round_from, 0, d.attempts);
  v("next_attempt_at", d.next_attempt_at);
  v.part(d.last, 5, "an attempt without its time", [&](auto& last) {
    v("last_at", last.at);
    v("last_result", last.result);
    v("last_status", last.status, 0, 999);
    v("last_took_ms", last.took_ms);
    v("last_excerpt", last.excerpt);
  });
  v.fixed("is_partial", one_or_null{d.partial});
  v("earlier_attempts", null_if_empty{d.earlier});
  v("version", d.version, 1);
}

const table_columns deliveries_table{"deliveries", [](column_names& v) {
                                       const delivery any{};
                                       delivery_columns(v, any);
                                     }};

// A job is a delivery with its event, by an outer join, so that a delivery without its event is read and reported as
// corrupt. Its last columns are the event's data, and how many bytes of the data are left out. The data may be large:
// lists omit it, and a read of due deliveries omits data above a size, which is read when it is sent.
statement job_statement(std::string_view data, std::string_view left_out, std::string_view from) {
  std::string text{"SELECT {columns d}, e.event_id, e.type, e.occurred_at, "};
  ((((text += data) += ", ") += left_out) += " FROM ") += from;
  constexpr std::string_view event = "{event}";
  text.replace(text.find(event), event.size(),
               "LEFT JOIN events AS e ON e.merchant_id = d.merchant_id AND e.environment = d.environment "
               "AND e.subject_kind = d.subject_kind AND e.subject_id = d.subject_id AND e.seq = d.event_seq");
  return sql(text, deliveries_table);
}

statement listed_jobs(std::string_view from) { return job_statement("''", "0", from); }

}  // namespace

namespace statements {

const write_shape insert_delivery = deliveries_table.insert();
const write_shape update_delivery = deliveries_table.update("version = {new} - 1", true);

// The index is named because the planner may otherwise read all deliveries ever made: neither database has statistics
// that show how few rows are pending.
const statement read_due_deliveries =
    job_statement("CASE WHEN {LENGTH(CAST(e.data AS BLOB))|LENGTH(e.data)} <= ? THEN e.data ELSE '' END",
                  "CASE WHEN {LENGTH(CAST(e.data AS BLOB))|LENGTH(e.data)} <= ? THEN 0 "
                  "ELSE {LENGTH(CAST(e.data AS BLOB))|LENGTH(e.data)} END",
                  R"sql(
  deliveries AS d {by deliveries_by_status} {event}
  WHERE d.status = 'pending' AND d.destination_id = ? AND d.next_attempt_at <= ? ORDER BY d.next_attempt_at LIMIT ?
)sql");

// All columns are in the index, so the rows are not read.
const statement read_backlog = sql(R"sql(
  SELECT destination_id, COUNT(*), MIN(next_attempt_at), MIN(delivery_id) FROM deliveries {by deliveries_by_status}
  WHERE status = 'pending' GROUP BY destination_id ORDER BY destination_id
)sql");

const statement read_delivery = job_statement("e.data", "0", "deliveries AS d {event} WHERE d.delivery_id = ?");
// Reads in descending order of the numbers until the page is full.
const statement read_deliveries = listed_jobs(R"sql(
  deliveries AS d {by deliveries_by_number} {event} WHERE d.delivery_id < ? ORDER BY d.delivery_id DESC LIMIT ?
)sql");
// Deliveries with a status, or to a destination: the numbers of the page are found in the index, and only their rows
// are read.
const statement read_deliveries_to = listed_jobs(R"sql(
  (SELECT merchant_id, delivery_id FROM deliveries {by deliveries_by_status}
   WHERE status IN (?, ?, ?) AND destination_id = ? AND delivery_id < ? ORDER BY delivery_id DESC LIMIT ?) AS chosen
  JOIN deliveries AS d ON d.merchant_id = chosen.merchant_id AND d.delivery_id = chosen.delivery_id {event}
  ORDER BY d.delivery_id DESC
)sql");
// Deliveries of a merchant's own destination: each part reads the index from its newest entry until the page is full.
// Settled deliveries have no next attempt, so their entries are in the order of the numbers. Of the pending ones, the
// newest have the latest next attempt, except for repeated attempts.
const statement read_deliveries_of_owner = listed_jobs(R"sql(
  (SELECT * FROM (SELECT merchant_id, delivery_id FROM deliveries {by deliveries_by_status}
     WHERE status = ? AND destination_id = ? AND next_attempt_at IS NULL AND merchant_id = ? AND delivery_id < ?
     ORDER BY delivery_id DESC LIMIT ?) AS taken
   UNION ALL
   SELECT * FROM (SELECT merchant_id, delivery_id FROM deliveries {by deliveries_by_status}
     WHERE status = ? AND destination_id = ? AND next_attempt_at IS NULL AND merchant_id = ? AND delivery_id < ?
     ORDER BY delivery_id DESC LIMIT ?) AS given_up
   UNION ALL
   SELECT * FROM (SELECT merchant_id, delivery_id FROM (
       SELECT merchant_id, delivery_id FROM deliveries {by deliveries_by_status}
       WHERE status = ? AND destination_id = ? AND delivery_id < ? ORDER BY next_attempt_at DESC LIMIT 10000) AS latest
     ORDER BY delivery_id DESC LIMIT ?) AS waiting) AS chosen
  JOIN deliveries AS d ON d.merchant_id = chosen.merchant_id AND d.delivery_id = chosen.delivery_id {event}
  ORDER BY d.delivery_id DESC LIMIT ?
)sql");
const statement read_deliveries_of_subject = listed_jobs(R"sql(
  deliveries AS d {by deliveries_of_subject} {event}
  WHERE d.merchant_id = ? AND d.subject_id = ? AND d.environment = ? AND d.subject_kind = ? AND d.delivery_id < ?
  ORDER BY d.delivery_id DESC LIMIT ?
)sql");

}  // namespace statements

namespace {

// Makes the same change as redelivered() in domain/webhook.hpp.
const statement redeliver_number = sql(R"sql(
  UPDATE deliveries SET status = 'pending', round_from = attempts, next_attempt_at = ?, version = version + 1
  WHERE delivery_id = ?
)sql");
const statement redeliver_failed = sql(R"sql(
  UPDATE deliveries SET status = 'pending', round_from = attempts, next_attempt_at = ?, version = version + 1
  WHERE (merchant_id, delivery_id) IN (
    SELECT merchant_id, delivery_id FROM deliveries {by deliveries_by_status}
    WHERE status = 'failed' AND destination_id = ? AND created_at >= ? AND created_at < ? LIMIT ?)
)sql",
                                       R"sql(
  UPDATE deliveries {by deliveries_by_status}
  SET status = 'pending', round_from = attempts, next_attempt_at = ?, version = version + 1
  WHERE status = 'failed' AND destination_id = ? AND created_at >= ? AND created_at < ? LIMIT ?
)sql");

// Makes the same change as dropped().
const statement drop_pending = sql(R"sql(
  UPDATE deliveries SET status = 'failed', next_attempt_at = NULL, version = version + 1
  WHERE (merchant_id, delivery_id) IN (
    SELECT merchant_id, delivery_id FROM deliveries {by deliveries_by_status}
    WHERE status = 'pending' AND destination_id = ? LIMIT ?)
)sql",
                                   R"sql(
  UPDATE deliveries {by deliveries_by_status} SET status = 'failed', next_attempt_at = NULL, version = version + 1
  WHERE status = 'pending' AND destination_id = ? LIMIT ?
)sql");

const statement read_deliveries_of_status = listed_jobs(R"sql(
  (SELECT merchant_id, delivery_id FROM deliveries {by deliveries_by_status}
   WHERE status = ? AND delivery_id < ? ORDER BY delivery_id DESC LIMIT ?) AS chosen
  JOIN deliveries AS d ON d.merchant_id = chosen.merchant_id AND d.delivery_id = chosen.delivery_id {event}
  ORDER BY d.delivery_id DESC
)sql");
const statement read_next_due = sql(R"sql(
  SELECT MIN(next_attempt_at) FROM deliveries {by deliveries_by_status}
  WHERE status = 'pending' AND destination_id = ? AND next_attempt_at > ?
)sql");
// Reads only the rows of the newest deliveries, most of which are settled.
const statement read_fresh_backlog = sql(R"sql(
  SELECT destination_id, COUNT(*), MIN(next_attempt_at), MIN(delivery_id) FROM deliveries {by deliveries_by_number}
  WHERE delivery_id >= ? AND status = 'pending' GROUP BY destination_id ORDER BY destination_id
)sql");
const statement count_deliveries_to = sql(R"sql(
  SELECT COUNT(*) FROM (SELECT 1 FROM deliveries {by deliveries_by_status}
  WHERE status = ? AND destination_id = ? LIMIT ?) AS counted
)sql");
// All columns are in the index, so the rows are not read.
const statement read_waiting = sql(R"sql(
  SELECT COUNT(*), MIN(delivery_id), MIN(next_attempt_at) FROM (
    SELECT delivery_id, next_attempt_at FROM deliveries {by deliveries_by_status}
    WHERE status = 'pending' AND destination_id = ? ORDER BY next_attempt_at LIMIT ?) AS waiting
)sql");
const statement read_old_deliveries = sql(R"sql(
  SELECT COUNT(*), MAX(delivery_id) FROM (
    SELECT delivery_id FROM deliveries {by deliveries_by_number} WHERE delivery_id > ? AND delivery_id < ?
    ORDER BY delivery_id LIMIT ?) AS old
)sql");
const statement purge_settled =
    sql("DELETE FROM deliveries WHERE delivery_id > ? AND delivery_id <= ? AND status <> 'pending'");
const statement read_delivery_destination = sql("SELECT destination_id FROM deliveries WHERE delivery_id = ?");

}  // namespace

void insert_row(gathered_rows& rows, const delivery& d) {
  column_writer v{rows.add_to(row_kind::delivery)};
  delivery_columns(v, d);
}

void claim_row(gathered_rows& rows, const delivery& d) {
  column_writer v{rows.add_to(row_kind::delivery_claim), column_writer::cells::of_change};
  delivery_columns(v, d);
}

std::size_t row_hash(const delivery& d) { return std::hash<std::int64_t>{}(d.id); }
std::size_t row_bytes(const delivery& d) {
  std::size_t bytes = 384 + (d.last ? d.last->excerpt.size() : 0);
  for (const auto& each : d.earlier) bytes += 96 + each.excerpt.size();
  return bytes;
}

namespace {

/// Whether the delivery satisfies the invariant that after_attempt(), redelivered() and dropped() keep.
bool holds_together(const delivery& d) {
  if ((d.status == delivery_status::pending) != d.next_attempt_at.has_value()) return false;
  if ((d.attempts > 0) != d.last.has_value()) return false;
  // A dropped delivery may never have been attempted, or may have been delivered before it was redelivered.
  return d.status != delivery_status::delivered || (d.last && d.last->result == attempt_result::delivered);
}

}  // namespace

delivery_job delivery_job_from(const result_row& row) {
  column_reader v{row};
  delivery_job job;
  auto& d = job.row;
  delivery_columns(v, d);
  if (!holds_together(d)) throw corrupt_row("a delivery's status, attempts and next attempt do not go together");
  auto& in = v.rest();
  if (in.skip_null()) throw corrupt_row("a delivery without its event");
  job.event.id = in.text();
  job.event.subject = d.subject;
  job.event.seq = d.event_seq;
  job.event.type = in.text();
  job.event.created = in.time();
  job.event.data = in.text();
  job.left_out = static_cast<std::size_t>(in.number("event data", 0));
  return job;
}

destination_backlog backlog_from(const result_row& row) {
  cursor in{row};
  destination_backlog b;
  b.to = destination_id{in.text()};
  b.pending = static_cast<std::uint64_t>(in.number("count"));
  const auto earliest = in.optional_time();
  if (!earliest) throw corrupt_row("pending deliveries without a next attempt");
  b.next_attempt_at = *earliest;
  b.oldest_number = in.number("delivery_id", 1, last_number);
  return b;
}

due_deliveries_lookup run(db_connection& db, const find_due_deliveries& what) {
  const std::int64_t most = what.most_data_bytes;
  const cell parameters[] = {most, most, std::string_view{what.to.value}, to_unix_ms(what.now),
                             std::int64_t{what.limit}};
  due_deliveries_lookup answer;
  db.read(statements::read_due_deliveries, parameters, [&](const result_row& row) {
    try {
      answer.jobs.push_back(delivery_job_from(row));
    } catch (const corrupt_row& error) {
      // A corrupt row is skipped, so that the rows after it are still delivered.
      log::error("store.corrupt_row", {{"why", error.what()}, {"destination", what.to.value}});
      ++answer.unreadable;
    }
  });
  db.read(read_next_due, {parameters + 2, 2}, [&](const result_row& row) {
    if (!row.is_null(0)) answer.next_due = from_unix_ms(row.integer(0));
  });
  return answer;
}

backlog_lookup run(db_connection& db, const find_backlog& what) {
  backlog_lookup answer;
  const cell from[] = {what.from_number};
  const bool all = what.from_number <= 0;
  const auto& sql = all ? statements::read_backlog : read_fresh_backlog;
  db.read(sql, all ? std::span<const cell>{} : std::span<const cell>{from}, [&](const result_row& row) {
    try {
      answer.destinations.push_back(backlog_from(row));
    } catch (const corrupt_row& error) {
      log::error("store.corrupt_row", {{"why", error.what()}});  // one destination is left out, the others stay
    }
  });
  return answer;
}

deliveries_lookup run(db_connection& db, const find_deliveries& what) {
  deliveries_lookup answer;
  const auto read = [&](const statement& sql, std::span<const cell> parameters) {
    db.read(sql, parameters, [&](const result_row& row) {
      try {
        answer.jobs.push_back(delivery_job_from(row));
      } catch (const corrupt_row& error) {
        log::error("store.corrupt_row", {{"why", error.what()}});  // the other rows of the list are still shown
      }
    });
  };
  const auto below = what.before != 0 ? what.before : no_bound;
  const std::int64_t limit = what.limit;
  if (what.id != 0) {
    const cell number[] = {what.id};
    read(statements::read_delivery, number);
  } else if (what.subject) {
    const auto& of = *what.subject;
    const cell parameters[] = {std::string_view{of.merchant.value},
                               std::string_view{of.id},
                               to_string(of.env),
                               to_string(of.kind),
                               below,
                               limit};
    read(statements::read_deliveries_of_subject, parameters);
  } else if (!what.to.value.empty() && !what.owner.value.empty()) {
    const std::string_view to = what.to.value, owner = what.owner.value;
    const auto only_if = [&](delivery_status one) {
      return !what.status || *what.status == one ? to_string(one) : std::string_view{};
    };
    const auto delivered = only_if(delivery_status::delivered), failed = only_if(delivery_status::failed),
               pending = only_if(delivery_status::pending);
    const cell parameters[] = {delivered, to,    owner,   below, limit, failed, to,   owner,
                               below,     limit, pending, to,    below, limit,  limit};
    read(statements::read_deliveries_of_owner, parameters);
  } else if (!what.to.value.empty()) {
    const auto pick = [&](delivery_status any) { return to_string(what.status.value_or(any)); };
    const cell parameters[] = {pick(delivery_status::pending),
                               pick(delivery_status::delivered),
                               pick(delivery_status::failed),
                               std::string_view{what.to.value},
                               below,
                               limit};
    read(statements::read_deliveries_to, parameters);
  } else if (what.status) {
    const cell parameters[] = {to_string(*what.status), below, limit};
    read(read_deliveries_of_status, parameters);
  } else {
    const cell parameters[] = {below, limit};
    read(statements::read_deliveries, parameters);
  }
  return answer;
}

delivery_count run(db_connection& db, const count_deliveries& what) {
  const cell parameters[] = {to_string(what.status), std::string_view{what.to.value}, std::int64_t{what.most}};
  delivery_count answer;
  db.read(count_deliveries_to, parameters,
          [&](const result_row& row) { answer.count = static_cast<std::uint64_t>(row.integer(0)); });
  return answer;
}

waiting_deliveries run(db_connection& db, const find_waiting_deliveries& what) {
  const cell parameters[] = {std::string_view{what.to.value}, std::int64_t{what.most}};
  waiting_deliveries answer;
  db.read(read_waiting, parameters, [&](const result_row& row) {
    answer.count = static_cast<std::uint64_t>(row.integer(0));
    if (row.is_null(1)) return;
    answer.oldest_number = row.integer(1);
    if (!row.is_null(2)) answer.next_attempt_at = from_unix_ms(row.integer(2));
  });
  return answer;
}

namespace {

redeliver_rows_result redeliver(db_connection& db, const redeliver_rows& what) {
  redeliver_rows_result answer;
  const auto now = to_unix_ms(what.now);
  if (what.id != 0) {
    const cell number[] = {what.id};
    db.read(read_delivery_destination, number, [&](const result_row& row) { answer.to = destination_id{row.text(0)}; });
    const cell parameters[] = {now, what.id};
    answer.changed = db.change(redeliver_number, parameters);
  } else if (what.drop) {
    const cell parameters[] = {std::string_view{what.to.value}, std::int64_t{what.limit}};
    answer.changed = db.change(drop_pending, parameters);
  } else {
    const cell parameters[] = {now, std::string_view{what.to.value},
                               bound(what.from, std::numeric_limits<std::int64_t>::min()), bound(what.until, no_bound),
                               std::int64_t{what.limit}};
    answer.changed = db.change(redeliver_failed, parameters);
  }
  return answer;
}

}  // namespace

redeliver_rows_result run(db_connection& db, const redeliver_rows& what) {
  redeliver_rows_result answer;
  in_transaction(db, [&] { answer = redeliver(db, what); });
  return answer;
}

std::uint64_t purge_deliveries(db_connection& db, time_point before, std::uint32_t limit, std::int64_t& behind) {
  const cell old[] = {behind, delivery_numbers::first_at(before), std::int64_t{limit}};
  std::uint64_t seen = 0;
  const auto from = behind;
  db.read(read_old_deliveries, old, [&](const result_row& row) {
    seen = static_cast<std::uint64_t>(row.integer(0));
    if (seen > 0) behind = row.integer(1);
  });
  const cell settled[] = {from, behind};
  if (seen > 0) db.change(purge_settled, settled);
  return seen;
}

}  // namespace gateway::persistence
