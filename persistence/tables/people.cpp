// People, their passwords and their second factors.
#include "persistence/tables/queries.hpp"
#include "persistence/tables/unit_rows.hpp"

namespace gateway::persistence {

namespace {

/// For inserts only: reads select other columns, and most columns change by statements of their own.
template <class Columns, class User>
void person_columns(Columns& v, User& u) {
  v.key("user_id", u.id);
  v.fixed("email", u.email);
  v.fixed("email_key", email_key_of(u.email));
  v("password_hash", u.password_hash);
  v.fixed("created_at", u.created_at);
}

const table_columns people_table{"people", [](column_names& v) {
                                   const save_user any{};
                                   person_columns(v, any);
                                 }};

struct recovery_code {
  user_id user;
  std::string hash;
};

template <class Columns, class Code>
void recovery_code_columns(Columns& v, Code& c) {
  v.key("user_id", c.user);
  v.key("code_hash", c.hash);
}

const table_columns recovery_codes_table{"recovery_codes", [](column_names& v) {
                                           const recovery_code any{};
                                           recovery_code_columns(v, any);
                                         }};

const statement read_person = sql(R"sql(
  SELECT p.user_id, p.email, p.password_hash, p.created_at, p.sealed_totp, p.totp_step,
  (SELECT COUNT(*) FROM recovery_codes AS r WHERE r.user_id = p.user_id AND r.spent_at IS NULL), p.time_zone
  FROM people AS p WHERE p.email_key = ?
)sql");

}  // namespace

namespace statements {

const write_shape insert_person = people_table.insert();
const write_shape insert_recovery_code = recovery_codes_table.insert();
const statement update_password = sql("UPDATE people SET password_hash = ?, password_set_at = ? WHERE user_id = ?");
// MariaDB counts only rows that an UPDATE changes, so the statement counts its uses.
const statement check_credentials = sql(R"sql(
  UPDATE people SET credential_uses = credential_uses + 1
  WHERE user_id = ? AND password_hash = ? AND sealed_totp = ?
)sql");
const statement set_first_password = sql(R"sql(
  UPDATE people SET password_hash = ?, password_set_at = ?, password_shown_to = ? WHERE user_id = ?
  AND password_hash = '' AND NOT EXISTS (SELECT 1 FROM memberships AS m WHERE m.user_id = ?)
)sql");
const statement end_shown_password = sql(R"sql(
  UPDATE people SET password_hash = '', password_shown_to = '', sealed_totp = '', totp_step = 0
  WHERE user_id = ? AND password_shown_to <> ''
)sql");
const statement end_shown_codes = sql(R"sql(
  DELETE FROM recovery_codes
  WHERE user_id = ? AND EXISTS (SELECT 1 FROM people AS p WHERE p.user_id = ? AND p.password_hash = '')
)sql");
const statement replace_second_factor = sql("UPDATE people SET sealed_totp = ?, totp_step = 0 WHERE user_id = ?");
const statement drop_recovery_codes = sql("DELETE FROM recovery_codes WHERE user_id = ?");
const statement spend_totp_step =
    sql("UPDATE people SET totp_step = ? WHERE user_id = ? AND totp_step < ? AND sealed_totp <> ''");
const statement spend_recovery_code =
    sql("UPDATE recovery_codes SET spent_at = ? WHERE user_id = ? AND code_hash = ? AND spent_at IS NULL");
const statement update_time_zone = sql("UPDATE people SET time_zone = ? WHERE user_id = ?");

const statement read_people_of = sql(R"sql(
  SELECT user_id, email, CASE WHEN password_hash = '' THEN 0 ELSE 1 END FROM people
  WHERE user_id IN (SELECT user_id FROM memberships WHERE merchant_id = ?) ORDER BY created_at, user_id
)sql");
// A statement of its own, because MySQL reads every person for a UNION inside IN.
const statement read_invited_people_of = sql(R"sql(
  SELECT user_id, email, CASE WHEN password_hash = '' THEN 0 ELSE 1 END FROM people
  WHERE user_id IN (SELECT user_id FROM invitations WHERE merchant_id = ?)
  AND NOT EXISTS (SELECT 1 FROM memberships AS m WHERE m.merchant_id = ? AND m.user_id = people.user_id)
  ORDER BY created_at, user_id
)sql");
const statement read_user =
    sql("SELECT user_id, email, CASE WHEN password_hash = '' THEN 0 ELSE 1 END FROM people WHERE user_id = ?");
const statement read_user_of_address =
    sql("SELECT user_id, email, CASE WHEN password_hash = '' THEN 0 ELSE 1 END FROM people WHERE email_key = ?");

}  // namespace statements

void insert_row(gathered_rows& rows, const save_user& u) {
  column_writer v{rows.add_to(row_kind::person)};
  person_columns(v, u);
}

void claim_row(gathered_rows& rows, const set_user_password& p) {
  rows.add_to(row_kind::password_change).add(p.password_hash).add(p.set_at).add(p.user.value);
  rows.add_to(row_kind::other_sessions_end).add(p.user.value).add(p.kept_session);
  rows.add_to(row_kind::password_link_end).add(p.user.value);
}

void claim_row(gathered_rows& rows, const set_first_password& p) {
  auto& to = rows.add_to(row_kind::first_password);
  to.add(p.password_hash).add(p.set_at).add(p.shown_to.value).add(p.user.value).add(p.user.value);
}

void claim_row(gathered_rows& rows, const end_shown_password& p) {
  rows.add_to(row_kind::shown_password_end).add(p.user.value);
  rows.add_to(row_kind::shown_sessions_end).add(p.user.value).add(p.user.value);
  rows.add_to(row_kind::shown_codes_end).add(p.user.value).add(p.user.value);
}

void claim_row(gathered_rows& rows, const check_credentials& c) {
  rows.add_to(row_kind::credentials_check).add(c.user.value).add(c.password_hash).add(c.sealed_totp);
}

void claim_row(gathered_rows& rows, const set_second_factor& f) {
  rows.add_to(row_kind::second_factor).add(f.sealed_totp).add(f.user.value);
  rows.add_to(row_kind::recovery_codes_end).add(f.user.value);
  for (const auto& hash : f.recovery_hashes) rows.add_to(row_kind::recovery_code).add(f.user.value).add(hash);
}

void claim_row(gathered_rows& rows, const spend_totp_step& s) {
  rows.add_to(row_kind::totp_step_use).add(s.step).add(s.user.value).add(s.step);
}

void claim_row(gathered_rows& rows, const spend_recovery_code& c) {
  rows.add_to(row_kind::recovery_code_use).add(c.spent_at).add(c.user.value).add(c.hash);
}

void claim_row(gathered_rows& rows, const set_time_zone& z) {
  rows.add_to(row_kind::time_zone_change).add(z.zone).add(z.user.value);
}

std::size_t owner_hash(const user_id& user) { return hash_of_texts({user.value}); }
std::size_t row_hash(const save_user& u) { return owner_hash(u.id); }
std::size_t row_hash(const set_user_password& p) { return owner_hash(p.user); }
std::size_t row_hash(const set_first_password& p) { return owner_hash(p.user); }
std::size_t row_hash(const end_shown_password& p) { return owner_hash(p.user); }
std::size_t row_hash(const check_credentials& c) { return owner_hash(c.user); }
std::size_t row_hash(const set_second_factor& f) { return owner_hash(f.user); }
std::size_t row_hash(const spend_totp_step& s) { return owner_hash(s.user); }
std::size_t row_hash(const spend_recovery_code& c) { return owner_hash(c.user); }
std::size_t row_hash(const set_time_zone& z) { return owner_hash(z.user); }

stored_user user_from(const result_row& row) {
  cursor in{row};
  stored_user u;
  u.id = user_id{in.text()};
  u.email = in.text();
  u.has_password = in.flag("has_password");
  return u;
}

namespace {

stored_person person_from(const result_row& row) {
  cursor in{row};
  stored_person u;
  u.id = user_id{in.text()};
  u.email = in.text();
  u.password_hash = in.text();
  u.created_at = in.time();
  u.sealed_totp = in.text();
  u.totp_step = in.number("totp_step");
  u.recovery_codes_left = in.number("recovery codes");
  u.time_zone = in.text();
  return u;
}

}  // namespace

user_lookup run(db_connection& db, const find_user& what) {
  const cell key[] = {std::string_view{what.email_key}};
  user_lookup answer;
  db.read(read_person, key, [&](const result_row& row) { answer.found = person_from(row); });
  return answer;
}

}  // namespace gateway::persistence
