// Mails that wait to be sent, and the links by which a forgotten password is replaced.
#include "persistence/tables/queries.hpp"
#include "persistence/tables/unit_rows.hpp"

namespace gateway::persistence {

namespace {

constexpr std::int64_t most_purged_together = 100;

template <class Columns, class Mail>
void mail_columns(Columns& v, Mail& m) {
  v.key("mail_id", m.id);
  v.fixed("kind", m.kind);
  v.fixed("recipient", m.to);
  v("sealed", m.sealed);
  v("status", m.status);
  v("attempts", m.attempts);
  v.fixed("created_at", m.created_at);
  v("due_at", m.due_at);
  v("expires_at", m.expires_at);
  v("leased_until", m.leased_until);
  v("ended_at", m.ended_at);
  v("last_error", m.last_error);
}

template <class Columns, class Link>
void password_link_columns(Columns& v, Link& l) {
  v.key("user_id", l.user);
  v("link_hash", l.hash);
  v("created_at", l.created_at);
  v("expires_at", l.expires);
}

const table_columns mail_table{"mail", [](column_names& v) {
                                 const queued_mail any{};
                                 mail_columns(v, any);
                               }};
const table_columns password_links_table{"password_links", [](column_names& v) {
                                           const save_password_link any{};
                                           password_link_columns(v, any);
                                         }};

queued_mail mail_from(const result_row& row) {
  column_reader v{row};
  queued_mail m;
  mail_columns(v, m);
  return m;
}

}  // namespace

namespace statements {

const write_shape insert_mail = mail_table.insert();
const write_shape put_password_link = password_links_table.put();
const statement lease_mail = sql(R"sql(
  UPDATE mail SET attempts = attempts + 1, leased_until = ? WHERE mail_id = ? AND status = 'pending' AND attempts = ?
)sql");
const statement finish_mail = sql(R"sql(
  UPDATE mail SET status = ?, due_at = ?, ended_at = ?, last_error = ?, leased_until = NULL,
  sealed = CASE WHEN ? = 1 THEN sealed ELSE '' END
  WHERE mail_id = ? AND status = 'pending' AND attempts = ? AND leased_until IS NOT NULL
)sql");
const statement retry_mail = sql(R"sql(
  UPDATE mail SET status = 'pending', due_at = ?, expires_at = ?, ended_at = NULL
  WHERE mail_id = ? AND status <> 'sent' AND sealed <> ''
)sql");
// MySQL permits no LIMIT in a subquery of IN; a derived table may have one.
const statement purge_mail = sql(R"sql(
  DELETE FROM mail WHERE mail_id IN (SELECT mail_id FROM
  (SELECT m.mail_id FROM mail AS m WHERE m.ended_at <= ? ORDER BY m.ended_at LIMIT ?) AS old)
)sql");
const statement forget_mail = sql(R"sql(
  UPDATE mail SET sealed = '' WHERE status = 'failed' AND expires_at <= ? AND sealed <> ''
  AND kind IN ('invitation', 'forgotten_password')
)sql");
const statement spend_password_link =
    sql("DELETE FROM password_links WHERE user_id = ? AND link_hash = ? AND expires_at > ?");
const statement drop_password_link = sql("DELETE FROM password_links WHERE user_id = ?");
const statement set_mailed_password =
    sql("UPDATE people SET password_hash = ?, password_set_at = ? WHERE user_id = ? AND password_hash = ''");

const statement read_due_mail = sql(R"sql(
  SELECT {columns} FROM mail {by mail_by_due} WHERE status = 'pending' AND due_at <= ?
  AND (leased_until IS NULL OR leased_until <= ?) ORDER BY due_at LIMIT ?
)sql",
                                    mail_table);
const statement read_mail = sql("SELECT {columns} FROM mail WHERE mail_id = ?", mail_table);
const statement read_newest_mail = sql(R"sql(
  SELECT {columns} FROM mail {by mail_by_age} WHERE created_at <= ? AND (created_at < ? OR mail_id < ?)
  AND (? = '' OR status = ?) ORDER BY created_at DESC, mail_id DESC LIMIT ?
)sql",
                                       mail_table);
