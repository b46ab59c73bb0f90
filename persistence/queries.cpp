#include "persistence/queries.hpp"

#include "persistence/rows.hpp"

namespace gateway::persistence {

namespace {

void commit_or_throw(db_connection& db, write_result result) {
  if (result != write_result::done) {
    db.rollback();
    throw database_error(database_error::kind::failed, 0, "a row of the store's own was refused");
  }
  db.commit();
}

}  // namespace

payment_lookup run(db_connection& db, const find_payment& what) {
  const cell key[] = {std::string_view{what.key.merchant.value}, to_string(what.key.env), std::string_view{what.key.id.value}};
  payment_lookup answer;
  db.read(statements::read_payment, key, [&](const result_row& row) { answer.found = payment_from(row, what.key); });
  return answer;
}

command_lookup run(db_connection& db, const find_command& what) {
  const cell key[] = {std::string_view{what.key.merchant.value}, to_string(what.key.env), std::string_view{what.key.principal},
                      std::string_view{what.key.key}};
  command_lookup answer;
  db.read(statements::read_command, key, [&](const result_row& row) { answer.found = command_from(row, what.key); });
  return answer;
}

timeline_lookup run(db_connection& db, const find_timeline& what) {
  const std::string_view merchant = what.key.merchant.value, env = to_string(what.key.env), id = what.key.id.value;
  const cell keys[] = {merchant, env, id, merchant, env, id};
  timeline_lookup answer;
  db.read(statements::read_timeline, keys, [&](const result_row& row) { answer.entries.push_back(timeline_entry_from(row)); });
  return answer;
}

due_lookup run(db_connection& db, const find_due& what) {
  const cell parameters[] = {to_unix_ms(what.now), std::int64_t{what.limit}};
  due_lookup answer;
  db.read(statements::read_due, parameters, [&](const result_row& row) { answer.keys.push_back(due_from(row)); });
  return answer;
}

directory_lookup run(db_connection& db, const find_directory&) {
  directory_lookup all;
  db.read(statements::read_merchants, {}, [&](const result_row& row) { all.merchants.push_back(merchant_from(row)); });
  db.read(statements::read_api_keys, {}, [&](const result_row& row) { all.keys.push_back(api_key_from(row)); });
  db.read(statements::read_users, {}, [&](const result_row& row) { all.users.push_back(user_from(row)); });
  db.read(statements::read_connections, {}, [&](const result_row& row) { all.connections.push_back(connection_from(row)); });
  db.read(statements::read_routes, {}, [&](const result_row& row) { all.routes.push_back(route_from(row)); });
  return all;
}

purge_result run(db_connection& db, const purge_commands& what) {
  const cell parameters[] = {to_unix_ms(what.before), std::int64_t{what.limit}};
  db.begin();
  const auto deleted = db.change(statements::purge_commands, parameters);
  db.commit();
  return {deleted};
}

std::optional<std::string> read_meta(db_connection& db, std::string_view name) {
  const cell key[] = {name};
  std::optional<std::string> value;
  db.read(statements::read_meta, key, [&](const result_row& row) { value = row.text(0); });
  return value;
}

bool put_meta_if_absent(db_connection& db, std::string_view name, std::string_view value) {
  const cell row[] = {name, value};
  db.begin();
  const auto result = db.write(statements::insert_meta, row);
  if (result == write_result::duplicate) {
    db.rollback();
    return false;
  }
  commit_or_throw(db, result);
  return true;
}

void probe_write(db_connection& db) {
  const auto now = std::to_string(to_unix_ms(system_wall_clock{}.now()));
  const cell row[] = {std::string_view{"last_connected"}, std::string_view{now}};
  db.begin();
  commit_or_throw(db, db.write(statements::put_meta, row));
}

}  // namespace gateway::persistence
