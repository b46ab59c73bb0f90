// What people have changed.
#include "persistence/tables/queries.hpp"
#include "persistence/tables/unit_rows.hpp"

namespace gateway::persistence {

namespace {

/// The environment may be absent: it is stored as an empty text then.
template <class Environment>
struct environment_or_empty {
  Environment& env;
};
template <class Environment>
environment_or_empty(Environment&) -> environment_or_empty<Environment>;
template <class Environment>
void put(row_buffer& to, const environment_or_empty<Environment>& value) {
  to.add(value.env ? to_string(*value.env) : std::string_view{});
}
template <class Environment>
void get(cursor& in, const environment_or_empty<Environment>& value, const char*) {
  const auto text = in.text();
  value.env = parse_environment(text);
  if (!value.env && !text.empty()) throw corrupt_row("unknown environment");
}

template <class Columns, class Audit>
void audit_columns(Columns& v, Audit& a) {
  v.key("user_id", a.user);
  v.key("occurred_at", a.at);
  v.key("audit_id", a.id);
  v.fixed("address", a.address);
  v.fixed("action", a.action);
  v.fixed("subject", a.subject);
  v.fixed("merchant_id", a.merchant);
  v.fixed("environment", environment_or_empty{a.env});
}

const table_columns audit_table{"audit_log", [](column_names& v) {
                                  const save_audit any{};
                                  audit_columns(v, any);
                                }};

}  // namespace

namespace statements {

const write_shape insert_audit = audit_table.insert();

const statement read_audit_of_user = sql(R"sql(
  SELECT {columns} FROM audit_log WHERE user_id = ? AND occurred_at <= ? AND (occurred_at < ? OR audit_id < ?)
  ORDER BY occurred_at DESC, audit_id DESC LIMIT ?
)sql",
                                         audit_table);
const statement read_audit_of_merchant = sql(R"sql(
  SELECT {columns} FROM audit_log {by audit_of_merchant}
  WHERE merchant_id = ? AND occurred_at <= ? AND (occurred_at < ? OR audit_id < ?)
  ORDER BY occurred_at DESC, audit_id DESC LIMIT ?
)sql",
                                             audit_table);

}  // namespace statements

void insert_row(gathered_rows& rows, const save_audit& a) {
  column_writer v{rows.add_to(row_kind::audit)};
  audit_columns(v, a);
}

std::size_t row_hash(const save_audit& a) { return hash_of_texts({a.id}); }

namespace {

save_audit audit_from(const result_row& row) {
  column_reader v{row};
  save_audit a;
  audit_columns(v, a);
  return a;
}

}  // namespace

audit_lookup run(db_connection& db, const find_audit& what) {
  const bool by_user = !what.user.empty();
  const auto before = bound(what.before, no_bound);
  const cell parameters[] = {std::string_view{by_user ? what.user.value : what.merchant.value}, before, before,
                             std::string_view{what.before_id}, std::int64_t{what.limit}};
  audit_lookup answer;
  read_into(db, by_user ? statements::read_audit_of_user : statements::read_audit_of_merchant, parameters,
            answer.entries, audit_from);
  return answer;
}

}  // namespace gateway::persistence
