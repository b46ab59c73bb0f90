// Reads of the log of events. Events before the position up to which the log is complete no longer change, so the
// statements of one answer need no common snapshot.
#include <algorithm>
#include <string>
#include <string_view>

#include "persistence/tables/event_log.hpp"
#include "persistence/tables/queries.hpp"
#include "persistence/tables/unit_rows.hpp"

namespace gateway::persistence {

namespace {

/// How many events one answer examines at most, if some of them may not match.
constexpr std::int64_t window = 2'000;

constexpr std::string_view by_position = "{by events_by_position}", of_merchant = "{by events_of_merchant}";

/// The window's end, and how many events it has. All columns are in the index, so the rows are not read.
statement window_statement(std::string_view index, std::string_view whose) {
  std::string text = "SELECT COALESCE(MAX(log_position), 0), COUNT(*) FROM (SELECT log_position FROM events ";
  text.append(index).append(" WHERE ").append(whose);
  text += " AND log_position > ? AND log_position < ? ORDER BY log_position LIMIT ?) AS looked_at";
  return sql(text);
}

constexpr std::string_view all_of_environment = "environment = ?",
                           all_of_merchant = "merchant_id = ? AND environment = ?";

const statement window_of_environment = window_statement(by_position, all_of_environment);
const statement window_of_merchant = window_statement(of_merchant, all_of_merchant);

/// Whether a grant let the platform read the event when it happened. Scopes are separated by blanks.
std::string granted_by(std::string_view table, dialect to) {
  std::string text = "EXISTS (SELECT 1 FROM ";
  text.append(table);
  text +=
      " AS g WHERE g.merchant_id = e.merchant_id AND g.environment = e.environment AND g.platform_id = ? "
      "AND e.occurred_at >= g.granted_at AND (g.revoked_at IS NULL OR e.occurred_at < g.revoked_at) AND ";
  return text += to == dialect::sqlite ? "INSTR(' ' || g.scopes || ' ', ' payments:read ') > 0)"
                                       : "INSTR(CONCAT(' ', g.scopes, ' '), ' payments:read ') > 0)";
}

std::string events_text(std::string_view index, std::string_view which, bool for_platform, dialect to) {
  std::string text =
      "SELECT e.merchant_id, e.environment, e.subject_kind, e.subject_id, e.seq, e.event_id, e.type, e.occurred_at, "
      "e.data, e.log_position, m.entity_id, ";
  text += for_platform ? "p.details, p.customer " : "NULL, NULL ";
  text.append("FROM events AS e ").append(index).append(" LEFT JOIN merchants AS m ON m.merchant_id = e.merchant_id ");
  if (for_platform)
    text +=
        "LEFT JOIN payments AS p ON e.subject_kind = 'payment' AND p.merchant_id = e.merchant_id "
        "AND p.environment = e.environment AND p.payment_id = e.subject_id "
        "LEFT JOIN subscriptions AS s ON e.subject_kind = 'subscription' AND s.merchant_id = e.merchant_id "
        "AND s.environment = e.environment AND s.subscription_id = e.subject_id ";
  text.append("WHERE ").append(which);
  if (for_platform) {
    text.append(" AND (").append(granted_by("grants", to)).append(" OR ").append(granted_by("past_grants", to));
    text += ") AND (e.subject_kind <> 'subscription' OR s.platform_id = ?)";
  }
  text += " AND e.occurred_at >= ? AND (? = '' OR INSTR(?, ";
  text += to == dialect::sqlite ? "',' || e.type || ','" : "CONCAT(',', e.type, ',')";
  return text += ") > 0) ORDER BY e.log_position LIMIT ?";
}

/// `which` chooses the rows of e. The parameters after its own: for a platform its id three times; the earliest time;
/// the types, each between commas, twice; the limit.
statement events_statement(std::string_view index, std::string_view which, bool for_platform) {
  return sql(events_text(index, which, for_platform, dialect::sqlite),
             events_text(index, which, for_platform, dialect::mysql));
}

constexpr std::string_view span_of_environment = "e.environment = ? AND e.log_position > ? AND e.log_position < ?",
                           span_of_merchant =
                               "e.merchant_id = ? AND e.environment = ? AND e.log_position > ? AND e.log_position < ?",
                           of_id = "e.event_id = ? AND e.environment = ? AND e.log_position > 0",
                           of_id_of_merchant =
                               "e.event_id = ? AND e.merchant_id = ? AND e.environment = ? AND e.log_position > 0";

const statement events_of_merchant = events_statement(of_merchant, span_of_merchant, false);
const statement events_of_merchant_for_platform = events_statement(of_merchant, span_of_merchant, true);
const statement events_for_platform = events_statement(by_position, span_of_environment, true);
const statement event_of_id = events_statement("{by events_by_id}", of_id_of_merchant, false);
const statement event_of_id_of_merchant_for_platform = events_statement("{by events_by_id}", of_id_of_merchant, true);
const statement event_of_id_for_platform = events_statement("{by events_by_id}", of_id, true);

const statement grown = sql(R"sql(
  SELECT merchant_id, environment, log_position FROM events {by events_by_position}
  WHERE log_position > ? AND log_position < ? ORDER BY log_position LIMIT ?
)sql");

const statement read_old_events = sql(R"sql(
  SELECT COUNT(*), MAX(log_position) FROM (
    SELECT log_position FROM events {by events_by_position} WHERE log_position > 0 AND log_position < ?
    ORDER BY log_position LIMIT ?) AS old
)sql");
// An event whose delivery is kept keeps its data.
const statement purge_old_events = sql(R"sql(
  UPDATE events SET log_position = 0, data = CASE WHEN EXISTS (
    SELECT 1 FROM deliveries AS d {by deliveries_of_subject} WHERE d.merchant_id = events.merchant_id
    AND d.subject_id = events.subject_id AND d.environment = events.environment
    AND d.subject_kind = events.subject_kind AND d.event_seq = events.seq) THEN data ELSE ? END
  WHERE log_position > 0 AND log_position <= ?
)sql");

logged_event logged_event_from(const result_row& row, const platform_id& reader) {
  cursor in{row};
  logged_event found;
  auto& event = found.event;
  event.subject.merchant.value = in.text();
  get(in, event.subject.env, "environment");
  get(in, event.subject.kind, "subject_kind");
  event.subject.id = in.text();
  event.seq = in.number<std::uint32_t>("seq");
  event.id = in.text();
  event.type = in.text();
  event.created = in.time();
  event.data = in.text();
  found.position = in.number("log_position", 0);
  if (!in.skip_null()) found.merchants_entity.value = in.text();
  if (in.is_null()) return found;
  payment maker;
  get(in, maker.details, "details");
  get(in, maker.customer, "customer");
  found.partial = !is_made_by(maker, reader);
  return found;
}

std::string between_commas(const std::vector<event_type>& types) {
  std::string text;
  for (const auto each : types) {
    if (text.empty()) text += ',';
    text.append(to_string(each)).append(1, ',');
  }
  return text;
}

/// One answer examines the events before `until`.
struct looked_at {
  std::int64_t until = 0;
  bool more = false;
};

looked_at look_from(db_connection& db, const find_logged_events& what, std::int64_t after, std::int64_t complete) {
  const bool all_match = what.platform.value.empty() && what.types.empty() && !what.from;
  if (all_match) return {complete, false};
  const std::string_view merchant = what.merchant.value;
  std::vector<cell> parameters;
  if (!merchant.empty()) parameters.emplace_back(merchant);
  parameters.insert(parameters.end(), {to_string(what.env), after, complete, window});
  looked_at found{complete, false};
  db.read(merchant.empty() ? window_of_environment : window_of_merchant, parameters, [&](const result_row& row) {
    if (row.integer(1) == window) found = {row.integer(0) + 1, true};
  });
  return found;
}

const statement& statement_for(const find_logged_events& what) {
  const bool of_one = !what.merchant.value.empty(), by_platform = !what.platform.value.empty();
  if (!what.id.empty()) {
    if (!by_platform) return event_of_id;
    return of_one ? event_of_id_of_merchant_for_platform : event_of_id_for_platform;
  }
  if (!by_platform) return events_of_merchant;
  return of_one ? events_of_merchant_for_platform : events_for_platform;
}

}  // namespace

logged_events_lookup run(db_connection& db, const find_logged_events& what) {
  logged_events_lookup answer;
  auto reach = read_log_reach(db);
  // A purge whose clock was ahead must not hide what was committed since.
  reach.kept_from = std::min(reach.kept_from, reach.complete);
  answer.expired = what.id.empty() && what.after > 0 && what.after < reach.kept_from - 1;
  if (answer.expired) return answer;
  // No event that happened at `from` or later has a position before the first one of that time.
  const auto from_position = what.from ? event_clock::first_of(*what.from) - 1 : std::int64_t{0};
  const auto after = std::max({what.after, from_position, reach.kept_from - 1});
  answer.complete = reach.complete;
  answer.furthest = reach.furthest;
  looked_at span;
  const std::string_view merchant = what.merchant.value, platform = what.platform.value;
  std::vector<cell> parameters;
  if (what.id.empty()) {
    span = look_from(db, what, after, reach.complete);
    if (!merchant.empty()) parameters.emplace_back(merchant);
    parameters.insert(parameters.end(), {to_string(what.env), after, span.until});
  } else {
    parameters.emplace_back(std::string_view{what.id});
    if (!merchant.empty()) parameters.emplace_back(merchant);
    parameters.emplace_back(to_string(what.env));
  }
  if (!platform.empty()) parameters.insert(parameters.end(), {platform, platform, platform});
  const auto types = between_commas(what.types);
  const std::int64_t from = what.from ? to_unix_ms(*what.from) : 0;
  parameters.insert(parameters.end(),
                    {from, std::string_view{types}, std::string_view{types}, std::int64_t{what.limit}});
  std::size_t bytes = 0;
  bool cut = false;
  db.read(statement_for(what), parameters, [&](const result_row& row) {
    if (cut) return;
    auto& added = answer.events.emplace_back(logged_event_from(row, what.platform));
    bytes += added.event.data.size();
    cut = bytes > what.most_bytes;
  });
  cut = cut || answer.events.size() == what.limit;
  answer.read_to = std::max(what.after, cut ? answer.events.back().position : span.until - 1);
  answer.more = cut || span.more;
  return answer;
}

event_news_lookup run(db_connection& db, const find_event_news& what) {
  event_news_lookup answer;
  const auto reach = read_log_reach(db);
  answer.complete = reach.complete;
  answer.furthest = reach.furthest;
  answer.read_to = std::max(what.after, reach.complete - 1);
  if (what.after == 0) return answer;
  const cell parameters[] = {what.after, reach.complete, std::int64_t{what.limit}};
  std::uint32_t seen = 0;
  std::int64_t last = 0;
  db.read(grown, parameters, [&](const result_row& row) {
    ++seen;
    last = row.integer(2);
    event_news_lookup::owner owner{merchant_id{row.text(0)},
                                   parse_environment(row.text(1)).value_or(environment::test)};
    const auto is_same = [&](const auto& each) { return each.merchant == owner.merchant && each.env == owner.env; };
    if (std::ranges::none_of(answer.owners, is_same)) answer.owners.push_back(std::move(owner));
  });
  answer.more = seen == what.limit;
  if (answer.more) answer.read_to = last;
  return answer;
}

std::uint64_t purge_events(db_connection& db, time_point before, std::uint32_t limit) {
  const auto end = event_clock::first_of(before);
  const cell old[] = {end, std::int64_t{limit}};
  std::uint64_t seen = 0;
  std::int64_t last = 0;
  db.read(read_old_events, old, [&](const result_row& row) {
    seen = static_cast<std::uint64_t>(row.integer(0));
    if (seen > 0) last = row.integer(1);
  });
  if (seen == 0) return 0;
  // First expires the cursors that point to purged events, but none beyond the complete part of the log: a reader of
  // all of it has missed nothing.
  keep_log_from(db, std::min(end, read_log_reach(db).complete));
  const cell parameters[] = {std::string_view{"{}"}, last};
  db.change(purge_old_events, parameters);
  return seen;
}

}  // namespace gateway::persistence
