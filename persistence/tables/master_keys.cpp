// The master keys that the database knows, and the texts in other tables that are sealed under them.
#include <algorithm>

#include "persistence/tables/queries.hpp"
#include "persistence/tables/unit_rows.hpp"

namespace gateway::persistence {

namespace {

template <class Columns, class Key>
void master_key_columns(Columns& v, Key& k) {
  v.key("key_id", k.id);
  v.fixed("fingerprint", k.fingerprint);
  v.fixed("position", k.position);
  v("status", k.status);
  v("wrapped", k.wrapped);
  v.fixed("created_at", k.created_at);
}

const table_columns master_keys_table{"master_keys", [](column_names& v) {
                                        const save_master_key any{};
                                        master_key_columns(v, any);
                                      }};

const statement read_master_keys = sql("SELECT {columns} FROM master_keys ORDER BY position", master_keys_table);

/// Where the texts of a sealed_column are: table, column, the column of the id, and the other column of the table's
/// key, such as the owner's; empty if it has none.
struct sealed_place {
  sealed_column in;
  std::string_view table, column, id, of;
  row_kind anew;
};
constexpr sealed_place places[] = {
    {sealed_column::api_key, "api_keys", "sealed_secret", "key_id", "merchant_id", row_kind::api_key_seal},
    {sealed_column::platform_key, "platform_keys", "sealed_secret", "key_id", "platform_id",
     row_kind::platform_key_seal},
    {sealed_column::destination, "destinations", "sealed_secret", "destination_id", "owner_id",
     row_kind::destination_seal},
    {sealed_column::previous_secret, "destinations", "sealed_previous", "destination_id", "owner_id",
     row_kind::previous_secret_seal},
    {sealed_column::provider, "providers", "sealed_settings", "provider", "environment", row_kind::provider_seal},
    {sealed_column::second_factor, "people", "sealed_totp", "user_id", "", row_kind::second_factor_seal},
    {sealed_column::operator_factor, "operators", "sealed_totp", "operator_key", "", row_kind::operator_factor_seal},
    {sealed_column::mail, "mail", "sealed", "mail_id", "", row_kind::mail_seal},
};
static_assert(std::ranges::equal(places, all_sealed_columns, {}, &sealed_place::in), "each column stands at its place");

const sealed_place& place_of(sealed_column in) { return places[static_cast<std::size_t>(in)]; }

/// The text with `{table}`, `{column}`, `{id}` and `{of}` replaced by the place's.
std::string filled(std::string_view text, const sealed_place& at) {
  std::string out;
  const std::pair<std::string_view, std::string_view> names[] = {
      {"{table}", at.table}, {"{column}", at.column}, {"{id}", at.id}, {"{of}", at.of.empty() ? "''" : at.of}};
  while (!text.empty()) {
    const auto* name = std::ranges::find_if(names, [&](const auto& each) { return text.starts_with(each.first); });
    out += name == std::end(names) ? text.substr(0, 1) : name->second;
    text.remove_prefix(name == std::end(names) ? 1 : name->first.size());
  }
  return out;
}

/// One text for each place, with `between` them.
std::string of_all_places(std::string_view text, std::string_view between) {
  std::string out;
  for (const auto& at : places) out.append(out.empty() ? "" : between).append(filled(text, at));
  return out;
}

/// A sealed text contains the id of its key before its first point.
const statement count_sealed{
    "SELECT SUBSTR(sealed.body, 1, INSTR(sealed.body, '.') - 1) AS key_id, COUNT(*) FROM (" +
    of_all_places("SELECT {column} AS body FROM {table}", " UNION ALL ") +
    ") AS sealed WHERE sealed.body <> '' GROUP BY SUBSTR(sealed.body, 1, INSTR(sealed.body, '.') - 1)"};

/// The texts that other keys have sealed.
const statement& read_sealed_by_others(sealed_column in) {
  static const auto all = [] {
    std::vector<statement> one_each;
    for (const auto& at : places)
      one_each.emplace_back(
          filled("SELECT {id}, {of}, {column} FROM {table} WHERE {id} > ? AND {column} <> '' AND "
                 "{column} NOT LIKE ? ORDER BY {id} LIMIT ?",
                 at));
    return one_each;
  }();
  return all[static_cast<std::size_t>(in)];
}

statement reseal_of(sealed_column in) {
  const auto& at = place_of(in);
  return statement{filled(at.of.empty()
                              ? "UPDATE {table} SET {column} = ? WHERE {id} = ? AND {column} = ?"
                              : "UPDATE {table} SET {column} = ? WHERE {of} = ? AND {id} = ? AND {column} = ?",
                          at)};
}

/// Matches the texts that the key has sealed. Ids have no character with a meaning in a pattern.
std::string pattern_of(const std::string& key_id) { return key_id + ".%"; }

save_master_key master_key_from(const result_row& row) {
  column_reader v{row};
  save_master_key k;
  master_key_columns(v, k);
  return k;
}

}  // namespace

namespace statements {

const write_shape insert_master_key = master_keys_table.insert();
const statement demote_master_keys =
    sql("UPDATE master_keys SET status = 'old' WHERE status = 'current' AND key_id <> ?");
const statement promote_master_key =
    sql("UPDATE master_keys SET status = 'current' WHERE key_id = ? AND status = 'offered'");
const statement withdraw_master_key = sql("DELETE FROM master_keys WHERE key_id = ? AND status = 'offered'");
const statement retire_master_key{
    "UPDATE master_keys SET status = 'retired', wrapped = '' WHERE key_id = ? AND status = 'old' AND " +
    of_all_places("NOT EXISTS (SELECT 1 FROM {table} WHERE {column} LIKE ? OR (? = 1 AND {column} <> '' AND "
                  "{column} NOT LIKE '%.%'))",
                  " AND ")};
// A key that is wrapped in a retired one can no longer be opened.
const statement unwrap_master_keys = sql(R"sql(
  UPDATE master_keys SET wrapped = ''
  WHERE wrapped LIKE ? OR (? = 1 AND wrapped <> '' AND wrapped NOT LIKE '%.%')
)sql");

const statement reseal_api_key = reseal_of(sealed_column::api_key);
const statement reseal_platform_key = reseal_of(sealed_column::platform_key);
const statement reseal_destination = reseal_of(sealed_column::destination);
const statement reseal_previous_secret = reseal_of(sealed_column::previous_secret);
const statement reseal_provider = reseal_of(sealed_column::provider);
const statement reseal_second_factor = reseal_of(sealed_column::second_factor);
const statement reseal_operator_factor = reseal_of(sealed_column::operator_factor);
const statement reseal_mail = reseal_of(sealed_column::mail);

}  // namespace statements

// ---- writes -------------------------------------------------------------------------------------

void insert_row(gathered_rows& rows, const save_master_key& k) {
  column_writer v{rows.add_to(row_kind::master_key)};
  master_key_columns(v, k);
}

void claim_row(gathered_rows& rows, const promote_key& k) {
  rows.add_to(row_kind::master_key_demotion).add(k.id);
  rows.add_to(row_kind::master_key_promotion).add(k.id);
}

void claim_row(gathered_rows& rows, const withdraw_key& k) { rows.add_to(row_kind::master_key_withdrawal).add(k.id); }

void claim_row(gathered_rows& rows, const retire_key& k) {
  const std::int64_t unnamed = k.seals_unnamed ? 1 : 0;
  auto& to = rows.add_to(row_kind::master_key_retirement);
  to.add(k.id);
  for (std::size_t i = 0; i < all_sealed_columns.size(); ++i) to.keep(pattern_of(k.id)).add(unnamed);
  rows.add_to(row_kind::master_key_unwrapping).keep(pattern_of(k.id)).add(unnamed);
}

void claim_row(gathered_rows& rows, const reseal& r) {
  const auto& at = place_of(r.was.in);
  auto& to = rows.add_to(at.anew);
  to.add(r.text);
  if (!at.of.empty()) to.add(r.was.of);
  to.add(r.was.id).add(r.was.text);
}

std::size_t row_hash(const save_master_key&) { return hash_of_texts({"master_keys"}); }
std::size_t row_hash(const promote_key&) { return hash_of_texts({"master_keys"}); }
std::size_t row_hash(const withdraw_key&) { return hash_of_texts({"master_keys"}); }
std::size_t row_hash(const retire_key&) { return hash_of_texts({"master_keys"}); }
/// The same as the hash of the row that holds the text.
std::size_t row_hash(const reseal& r) {
  if (r.was.in == sealed_column::provider) return hash_of_texts({r.was.id, r.was.of});
  if (r.was.in == sealed_column::operator_factor) return hash_of_texts({"operator", r.was.id});
  return hash_of_texts({r.was.id});
}
std::size_t row_bytes(const save_master_key& k) { return 256 + k.wrapped.size(); }
std::size_t row_bytes(const reseal& r) { return 256 + r.was.text.size() + r.text.size(); }

// ---- reads --------------------------------------------------------------------------------------

std::vector<save_master_key> read_master_key_rows(db_connection& db) {
  std::vector<save_master_key> keys;
  read_into(db, read_master_keys, {}, keys, master_key_from);
  return keys;
}

bool insert_master_key_if_absent(db_connection& db, const save_master_key& key) {
  const cell row[] = {std::string_view{key.id}, std::string_view{key.fingerprint}, key.position,
                      to_string(key.status),    std::string_view{key.wrapped},     to_unix_ms(key.created_at)};
  db.begin();
  const auto result = db.write(statements::insert_master_key, row);
  if (result == write_result::done)
    db.commit();
  else
    db.rollback();
  return result == write_result::done;
}

master_keys_lookup run(db_connection& db, const find_master_keys& what) {
  master_keys_lookup found;
  found.keys = read_master_key_rows(db);
  if (!what.count) return found;
  db.read(count_sealed, {}, [&](const result_row& row) {
    cursor in{row};
    auto id = in.text();
    found.sealed.push_back({std::move(id), static_cast<std::uint64_t>(in.number("sealed texts"))});
  });
  std::ranges::sort(found.sealed, {}, &sealed_count::id);
  return found;
}

sealed_lookup run(db_connection& db, const find_sealed& what) {
  const auto pattern = pattern_of(what.current);
  const cell parameters[] = {std::string_view{what.after}, std::string_view{pattern}, std::int64_t{what.limit}};
  sealed_lookup found;
  db.read(read_sealed_by_others(what.in), parameters, [&](const result_row& row) {
    cursor in{row};
    sealed_text text;
    text.in = what.in;
    text.id = in.text();
    text.of = in.text();
    text.text = in.text();
    found.texts.push_back(std::move(text));
  });
  return found;
}

}  // namespace gateway::persistence
