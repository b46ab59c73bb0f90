// The operators of the console.
#include "persistence/tables/queries.hpp"
#include "persistence/tables/unit_rows.hpp"

namespace gateway::persistence {

namespace {

/// Passwords and second factors change by statements of their own.
template <class Columns, class Operator>
void operator_columns(Columns& v, Operator& o) {
  v.given("operator_key", operator_key_of(o.name));
  v.fixed("name", o.name);
  v.fixed("role", o.role);
  v.fixed("setup_id", o.setup_id);
  v.fixed("setup_ends_at", o.setup_ends_at);
  v.fixed("created_at", o.created_at);
}

const table_columns operators_table{"operators", [](column_names& v) {
                                      const save_operator any{};
                                      operator_columns(v, any);
                                    }};

const statement read_operator = sql(
    "SELECT {columns}, password_hash, sealed_totp, totp_step FROM operators WHERE operator_key = ?", operators_table);
// An installation has few operators, so all are read.
const statement read_operators = sql(R"sql(
  SELECT name, role, CASE WHEN password_hash = '' THEN 0 ELSE 1 END FROM operators ORDER BY operator_key
)sql");

}  // namespace

namespace statements {

const write_shape insert_operator = operators_table.insert();
const statement reset_operator = sql(R"sql(
  UPDATE operators SET setup_id = ?, setup_ends_at = ?, password_hash = '', sealed_totp = '', totp_step = 0
  WHERE operator_key = ?
)sql");
const statement drop_operator = sql("DELETE FROM operators WHERE operator_key = ?");
const statement set_up_operator = sql(R"sql(
  UPDATE operators SET password_hash = ?, sealed_totp = ?, totp_step = 0, setup_id = ''
  WHERE operator_key = ? AND setup_id = ? AND setup_ends_at > ? AND setup_id <> ''
)sql");
const statement spend_operator_code = sql(R"sql(
  UPDATE operators SET totp_step = ?
  WHERE operator_key = ? AND password_hash = ? AND sealed_totp = ? AND totp_step < ? AND sealed_totp <> ''
)sql");

}  // namespace statements

void insert_row(gathered_rows& rows, const save_operator& o) {
  column_writer v{rows.add_to(row_kind::console_operator)};
  operator_columns(v, o);
}

void claim_row(gathered_rows& rows, const reset_operator& r) {
  rows.add_to(row_kind::operator_reset).add(r.setup_id).add(r.setup_ends_at).add(r.key);
}

void claim_row(gathered_rows& rows, const drop_operator& d) { rows.add_to(row_kind::operator_end).add(d.key); }

void claim_row(gathered_rows& rows, const set_up_operator& s) {
  auto& to = rows.add_to(row_kind::operator_setup);
  to.add(s.password_hash).add(s.sealed_totp).add(s.key).add(s.setup_id).add(s.at);
}

void claim_row(gathered_rows& rows, const spend_operator_code& c) {
  auto& to = rows.add_to(row_kind::operator_code_use);
  to.add(c.step).add(c.key).add(c.password_hash).add(c.sealed_totp).add(c.step);
}

std::size_t row_hash(const save_operator& o) { return hash_of_texts({"operator", operator_key_of(o.name)}); }
std::size_t row_hash(const reset_operator& r) { return hash_of_texts({"operator", r.key}); }
std::size_t row_hash(const drop_operator& d) { return hash_of_texts({"operator", d.key}); }
std::size_t row_hash(const set_up_operator& s) { return hash_of_texts({"operator", s.key}); }
std::size_t row_hash(const spend_operator_code& c) { return hash_of_texts({"operator", c.key}); }

namespace {

stored_operator operator_from(const result_row& row) {
  column_reader v{row};
  stored_operator o;
  operator_columns(v, o);
  auto& in = v.rest();
  o.password_hash = in.text();
  o.sealed_totp = in.text();
  o.totp_step = in.number("totp_step");
  return o;
}

listed_operator listed_operator_from(const result_row& row) {
  cursor in{row};
  listed_operator o;
  o.name = in.text();
  get(in, o.role, "role");
  o.is_set_up = in.flag("is_set_up");
  return o;
}

}  // namespace

operator_lookup run(db_connection& db, const find_operator& what) {
  const cell key[] = {std::string_view{what.key}};
  operator_lookup answer;
  db.read(read_operator, key, [&](const result_row& row) { answer.found = operator_from(row); });
  return answer;
}

operators_lookup run(db_connection& db, const find_operators&) {
  operators_lookup answer;
  read_into(db, read_operators, {}, answer.operators, listed_operator_from);
  return answer;
}

}  // namespace gateway::persistence
