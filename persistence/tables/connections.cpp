// A merchant's connections to providers, its routes, and the setup links that were used.
#include "persistence/tables/queries.hpp"
#include "persistence/tables/unit_rows.hpp"

namespace gateway::persistence {

namespace {

template <class Columns, class Connection>
void connection_columns(Columns& v, Connection& c) {
  v.key("merchant_id", c.merchant);
  v.key("environment", c.link.env);
  v.key("provider", c.link.provider);
  v.fixed("connection_id", c.id);
  v("status", c.link.status);
  v("account", c.link.account);
}

currency known_currency(std::string_view word) {
  const auto parsed = currency::parse(word);
  if (!parsed) throw corrupt_row("unknown currency");
  return *parsed;
}

payment_method_kind known_method(std::string_view word) {
  const auto parsed = parse_payment_method_kind(word);
  if (!parsed) throw corrupt_row("unknown payment method kind");
  return *parsed;
}

template <class Columns, class Route>
void route_columns(Columns& v, Route& r) {
  v.key("merchant_id", r.merchant);
  v.key("environment", r.way.env);
  v.key("provider", r.way.provider);
  v.fixed("route_id", r.id);
  v.fixed("position", r.way.position);
  v("currencies", word_list{r.way.currencies, [](const currency& c) { return c.code(); }, known_currency});
  v("methods", word_list{r.way.methods, [](payment_method_kind m) { return to_string(m); }, known_method});
}

template <class Columns, class Token>
void setup_token_columns(Columns& v, Token& t) {
  v.key("merchant_id", t.merchant);
  v.key("token_id", t.token_id);
  v.fixed("spent_at", t.spent_at);
}

const table_columns connections_table{"connections", [](column_names& v) {
                                        const save_connection any{};
                                        connection_columns(v, any);
                                      }};
const table_columns routes_table{"routes", [](column_names& v) {
                                   const save_route any{};
                                   route_columns(v, any);
                                 }};
const table_columns setup_tokens_table{"setup_tokens", [](column_names& v) {
                                         const spend_token any{};
                                         setup_token_columns(v, any);
                                       }};

const statement read_spent_token = sql("SELECT spent_at FROM setup_tokens WHERE merchant_id = ? AND token_id = ?");

}  // namespace

namespace statements {

const write_shape put_connection = connections_table.put();
const write_shape put_route = routes_table.put();
const write_shape insert_setup_token = setup_tokens_table.insert();

const statement read_connections_of =
    sql("SELECT {columns} FROM connections WHERE merchant_id = ? ORDER BY environment, provider", connections_table);
// The index on the account is named because few merchants share an account, and a provider has many merchants.
const statement read_connections_with = sql(R"sql(
  SELECT {columns} FROM connections {by connections_by_account} WHERE account = ? AND provider = ? AND environment = ?
  ORDER BY merchant_id LIMIT ?
)sql",
                                            connections_table);
const statement read_routes_of =
    sql("SELECT {columns} FROM routes WHERE merchant_id = ? ORDER BY environment, position, provider", routes_table);

}  // namespace statements

void insert_row(gathered_rows& rows, const save_connection& c) {
  column_writer v{rows.add_to(row_kind::connection)};
  connection_columns(v, c);
}

void insert_row(gathered_rows& rows, const save_route& r) {
  column_writer v{rows.add_to(row_kind::route)};
  route_columns(v, r);
}

void insert_row(gathered_rows& rows, const spend_token& t) {
  column_writer v{rows.add_to(row_kind::setup_token)};
  setup_token_columns(v, t);
}

std::size_t row_hash(const save_connection& c) { return hash_of_texts({c.id}); }
std::size_t row_hash(const save_route& r) { return hash_of_texts({r.id}); }
std::size_t row_hash(const spend_token& t) { return hash_of_texts({t.merchant.value, t.token_id}); }

stored_connection connection_from(const result_row& row) {
  column_reader v{row};
  stored_connection c;
  connection_columns(v, c);
  return c;
}

stored_route route_from(const result_row& row) {
  column_reader v{row};
  stored_route r;
  route_columns(v, r);
  return r;
}

spent_token_lookup run(db_connection& db, const find_spent_token& what) {
  const cell key[] = {std::string_view{what.merchant.value}, std::string_view{what.token_id}};
  spent_token_lookup answer;
  db.read(read_spent_token, key, [&](const result_row&) { answer.spent = true; });
  return answer;
}

}  // namespace gateway::persistence
