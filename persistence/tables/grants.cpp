#include "persistence/tables/queries.hpp"
#include "persistence/tables/unit_rows.hpp"

namespace gateway::persistence {

namespace {

/// The scopes of a grant. A merchant grants scopes by name, so `*` is corrupt.
template <class Scopes>
struct granted_scopes {
  Scopes& scopes;
};
template <class Scopes>
granted_scopes(Scopes&) -> granted_scopes<Scopes>;
template <class Scopes>
void put(row_buffer& to, const granted_scopes<Scopes>& value) {
  to.keep(to_string(value.scopes));
}
template <class Scopes>
void get(cursor& in, const granted_scopes<Scopes>& value, const char*) {
  value.scopes = in.named(parse_scopes, "scope");
  if (value.scopes.permits(scope::all)) throw corrupt_row("a grant of every scope");
}

template <class Columns, class Grant>
void grant_columns(Columns& v, Grant& g) {
  v("grant_id", g.id);
  v("scopes", granted_scopes{g.scopes});
  v("given_by", g.given_by);
  v("granted_at", g.granted_at);
  v("revoked_at", g.revoked_at);
  v("revoke_reason", g.revoke_reason);
}

template <class Columns, class Binding, class Grant>
void binding_columns(Columns& v, Binding& b, Grant& newest) {
  v.given("merchant_id", b.key.merchant);
  v.given("environment", b.key.env);
  v.given("platform_id", b.key.id);
  grant_columns(v, newest);
  v("codes", b.codes);
  v("version", b.version, 1);
}

/// Also the columns of a list of grants, past and current.
template <class Columns, class Key, class Grant>
void past_grant_columns(Columns& v, Key& binding, Grant& g) {
  v.key("merchant_id", binding.merchant);
  v.key("environment", binding.env);
  v.key("platform_id", binding.id);
  v.key("grant_id", g.id);
  v.fixed("scopes", granted_scopes{g.scopes});
  v.fixed("given_by", g.given_by);
  v.fixed("granted_at", g.granted_at);
  v.fixed("revoked_at", g.revoked_at);
  v.fixed("revoke_reason", g.revoke_reason);
}

const table_columns grants_table{"grants", [](column_names& v) {
                                   const grant_binding any{};
                                   const grant newest{};
                                   binding_columns(v, any, newest);
                                 }};
const table_columns past_grants_table{"past_grants", [](column_names& v) {
                                        const entity_key binding{};
                                        const grant any{};
                                        past_grant_columns(v, binding, any);
                                      }};

const statement read_binding =
    sql("SELECT {columns} FROM grants WHERE merchant_id = ? AND environment = ? AND platform_id = ?", grants_table);

/// A page of grants from both tables, newest first. Each half reads only its page, in the order of its index. The
/// indexes are named because the planner may otherwise read all grants of a platform to find one merchant's, or sort
/// all grants. `time` is the column's name, possibly with a + that keeps SQLite from using an index on it.
statement page_of_grants(std::string_view index, std::string_view past_index, std::string_view which,
                         std::string_view time) {
  const auto half = [&](std::string_view table, std::string_view by) {
    std::string text = R"sql(SELECT * FROM (
      SELECT {columns} FROM {table} {index} WHERE {which}{time} <= ? AND ({time} < ? OR grant_id < ?)
      ORDER BY {time} DESC, grant_id DESC LIMIT ?) AS of_{table} )sql";
    const std::pair<std::string_view, std::string_view> parts[] = {
        {"{table}", table}, {"{index}", by}, {"{which}", which}, {"{time}", time}};
    for (const auto& [name, value] : parts)
      for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + value.size()))
        text.replace(at, name.size(), value);
    return text;
  };
  return sql(half("grants", index) + "UNION ALL " + half("past_grants", past_index) +
                 "ORDER BY granted_at DESC, grant_id DESC LIMIT ?",
             past_grants_table);
}

/// For the lists of a merchant, the + makes SQLite use the primary key, which finds the merchant's few rows.
statement page_of_merchant(std::string_view which) {
  constexpr std::string_view by_key = "{|FORCE INDEX (PRIMARY)}";
  return page_of_grants(by_key, by_key, which, "{+|}granted_at");
}

}  // namespace

