// Which people belong to a merchant, and which are invited.
#include "persistence/tables/queries.hpp"
#include "persistence/tables/unit_rows.hpp"

namespace gateway::persistence {

namespace {

template <class Columns, class Membership>
void membership_columns(Columns& v, Membership& m) {
  v.key("merchant_id", m.merchant);
  v.key("user_id", m.user);
  v("role", m.role);
  v.fixed("created_at", m.created_at);
}

template <class Columns, class Invitation>
void invitation_columns(Columns& v, Invitation& i) {
  v.key("merchant_id", i.merchant);
  v.key("user_id", i.user);
  v("invitation_id", i.id);
  v("made_by", i.by);
  v("role", i.role);
  v("created_at", i.created_at);
  v("expires_at", i.expires);
  v("mailed", i.mailed);
}

const table_columns memberships_table{"memberships", [](column_names& v) {
                                        const save_membership any{};
                                        membership_columns(v, any);
                                      }};
const table_columns invitations_table{"invitations", [](column_names& v) {
                                        const stored_invitation any{};
                                        invitation_columns(v, any);
                                      }};

}  // namespace

namespace statements {

const write_shape put_membership = memberships_table.put();
const write_shape put_invitation = invitations_table.put();
const statement drop_membership = sql("DELETE FROM memberships WHERE merchant_id = ? AND user_id = ?");
const statement drop_invitation = sql("DELETE FROM invitations WHERE merchant_id = ? AND user_id = ?");
const statement spend_invitation =
    sql("DELETE FROM invitations WHERE merchant_id = ? AND user_id = ? AND invitation_id = ? AND expires_at > ?");
const statement purge_invitations = sql("DELETE FROM invitations WHERE merchant_id = ? AND expires_at <= ?");

const statement read_memberships_of =
    sql("SELECT {columns} FROM memberships WHERE merchant_id = ? ORDER BY created_at, user_id", memberships_table);
const statement read_invitations_of =
    sql("SELECT {columns i} FROM invitations AS i WHERE i.merchant_id = ? ORDER BY i.created_at, i.user_id",
        invitations_table);
// A row for each invitation, or one row whose last columns are null.
const statement read_invitations_of_user = sql(R"sql(
  SELECT CASE WHEN p.password_hash = '' THEN 0 ELSE 1 END, p.password_shown_to,
  CASE WHEN EXISTS (SELECT 1 FROM memberships AS m WHERE m.user_id = p.user_id) THEN 1 ELSE 0 END, {columns i}, t.name
  FROM people AS p LEFT JOIN invitations AS i ON i.user_id = p.user_id
  LEFT JOIN merchants AS t ON t.merchant_id = i.merchant_id
  WHERE p.user_id = ?
  ORDER BY CASE WHEN i.made_by = 'operator' THEN 0 ELSE 1 END, i.expires_at DESC, i.merchant_id LIMIT ?
)sql",
                                               invitations_table);

}  // namespace statements

void insert_row(gathered_rows& rows, const save_membership& m) {
  column_writer v{rows.add_to(row_kind::membership)};
  membership_columns(v, m);
}

void claim_row(gathered_rows& rows, const drop_membership& m) {
  rows.add_to(row_kind::membership_end).add(m.merchant.value).add(m.user.value);
}

void insert_row(gathered_rows& rows, const save_invitation& i) {
  column_writer v{rows.add_to(row_kind::invitation)};
  invitation_columns(v, i.what);
  rows.add_to(row_kind::invitations_purge).add(i.what.merchant.value).add(i.what.created_at);
}

void claim_row(gathered_rows& rows, const drop_invitation& i) {
  rows.add_to(row_kind::invitation_end).add(i.merchant.value).add(i.user.value);
}

void claim_row(gathered_rows& rows, const spend_invitation& i) {
  rows.add_to(row_kind::invitation_use).add(i.merchant.value).add(i.user.value).add(i.id).add(i.at);
}

std::size_t row_hash(const save_membership& m) { return hash_of_texts({m.merchant.value, m.user.value}); }
std::size_t row_hash(const drop_membership& m) { return hash_of_texts({m.merchant.value, m.user.value}); }
std::size_t row_hash(const save_invitation& i) { return hash_of_texts({i.what.merchant.value, i.what.user.value}); }
std::size_t row_hash(const drop_invitation& i) { return hash_of_texts({i.merchant.value, i.user.value}); }
std::size_t row_hash(const spend_invitation& i) { return hash_of_texts({i.merchant.value, i.user.value}); }

stored_membership membership_from(const result_row& row) {
  column_reader v{row};
  stored_membership m;
  membership_columns(v, m);
  return m;
}

stored_invitation invitation_from(const result_row& row) {
  column_reader v{row};
  stored_invitation i;
  invitation_columns(v, i);
  return i;
}

namespace {

/// Adds the invitation of a row of read_invitations_of_user, and sets the person's state.
void add_invitation_row(invitations_lookup& found, const result_row& row) {
  column_reader v{row};
  auto& in = v.rest();
  found.has_password = in.flag("has_password");
  found.shown_to = merchant_id{in.text()};
  found.is_member = in.flag("is_member");
  if (in.is_null()) return;
  named_invitation one;
  invitation_columns(v, one.what);
  one.merchant_name = in.text();
  found.invitations.push_back(std::move(one));
}

}  // namespace

invitations_lookup run(db_connection& db, const find_invitations& what) {
  const cell of[] = {std::string_view{what.user.value}, std::int64_t{most_invitations_told}};
  invitations_lookup answer;
  db.read(statements::read_invitations_of_user, of, [&](const result_row& row) { add_invitation_row(answer, row); });
  return answer;
}

}  // namespace gateway::persistence
