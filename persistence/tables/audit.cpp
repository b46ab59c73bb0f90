// The audit log: the changes that people, operators and platforms have made. The writer of a lane links its entries to
// a chain (docs/decisions/0059-the-audit-log-is-chained.md).
#include <algorithm>

#include "gateway/domain/text.hpp"
#include "gateway/ports/store/audit_check.hpp"
#include "gateway/ports/store/witness_rows.hpp"
#include "persistence/tables/queries.hpp"
#include "persistence/tables/unit_rows.hpp"

namespace gateway::persistence {

namespace {

/// An absent environment is stored as an empty text.
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

/// An absent state is stored as NULL, as in entries that are older than the column.
template <class Text>
struct state_or_null {
  static constexpr bool nullable = true;
  Text& text;
};
template <class Text>
state_or_null(Text&) -> state_or_null<Text>;
template <class Text>
void put(row_buffer& to, const state_or_null<Text>& value) {
  value.text.empty() ? to.null() : to.add(value.text);
}
template <class Text>
void get(cursor& in, const state_or_null<Text>& value, const char*) {
  if (!in.skip_null()) value.text = in.text();
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
  v.fixed("before_state", state_or_null{a.before});
  v.fixed("after_state", state_or_null{a.after});
}

/// The link's columns are NULL in an entry without one. For writing only; stored_entry_from() reads them.
template <class Columns, class Entry>
void entry_columns(Columns& v, Entry& e) {
  audit_columns(v, e.what);
  v.part(e.link, 6, "a part of the link is missing", [&](auto& link) {
    v.fixed("chain_id", link.chain);
    v.fixed("chain_number", link.number);
    v.fixed("previous_hash", link.previous_hash);
    v.fixed("details_salt", link.details_salt);
    v.fixed("details_hash", link.details_hash);
    v.fixed("entry_hash", link.hash);
  });
}

template <class Columns, class Head>
void head_columns(Columns& v, Head& h) {
  v.key("chain_id", h.chain);
  v.fixed("purged_to", h.purged_to);
  v.fixed("purged_hash", h.purged_hash);
  v("chain_number", h.number);
  v("entry_hash", h.hash);
}

const table_columns audit_table{"audit_log", [](column_names& v) {
                                  const save_audit any{};
                                  audit_columns(v, any);
                                }};
const table_columns entry_table{"audit_log", [](column_names& v) {
                                  const audit_entry any{};
                                  entry_columns(v, any);
                                }};
const table_columns head_table{"audit_heads", [](column_names& v) {
                                 const audit_head any{};
                                 head_columns(v, any);
                               }};

/// Inserts the head if it is absent, so that it can be locked: two writers may share a lane.
const statement begin_chain = sql(
    "{INSERT OR IGNORE|INSERT IGNORE} INTO audit_heads (chain_id, purged_to, purged_hash, chain_number, entry_hash) "
    "VALUES (?, 0, '', 0, '')");
const statement read_own_head = sql("SELECT {columns} FROM audit_heads WHERE chain_id = ? {|FOR UPDATE}", head_table);
const statement read_head_of = sql("SELECT {columns} FROM audit_heads WHERE chain_id = ?", head_table);
const statement read_heads = sql("SELECT {columns} FROM audit_heads ORDER BY chain_id", head_table);
// Chains are searched in both tables, because one may have lost its head or all of its entries.
const statement read_next_headed = sql("SELECT MIN(chain_id) FROM audit_heads WHERE chain_id > ?");
const statement read_next_chained = sql("SELECT MIN(chain_id) FROM audit_log WHERE chain_id > ?");
const statement count_unlinked = sql("SELECT COUNT(*) FROM audit_log {by audit_chain} WHERE chain_id IS NULL");
/// The migration whose version first linked entries.
constexpr std::int64_t linking_migration = 28;
// A database whose first migration was applied together with that one has no entries of earlier versions.
const statement read_late_unlinked = sql(R"sql(
  SELECT audit_id FROM audit_log {by audit_by_age} WHERE chain_id IS NULL
  AND occurred_at > (SELECT linking.applied_at
                            + CASE WHEN first.applied_at < linking.applied_at - ? THEN ? ELSE 0 END
                     FROM schema_migrations linking JOIN schema_migrations first ON first.version = 1
                     WHERE linking.version = ?)
  ORDER BY occurred_at, audit_id LIMIT 1
)sql");
/// A new database applies all migrations within this time.
constexpr std::chrono::milliseconds making_of_database = std::chrono::minutes{10};

}  // namespace

namespace statements {

const write_shape insert_audit = entry_table.insert();
const write_shape put_audit_head = head_table.put();

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

// Of all, or of one merchant; newest first, or oldest first (`_back`).
const statement read_audit = sql(R"sql(
  SELECT {columns a}, p.email FROM audit_log a {by audit_by_age} LEFT JOIN people p ON p.user_id = a.user_id
  WHERE a.occurred_at >= ? AND a.occurred_at <= ? AND (a.occurred_at < ? OR a.audit_id < ?)
  ORDER BY a.occurred_at DESC, a.audit_id DESC LIMIT ?
)sql",
                                 entry_table);
const statement read_audit_back = sql(R"sql(
  SELECT {columns a}, p.email FROM audit_log a {by audit_by_age} LEFT JOIN people p ON p.user_id = a.user_id
  WHERE a.occurred_at < ? AND a.occurred_at >= ? AND (a.occurred_at > ? OR a.audit_id > ?)
  ORDER BY a.occurred_at, a.audit_id LIMIT ?
)sql",
                                      entry_table);