namespace statements {

const write_shape insert_binding = grants_table.insert();
const write_shape update_binding = grants_table.update("version = {new} - 1", true);
const write_shape insert_past_grant = past_grants_table.insert();

const statement read_bindings_of = sql(R"sql(
  SELECT merchant_id, environment, platform_id, scopes, revoked_at, version FROM grants WHERE merchant_id = ?
  ORDER BY environment, platform_id
)sql");
const statement read_binding_of_grant = sql(R"sql(
  SELECT merchant_id, environment, platform_id, 0 AS is_past FROM grants WHERE grant_id = ?
  UNION ALL SELECT merchant_id, environment, platform_id, 1 FROM past_grants WHERE grant_id = ? ORDER BY is_past
)sql");

const statement read_grants = page_of_grants("{by grants_by_age}", "{by past_grants_by_age}", "", "granted_at");
const statement read_grants_of_platform =
    page_of_grants("{by grants_of_platform}", "{by past_grants_of_platform}", "platform_id = ? AND ", "granted_at");
const statement read_grants_of_merchant = page_of_merchant("merchant_id = ? AND ");
const statement read_grants_of_both = page_of_merchant("merchant_id = ? AND {+|}platform_id = ? AND ");

}  // namespace statements

void insert_row(gathered_rows& rows, const binding_ptr& b) {
  column_writer v{rows.add_to(row_kind::binding)};
  binding_columns(v, *b, b->newest.value());
}

void claim_row(gathered_rows& rows, const binding_ptr& b) {
  column_writer v{rows.add_to(row_kind::binding_claim)};
  binding_columns(v, *b, b->newest.value());
}

void insert_row(gathered_rows& rows, const past_grant& g) {
  column_writer v{rows.add_to(row_kind::past_grant)};
  past_grant_columns(v, g.binding, g.what);
}

std::size_t row_hash(const past_grant& g) { return hash_of_texts({g.what.id.value}); }

std::size_t row_bytes(const binding_ptr& b) {
  auto bytes = 512 + b->newest.value().revoke_reason.size();
  for (const auto& code : b->codes) bytes += 128 + code.redirect_uri.size();
  return bytes;
}

std::size_t row_bytes(const past_grant& g) { return 384 + g.what.revoke_reason.size(); }

grant_binding binding_from(const result_row& row, const entity_key& key) {
  column_reader v{row};
  grant_binding b;
  b.key = key;
  binding_columns(v, b, b.newest.emplace());
  if (b.newest->revoked_at && !b.codes.empty()) throw corrupt_row("codes of a grant that was revoked");
  for (const auto& code : b.codes)
    if (const auto expires = to_unix_ms(code.expires_at); expires < first_ms || expires > last_ms)
      throw corrupt_row("codes out of bounds");
  return b;
}

stored_binding stored_binding_from(const result_row& row) {
  cursor in{row};
  stored_binding b;
  b.key = read_key(in, entity_kind::grant);
  get(in, granted_scopes{b.scopes}, "scopes");
  b.state = in.optional_time() ? grant_state::revoked : grant_state::active;
  b.version = in.number("version", 1);
  return b;
}

std::optional<entity_row> read_binding_row(db_connection& db, const entity_key& key) {
  return read_entity(db, read_binding, key, [&](const result_row& row) { return binding_from(row, key); });
}

namespace {

grant_lookup grant_lookup_from(const result_row& row) {
  cursor in{row};
  grant_lookup found;
  found.binding = read_key(in, entity_kind::grant);
  found.past = in.flag("is_past");
  return found;
}

std::pair<entity_key, grant> grant_from(const result_row& row) {
  column_reader v{row};
  std::pair<entity_key, grant> found;
  found.first.kind = entity_kind::grant;
  past_grant_columns(v, found.first, found.second);
  return found;
}

}  // namespace

grant_lookup run(db_connection& db, const find_grant& what) {
  const cell id[] = {std::string_view{what.id.value}, std::string_view{what.id.value}};
  grant_lookup answer;
  db.read(statements::read_binding_of_grant, id, [&](const result_row& row) {
    if (!answer.binding) answer = grant_lookup_from(row);
  });
  return answer;
}

grants_lookup run(db_connection& db, const find_grants& what) {
  const std::string_view merchant = what.merchant.value, platform = what.platform.value, id = what.before_id.value;
  const auto before = bound(what.before, no_bound);
  const std::int64_t limit = what.limit;
  std::vector<cell> parameters;
  for (int half = 0; half < 2; ++half) {
    if (!merchant.empty()) parameters.emplace_back(merchant);
    if (!platform.empty()) parameters.emplace_back(platform);
    parameters.insert(parameters.end(), {before, before, id, limit});
  }
  parameters.emplace_back(limit);
  const auto& sql = !merchant.empty()
                        ? (platform.empty() ? statements::read_grants_of_merchant : statements::read_grants_of_both)
                    : !platform.empty() ? statements::read_grants_of_platform
                                        : statements::read_grants;
  grants_lookup answer;
  db.read(sql, parameters, [&](const result_row& row) { answer.grants.push_back(grant_from(row)); });
  return answer;
}

}  // namespace gateway::persistence
