// The portal's sessions.
#include "persistence/tables/queries.hpp"
#include "persistence/tables/unit_rows.hpp"

namespace gateway::persistence {

namespace {

template <class Columns, class Session>
void session_columns(Columns& v, Session& s) {
  v.key("user_id", s.user);
  v.key("session_hash", s.hash);
  v.fixed("created_at", s.created_at);
  v("used_at", s.created_at);
  v.fixed("ends_at", s.ends_at);
  v.fixed("address", s.address);
  v.fixed("browser", s.browser);
}

const table_columns sessions_table{"sessions", [](column_names& v) {
                                     const save_session any{};
                                     session_columns(v, any);
                                   }};

const statement read_sessions_of = sql(R"sql(
  SELECT session_hash, created_at, used_at, ends_at, address, browser FROM sessions WHERE user_id = ?
  ORDER BY created_at DESC, session_hash
)sql");

}  // namespace

namespace statements {

const write_shape insert_session = sessions_table.insert();
const statement end_shown_sessions = sql(R"sql(
  DELETE FROM sessions
  WHERE user_id = ? AND EXISTS (SELECT 1 FROM people AS p WHERE p.user_id = ? AND p.password_hash = '')
)sql");
const statement touch_session = sql("UPDATE sessions SET used_at = ? WHERE session_hash = ?");
const statement end_session = sql("DELETE FROM sessions WHERE session_hash = ?");
const statement end_other_sessions = sql("DELETE FROM sessions WHERE user_id = ? AND session_hash <> ?");
const statement purge_sessions = sql("DELETE FROM sessions WHERE user_id = ? AND ends_at <= ?");

// A row for each membership, or one row whose last columns are null.
const statement read_session = sql(R"sql(
  SELECT s.user_id, p.email, s.created_at, s.used_at, s.ends_at, p.time_zone,
  CASE WHEN p.sealed_totp = '' THEN 0 ELSE 1 END, m.merchant_id, t.name, m.role
  FROM sessions AS s JOIN people AS p ON p.user_id = s.user_id
  LEFT JOIN memberships AS m ON m.user_id = s.user_id LEFT JOIN merchants AS t ON t.merchant_id = m.merchant_id
  WHERE s.session_hash = ? ORDER BY t.name, m.merchant_id
)sql");

}  // namespace statements

/// Also deletes the user's sessions that have ended, so that they do not accumulate.
void insert_row(gathered_rows& rows, const save_session& s) {
  column_writer v{rows.add_to(row_kind::session)};
  session_columns(v, s);
  rows.add_to(row_kind::sessions_purge).add(s.user.value).add(s.created_at);
}

void claim_row(gathered_rows& rows, const touch_session& s) {
  rows.add_to(row_kind::session_use).add(s.used_at).add(s.hash);
}

void claim_row(gathered_rows& rows, const end_session& s) { rows.add_to(row_kind::session_end).add(s.hash); }

std::size_t row_hash(const save_session& s) { return hash_of_texts({s.hash}); }
std::size_t row_hash(const touch_session& s) { return hash_of_texts({s.hash}); }
std::size_t row_hash(const end_session& s) { return hash_of_texts({s.hash}); }

namespace {

listed_session listed_session_from(const result_row& row) {
  cursor in{row};
  listed_session s;
  s.hash = in.text();
  s.created_at = in.time();
  s.used_at = in.time();
  s.ends_at = in.time();
  s.address = in.text();
  s.browser = in.text();
  return s;
}

/// Adds the membership of a row of read_session, and sets the rest.
void add_session_row(std::optional<stored_session>& found, const result_row& row) {
  cursor in{row};
  if (!found) found.emplace();
  found->user = user_id{in.text()};
  found->email = in.text();
  found->created_at = in.time();
  found->used_at = in.time();
  found->ends_at = in.time();
  found->time_zone = in.text();
  found->has_second_factor = in.flag("has_second_factor");
  if (in.skip_null()) return;
  session_membership member;
  member.merchant = merchant_id{in.text()};
  member.merchant_name = in.text();
  get(in, member.role, "role");
  found->of.push_back(std::move(member));
}

}  // namespace

session_lookup run(db_connection& db, const find_session& what) {
  const cell hash[] = {std::string_view{what.hash}};
  session_lookup answer;
  db.read(statements::read_session, hash, [&](const result_row& row) { add_session_row(answer.found, row); });
  return answer;
}

sessions_lookup run(db_connection& db, const find_sessions& what) {
  const cell user[] = {std::string_view{what.user.value}};
  sessions_lookup answer;
  read_into(db, read_sessions_of, user, answer.sessions, listed_session_from);
  return answer;
}

}  // namespace gateway::persistence
