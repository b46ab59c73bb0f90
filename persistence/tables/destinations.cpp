#include <algorithm>
#include <tuple>

#include "gateway/base/log.hpp"
#include "persistence/tables/queries.hpp"
#include "persistence/tables/unit_rows.hpp"

namespace gateway::persistence {

namespace {

std::string known_event_type(std::string_view word) {
  if (stored_event_type(word) != word) throw corrupt_row("unknown event type");
  return std::string{word};
}

template <class Columns, class Destination>
void destination_columns(Columns& v, Destination& d) {
  v.key("owner_id", d.what.owner);
  v.key("destination_id", d.what.id);
  v.fixed("kind", d.what.kind);
  v("environment", d.what.env);
  v("url", d.what.url);
  v("events",
    word_list{d.what.events, [](const std::string& type) { return std::string_view{type}; }, known_event_type});
  v("status", d.what.status);
  v("disabled_reason", d.what.disabled_reason);
  v("sealed_secret", d.sealed_secret);
  v("sealed_previous", d.sealed_previous);
  v("previous_until", d.previous_until);
  v.fixed("created_at", d.what.created_at);
  v("name", d.what.name);
  v("enabled_at", d.what.enabled_at);
  v("standard_webhooks", one_or_null{d.what.standard_webhooks});
}

const table_columns destinations_table{"destinations", [](column_names& v) {
                                         const save_destination any{};
                                         destination_columns(v, any);
                                       }};

const statement list_destinations = sql(R"sql(
  SELECT {columns d} FROM destinations AS d WHERE d.environment IN (?, ?) AND d.status <> 'deleted'
  ORDER BY d.owner_id, d.destination_id LIMIT ?
)sql",
                                        destinations_table);
const statement list_destinations_of = sql(R"sql(
  SELECT {columns d} FROM destinations AS d WHERE d.environment IN (?, ?) AND d.status <> 'deleted' AND d.owner_id = ?
  ORDER BY d.owner_id, d.destination_id LIMIT ?
)sql",
                                           destinations_table);
const statement count_destinations =
    sql("SELECT COUNT(*) FROM destinations WHERE environment IN (?, ?) AND status <> 'deleted'");
const statement count_destinations_of =
    sql("SELECT COUNT(*) FROM destinations WHERE environment IN (?, ?) AND status <> 'deleted' AND owner_id = ?");

}  // namespace

namespace statements {

const write_shape put_destination = destinations_table.put();

const statement read_destinations_of =
    sql("SELECT {columns d} FROM destinations AS d WHERE d.owner_id = ? ORDER BY d.destination_id", destinations_table);
const statement read_destinations_of_platforms = sql(R"sql(
  SELECT {columns d} FROM platforms AS p JOIN destinations AS d ON d.owner_id = p.platform_id
  ORDER BY d.owner_id, d.destination_id
)sql",
                                                     destinations_table);
const statement read_owner_of_destination = sql("SELECT owner_id FROM destinations WHERE destination_id = ?");

}  // namespace statements

void insert_row(gathered_rows& rows, const save_destination& d) {
  column_writer v{rows.add_to(row_kind::destination)};
  destination_columns(v, d);
}

std::size_t row_hash(const save_destination& d) { return hash_of_texts({d.what.id.value}); }

stored_destination destination_from(const result_row& row) {
  column_reader v{row};
  stored_destination d;
  destination_columns(v, d);
  return d;
}

destinations_lookup run(db_connection& db, const find_destinations& what) {
  std::vector<cell> parameters{to_string(what.env.value_or(environment::test)),
                               to_string(what.env.value_or(environment::live))};
  const bool anybodys = what.owner.empty();
  if (!anybodys) parameters.emplace_back(std::string_view{what.owner});
  std::int64_t all = 0;
  db.read(anybodys ? count_destinations : count_destinations_of, parameters,
          [&](const result_row& row) { all = row.integer(0); });
  parameters.emplace_back(std::int64_t{what.limit});
  destinations_lookup answer;
  db.read(anybodys ? list_destinations : list_destinations_of, parameters, [&](const result_row& row) {
    try {
      answer.destinations.push_back(destination_from(row));
    } catch (const corrupt_row& error) {
      log::error("store.corrupt_row", {{"why", error.what()}});  // the other rows of the list are still shown
    }
  });
  std::ranges::sort(answer.destinations, {}, [](const stored_destination& row) {
    return std::tie(row.what.owner, row.what.env, row.what.created_at, row.what.id);
  });
  answer.left_out = static_cast<std::uint64_t>(std::max<std::int64_t>(0, all - std::int64_t{what.limit}));
  return answer;
}

}  // namespace gateway::persistence