const statement read_merchants_audit = sql(R"sql(
  SELECT {columns a}, p.email FROM audit_log a {by audit_of_merchant} LEFT JOIN people p ON p.user_id = a.user_id
  WHERE a.merchant_id = ? AND a.occurred_at >= ? AND a.occurred_at <= ? AND (a.occurred_at < ? OR a.audit_id < ?)
  ORDER BY a.occurred_at DESC, a.audit_id DESC LIMIT ?
)sql",
                                           entry_table);
const statement read_merchants_audit_back = sql(R"sql(
  SELECT {columns a}, p.email FROM audit_log a {by audit_of_merchant} LEFT JOIN people p ON p.user_id = a.user_id
  WHERE a.merchant_id = ? AND a.occurred_at < ? AND a.occurred_at >= ? AND (a.occurred_at > ? OR a.audit_id > ?)
  ORDER BY a.occurred_at, a.audit_id LIMIT ?
)sql",
                                                entry_table);
const statement read_audit_chain = sql(R"sql(
  SELECT {columns} FROM audit_log {by audit_chain}
  WHERE chain_id = ? AND chain_number >= ? AND (chain_number > ? OR audit_id > ?)
  ORDER BY chain_number, audit_id LIMIT ?
)sql",
                                       entry_table);

}  // namespace statements

namespace {

save_audit audit_from(const result_row& row) {
  column_reader v{row};
  save_audit a;
  audit_columns(v, a);
  return a;
}

std::string text_or_empty(cursor& in) { return in.skip_null() ? std::string{} : in.text(); }

/// Reads the columns in the order of entry_columns(). Accepts any values, so that a changed entry is shown, and its
/// hash reveals the change. The gateway itself writes no value out of bounds.
audit_entry stored_entry_from(cursor& in) {
  constexpr auto lowest = std::numeric_limits<std::int64_t>::min(), highest = std::numeric_limits<std::int64_t>::max();
  audit_entry e;
  auto& a = e.what;
  get(in, a.user, "user_id");
  const auto at = in.number("occurred_at", lowest, highest);
  a.at = from_unix_ms(std::clamp(at, first_ms, last_ms));
  get(in, a.id, "audit_id");
  get(in, a.address, "address");
  get(in, a.action, "action");
  get(in, a.subject, "subject");
  get(in, a.merchant, "merchant_id");
  const auto env = in.text();
  a.env = parse_environment(env);
  e.has_foreign_values = at != to_unix_ms(a.at) || (!a.env && !env.empty());
  a.before = text_or_empty(in);
  a.after = text_or_empty(in);
  if (in.skip_null()) {
    for (int i = 0; i < 5; ++i) text_or_empty(in);
    return e;
  }
  auto& link = e.link.emplace();
  link.chain = in.number("chain_id", lowest, highest);
  if (!in.skip_null()) link.number = in.number("chain_number", lowest, highest);
  link.previous_hash = text_or_empty(in);
  link.details_salt = text_or_empty(in);
  link.details_hash = text_or_empty(in);
  link.hash = text_or_empty(in);
  return e;
}

audit_entry entry_from(const result_row& row) {
  cursor in{row};
  return stored_entry_from(in);
}

/// From a row that also has the person's address.
audit_entry listed_entry_from(const result_row& row) {
  cursor in{row};
  auto e = stored_entry_from(in);
  e.email = text_or_empty(in);
  return e;
}

/// Accepts any values, as stored_entry_from() does.
audit_head audit_head_from(const result_row& row) {
  return {row.integer(0), row.integer(3), row.text(4), row.integer(1), row.text(2)};
}

std::optional<audit_head> read_audit_head(db_connection& db, const statement& sql, std::int64_t chain) {
  const cell of[] = {chain};
  std::optional<audit_head> found;
  db.read(sql, of, [&](const result_row& row) { found = audit_head_from(row); });
  return found;
}

std::optional<std::int64_t> next_chain(db_connection& db, std::int64_t behind) {
  const cell of[] = {behind};
  std::optional<std::int64_t> next;
  for (const auto* each : {&read_next_headed, &read_next_chained})
    db.read(*each, of, [&](const result_row& row) {
      if (!row.is_null(0)) next = std::min(next.value_or(row.integer(0)), row.integer(0));
    });
  return next;
}

}  // namespace

