// How far the providers' lists of events have been read, and the sandbox's own list.
#include "gateway/base/log.hpp"
#include "persistence/tables/queries.hpp"
#include "persistence/tables/unit_rows.hpp"

namespace gateway::persistence {

namespace {

template <class Columns, class Position>
void position_columns(Columns& v, Position& p) {
  v.key("provider", p.provider);
  v.key("environment", p.env);
  v.key("account", p.account);
  v("read_to", p.read_to);
}

template <class Columns, class Event>
void sandbox_event_columns(Columns& v, Event& e) {
  v.key("merchant_id", e.merchant);
  v.key("environment", e.env);
  v.key("event_id", e.event_id);
  v.fixed("provider", e.provider);
  v.fixed("payment_id", e.payment_id);
  v.fixed("what", e.what);
  v.fixed("happened_at", e.at);
}

const table_columns positions_table{"event_positions", [](column_names& v) {
                                      const save_event_position any{};
                                      position_columns(v, any);
                                    }};
const table_columns sandbox_events_table{"sandbox_events", [](column_names& v) {
                                           const sandbox_event any{};
                                           sandbox_event_columns(v, any);
                                         }};

const statement read_position =
    sql("SELECT read_to FROM event_positions WHERE provider = ? AND environment = ? AND account = ?");

/// MySQL ignores trailing spaces in comparisons; no account has any.
std::optional<time_point> position_of(db_connection& db, const find_event_lists& what, std::string_view account) {
  const cell of[] = {to_string(what.provider), to_string(what.env), account};
  std::optional<time_point> read_to;
  db.read(read_position, of, [&](const result_row& row) { read_to = from_unix_ms(row.integer(0)); });
  return read_to;
}

}  // namespace

namespace statements {

const write_shape put_event_position = positions_table.put();
const write_shape insert_sandbox_event = sandbox_events_table.insert();

// In the order of the index, which starts with the account. Other providers' accounts are read, too: there are few, and
// a page is read once an hour.
const statement read_event_lists = sql(R"sql(
  SELECT DISTINCT account FROM connections {by connections_by_account}
  WHERE account > ? AND provider = ? AND environment = ? ORDER BY account LIMIT ?
)sql");

const statement read_sandbox_events = sql(R"sql(
  SELECT {columns} FROM sandbox_events {by sandbox_events_by_age} WHERE provider = ? AND environment = ?
  AND happened_at >= ? AND happened_at < ? AND (happened_at > ? OR event_id > ?) ORDER BY happened_at, event_id LIMIT ?
)sql",
                                          sandbox_events_table);

}  // namespace statements

void insert_row(gathered_rows& rows, const save_event_position& p) {
  column_writer v{rows.add_to(row_kind::event_position)};
  position_columns(v, p);
}

void insert_row(gathered_rows& rows, const sandbox_event& e) {
  column_writer v{rows.add_to(row_kind::sandbox_event)};
  sandbox_event_columns(v, e);
}

std::size_t row_hash(const save_event_position& p) {
  return hash_of_texts({"event_position", to_string(p.provider), to_string(p.env), p.account});
}

event_lists_lookup run(db_connection& db, const find_event_lists& what) {
  event_lists_lookup answer;
  const cell parameters[] = {std::string_view{what.after}, to_string(what.provider), to_string(what.env),
                             std::int64_t{what.limit}};
  db.read(statements::read_event_lists, parameters,
          [&](const result_row& row) { answer.accounts.push_back({std::string{row.text(0)}, std::nullopt}); });
  for (auto& each : answer.accounts) each.read_to = position_of(db, what, each.account);
  answer.own_read_to = position_of(db, what, {});
  return answer;
}

sandbox_events_lookup run(db_connection& db, const find_sandbox_events& what) {
  sandbox_events_lookup answer;
  const auto from = to_unix_ms(what.from);
  const cell parameters[] = {to_string(what.provider),     to_string(what.env),     from, to_unix_ms(what.until), from,
                             std::string_view{what.after}, std::int64_t{what.limit}};
  db.read(statements::read_sandbox_events, parameters, [&](const result_row& row) {
    column_reader v{row};
    sandbox_event e;
    sandbox_event_columns(v, e);
    answer.events.push_back(std::move(e));
  });
  return answer;
}

}  // namespace gateway::persistence