const statement read_password_link = sql(R"sql(
  SELECT l.user_id, p.email, l.expires_at FROM password_links AS l JOIN people AS p ON p.user_id = l.user_id
  WHERE l.link_hash = ?
)sql");

}  // namespace statements

void insert_row(gathered_rows& rows, const save_mail& m) {
  column_writer v{rows.add_to(row_kind::mail)};
  mail_columns(v, m.what);
}

void claim_row(gathered_rows& rows, const lease_mail& m) {
  rows.add_to(row_kind::mail_lease).add(m.until).add(m.id).add(m.attempts);
}

void claim_row(gathered_rows& rows, const finish_mail& m) {
  auto& to = rows.add_to(row_kind::mail_finish);
  to.add(to_string(m.status)).add(m.due_at).add(m.ended_at).add(m.error);
  to.add(std::int64_t{m.keeps_content}).add(m.id).add(m.attempts);
}

void claim_row(gathered_rows& rows, const retry_mail& m) {
  rows.add_to(row_kind::mail_retry).add(m.at).add(m.expires).add(m.id);
}

void claim_row(gathered_rows& rows, const purge_mail& m) {
  rows.add_to(row_kind::mail_purge).add(m.ended_by).add(most_purged_together);
  rows.add_to(row_kind::mail_forgetting).add(m.now);
}

void insert_row(gathered_rows& rows, const save_password_link& l) {
  column_writer v{rows.add_to(row_kind::password_link)};
  password_link_columns(v, l);
}

void claim_row(gathered_rows& rows, const spend_password_link& l) {
  rows.add_to(row_kind::password_link_use).add(l.user.value).add(l.hash).add(l.at);
}

void claim_row(gathered_rows& rows, const set_mailed_password& p) {
  rows.add_to(row_kind::mailed_password).add(p.password_hash).add(p.set_at).add(p.user.value);
}

std::size_t row_hash(const save_mail& m) { return hash_of_texts({"mail", m.what.id}); }
std::size_t row_hash(const lease_mail& m) { return hash_of_texts({"mail", m.id}); }
std::size_t row_hash(const finish_mail& m) { return hash_of_texts({"mail", m.id}); }
std::size_t row_hash(const retry_mail& m) { return hash_of_texts({"mail", m.id}); }
std::size_t row_hash(const purge_mail&) { return hash_of_texts({"mail"}); }
std::size_t row_hash(const save_password_link& l) { return owner_hash(l.user); }
std::size_t row_hash(const spend_password_link& l) { return owner_hash(l.user); }
std::size_t row_hash(const set_mailed_password& p) { return owner_hash(p.user); }
std::size_t row_bytes(const save_mail& m) { return 256 + m.what.sealed.size(); }

mail_lookup run(db_connection& db, const find_due_mail& what) {
  const auto now = to_unix_ms(what.now);
  const cell parameters[] = {now, now, std::int64_t{what.limit}};
  mail_lookup answer;
  read_into(db, statements::read_due_mail, parameters, answer.mails, mail_from);
  return answer;
}

mail_lookup run(db_connection& db, const find_mail& what) {
  mail_lookup answer;
  if (!what.id.empty()) {
    const cell parameters[] = {std::string_view{what.id}};
    read_into(db, statements::read_mail, parameters, answer.mails, mail_from);
    return answer;
  }
  const auto before = bound(what.before, no_bound);
  const auto status = what.status ? to_string(*what.status) : std::string_view{};
  const cell parameters[] = {before, before, std::string_view{what.before_id},
                             status, status, std::int64_t{what.limit}};
  read_into(db, statements::read_newest_mail, parameters, answer.mails, mail_from);
  return answer;
}

password_link_lookup run(db_connection& db, const find_password_link& what) {
  const cell parameters[] = {std::string_view{what.hash}};
  password_link_lookup answer;
  db.read(statements::read_password_link, parameters, [&](const result_row& row) {
    cursor in{row};
    auto& found = answer.found.emplace();
    found.user = user_id{in.text()};
    found.email = in.text();
    found.expires = in.time();
  });
  return answer;
}

}  // namespace gateway::persistence