void insert_row(gathered_rows& rows, const save_audit& a) { rows.add_audit(a); }

std::size_t row_hash(const save_audit& a) { return hash_of_texts({a.id}); }

std::size_t row_bytes(const save_audit& a) { return 768 + a.before.size() + a.after.size(); }

/// The head's row is locked from here to the commit: writers of other lanes have chains of their own and do not wait
/// for it.
void link_audits(db_connection& db, gathered_rows& rows, std::int64_t lane) {
  auto head = read_audit_head(db, read_own_head, lane);
  if (!head) {
    const cell of[] = {lane};
    db.change(begin_chain, of);
    head = read_audit_head(db, read_own_head, lane).value_or(audit_head{lane});
  }
  column_writer entries{rows.add_to(row_kind::audit)};
  for (const auto* what : rows.audits()) {
    auto link = audit_link_after(lane, head->number, head->hash, fields_of(*what));
    head->number = link.number;
    head->hash = link.hash;
    entry_columns(entries, rows.keep(audit_entry{*what, std::move(link)}));
  }
  column_writer heads{rows.add_to(row_kind::audit_head)};
  head_columns(heads, rows.keep(*std::move(head)));
}

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

audit_entries_lookup run(db_connection& db, const find_audit_entries& what) {
  const auto from = bound(what.from, first_ms), until = bound(what.until, no_bound);
  const bool back = what.oldest_first;
  // The end that the list starts from: the position after which it continues, or the bound of the times.
  auto start = back ? from : until;
  std::string_view id;
  if (what.after && (back ? to_unix_ms(what.after->at) >= from : to_unix_ms(what.after->at) < until)) {
    start = to_unix_ms(what.after->at);
    id = what.after->id;
  }
  // Without a position, entries at `from` belong to the list, and those at `until` do not.
  const std::int64_t limit = what.limit, other_end = back ? until : from;
  std::vector<cell> parameters{other_end, start, start, id, limit};
  if (!what.merchant.empty()) parameters.insert(parameters.begin(), std::string_view{what.merchant.value});
  const auto& everywhere = back ? statements::read_audit_back : statements::read_audit;
  const auto& of_merchant = back ? statements::read_merchants_audit_back : statements::read_merchants_audit;
  audit_entries_lookup answer;
  read_into(db, what.merchant.empty() ? everywhere : of_merchant, parameters, answer.entries, listed_entry_from);
  return answer;
}

audit_chain_lookup run(db_connection& db, const find_audit_chain& what) {
  audit_chain_lookup answer;
  answer.chain = what.chain ? what.chain : next_chain(db, -1);
  if (!answer.chain) return answer;
  answer.head = read_audit_head(db, read_head_of, *answer.chain);
  const cell parameters[] = {*answer.chain, what.after, what.after, std::string_view{what.after_id},
                             std::int64_t{what.limit}};
  read_into(db, statements::read_audit_chain, parameters, answer.entries, entry_from);
  answer.later = read_audit_head(db, read_head_of, *answer.chain);
  answer.next = next_chain(db, *answer.chain);
  return answer;
}

audit_heads_lookup run(db_connection& db, const find_audit_heads& what) {
  audit_heads_lookup answer;
  read_into(db, read_heads, {}, answer.heads, audit_head_from);
  const auto backup = read_meta(db, last_backup_name).value_or("");
  if (const auto ms = parse_whole(backup, 0, no_bound)) answer.backup_made_at = from_unix_ms(*ms);
  if (!what.counts_unlinked) return answer;
  db.read(count_unlinked, {}, [&](const result_row& row) { answer.unlinked = row.integer(0); });
  const cell later_than[] = {making_of_database.count(), unlinked_after_upgrade.count(), linking_migration};
  db.read(read_late_unlinked, later_than, [&](const result_row& row) { answer.late_unlinked_id = row.text(0); });
  return answer;
}

}  // namespace gateway::persistence
