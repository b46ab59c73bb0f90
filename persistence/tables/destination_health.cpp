// The health of destinations, computed from the attempts, and the deliveries that wait for them.
#include "persistence/tables/json_fields.hpp"
#include "persistence/tables/queries.hpp"
#include "persistence/tables/unit_rows.hpp"

namespace gateway::persistence {

namespace {

template <class Columns, class Health>
void health_columns(Columns& v, Health& h) {
  v.key("owner_id", h.owner);
  v.key("destination_id", h.id);
  v("failing_since", h.failing_since);
  v("last_success_at", h.last_success_at);
  v("last_failure_at", h.last_failure_at);
  v("paused_until", h.paused_until);
  v("hours", h.hours);
}

const table_columns health_table{"destination_health", [](column_names& v) {
                                   const destination_health any{};
                                   health_columns(v, any);
                                 }};

template <class Number>
Number number_at(const json::array& from, std::size_t at) {
  return from.at(at).to_number<Number>();
}

}  // namespace

namespace statements {

const write_shape put_destination_health = health_table.put();

const statement read_destination_health =
    sql("SELECT {columns h} FROM destination_health AS h WHERE h.owner_id = ? ORDER BY h.destination_id LIMIT ?",
        health_table);
const statement read_health_of_destination =
    sql("SELECT {columns h} FROM destination_health AS h WHERE h.owner_id = ? AND h.destination_id = ?", health_table);

}  // namespace statements

std::string to_json(const std::vector<attempts_of_hour>& hours) {
  json::array list;
  for (const auto& each : hours) list.push_back(json::array{each.hour, each.attempts, each.failures});
  return json::serialize(list);
}

std::vector<attempts_of_hour> hours_from_json(std::string_view text) {
  return from_value(text, "hours", [](const json::value& parsed) {
    std::vector<attempts_of_hour> hours;
    for (const auto& each : parsed.as_array()) {
      const auto& row = each.as_array();
      hours.push_back(
          {number_at<std::int64_t>(row, 0), number_at<std::uint32_t>(row, 1), number_at<std::uint32_t>(row, 2)});
    }
    return hours;
  });
}

std::string to_json(const std::vector<delivery_attempt>& attempts) {
  json::array list;
  for (const auto& each : attempts)
    list.push_back(json::array{to_unix_ms(each.at), to_string(each.result), each.status, each.took_ms, each.excerpt});
  return json::serialize(list);
}

std::vector<delivery_attempt> attempts_from_json(std::string_view text) {
  return from_value(text, "earlier_attempts", [](const json::value& parsed) {
    std::vector<delivery_attempt> attempts;
    for (const auto& each : parsed.as_array()) {
      const auto& row = each.as_array();
      delivery_attempt one;
      one.at = from_unix_ms(number_at<std::int64_t>(row, 0));
      one.result = known(parse_attempt_result(text_of(row.at(1))), "attempt result");
      one.status = number_at<std::uint16_t>(row, 2);
      one.took_ms = number_at<std::uint32_t>(row, 3);
      one.excerpt = text_of(row.at(4));
      attempts.push_back(std::move(one));
    }
    return attempts;
  });
}

void insert_row(gathered_rows& rows, const destination_health& h) {
  column_writer v{rows.add_to(row_kind::destination_health)};
  health_columns(v, h);
}

std::size_t row_hash(const destination_health& h) { return hash_of_texts({"health", h.id.value}); }
std::size_t row_bytes(const destination_health& h) { return 256 + 24 * h.hours.size(); }

destination_health_lookup run(db_connection& db, const find_destination_health& what) {
  destination_health_lookup answer;
  const auto read = [&](const statement& sql, std::span<const cell> parameters) {
    db.read(sql, parameters, [&](const result_row& row) {
      column_reader v{row};
      health_columns(v, answer.of.emplace_back());
    });
  };
  if (what.id.empty()) {
    const cell parameters[] = {std::string_view{what.owner}, std::int64_t{what.limit}};
    read(statements::read_destination_health, parameters);
  } else {
    const cell parameters[] = {std::string_view{what.owner}, std::string_view{what.id.value}};
    read(statements::read_health_of_destination, parameters);
  }
  return answer;
}

}  // namespace gateway::persistence
