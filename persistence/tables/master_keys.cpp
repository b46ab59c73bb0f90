// The master keys that the database knows, and the texts that are sealed under them, in the tables of others.
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

/// What a sealed text says before its point: the id of its key.
const statement count_sealed = sql(R"sql(
  SELECT SUBSTR(sealed.body, 1, INSTR(sealed.body, '.') - 1) AS key_id, COUNT(*) FROM (
  SELECT sealed_secret AS body FROM api_keys
  UNION ALL SELECT sealed_secret FROM platform_keys
  UNION ALL SELECT sealed_secret FROM destinations
  UNION ALL SELECT sealed_previous FROM destinations
  UNION ALL SELECT sealed_settings FROM providers
  UNION ALL SELECT sealed_totp FROM people) AS sealed
  WHERE sealed.body <> '' GROUP BY SUBSTR(sealed.body, 1, INSTR(sealed.body, '.') - 1)
)sql");

/// The statements of a column with sealed texts. `others` finds those that another key has sealed.
struct sealed_statements {
  statement others;
  row_kind anew;
};

const sealed_statements& statements_of(sealed_column in) {
  static const sealed_statements api_key{sql(R"sql(
  SELECT key_id, merchant_id, sealed_secret FROM api_keys
  WHERE key_id > ? AND sealed_secret <> '' AND sealed_secret NOT LIKE ? ORDER BY key_id LIMIT ?
)sql"),
                                         row_kind::api_key_seal};
  static const sealed_statements platform_key{sql(R"sql(
  SELECT key_id, platform_id, sealed_secret FROM platform_keys
  WHERE key_id > ? AND sealed_secret <> '' AND sealed_secret NOT LIKE ? ORDER BY key_id LIMIT ?
)sql"),
                                              row_kind::platform_key_seal};
  static const sealed_statements destination{sql(R"sql(
  SELECT destination_id, owner_id, sealed_secret FROM destinations
  WHERE destination_id > ? AND sealed_secret <> '' AND sealed_secret NOT LIKE ? ORDER BY destination_id LIMIT ?
)sql"),
                                             row_kind::destination_seal};
  static const sealed_statements previous_secret{sql(R"sql(
  SELECT destination_id, owner_id, sealed_previous FROM destinations
  WHERE destination_id > ? AND sealed_previous <> '' AND sealed_previous NOT LIKE ? ORDER BY destination_id LIMIT ?
)sql"),
                                                 row_kind::previous_secret_seal};
  static const sealed_statements provider{sql(R"sql(
  SELECT provider, environment, sealed_settings FROM providers
  WHERE provider > ? AND sealed_settings <> '' AND sealed_settings NOT LIKE ? ORDER BY provider LIMIT ?
)sql"),
                                          row_kind::provider_seal};
  static const sealed_statements second_factor{sql(R"sql(
  SELECT user_id, '', sealed_totp FROM people
  WHERE user_id > ? AND sealed_totp <> '' AND sealed_totp NOT LIKE ? ORDER BY user_id LIMIT ?
)sql"),
                                               row_kind::second_factor_seal};
  switch (in) {
    case sealed_column::api_key: return api_key;
    case sealed_column::platform_key: return platform_key;
    case sealed_column::destination: return destination;
    case sealed_column::previous_secret: return previous_secret;
    case sealed_column::provider: return provider;
    case sealed_column::second_factor: return second_factor;
  }
  return api_key;
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
const statement retire_master_key = sql(R"sql(
  UPDATE master_keys SET status = 'retired', wrapped = '' WHERE key_id = ? AND status = 'old'
  AND NOT EXISTS (SELECT 1 FROM api_keys WHERE sealed_secret LIKE ?
  OR (? = 1 AND sealed_secret <> '' AND sealed_secret NOT LIKE '%.%'))
  AND NOT EXISTS (SELECT 1 FROM platform_keys WHERE sealed_secret LIKE ?
  OR (? = 1 AND sealed_secret <> '' AND sealed_secret NOT LIKE '%.%'))
  AND NOT EXISTS (SELECT 1 FROM destinations WHERE sealed_secret LIKE ?
  OR (? = 1 AND sealed_secret <> '' AND sealed_secret NOT LIKE '%.%'))
  AND NOT EXISTS (SELECT 1 FROM destinations WHERE sealed_previous LIKE ?
  OR (? = 1 AND sealed_previous <> '' AND sealed_previous NOT LIKE '%.%'))
  AND NOT EXISTS (SELECT 1 FROM providers WHERE sealed_settings LIKE ?
  OR (? = 1 AND sealed_settings <> '' AND sealed_settings NOT LIKE '%.%'))
  AND NOT EXISTS (SELECT 1 FROM people WHERE sealed_totp LIKE ?
  OR (? = 1 AND sealed_totp <> '' AND sealed_totp NOT LIKE '%.%'))
)sql");
// What was wrapped in a retired key can be opened no more.
const statement unwrap_master_keys = sql(R"sql(
  UPDATE master_keys SET wrapped = ''
  WHERE wrapped LIKE ? OR (? = 1 AND wrapped <> '' AND wrapped NOT LIKE '%.%')
)sql");

const statement reseal_api_key =
    sql("UPDATE api_keys SET sealed_secret = ? WHERE merchant_id = ? AND key_id = ? AND sealed_secret = ?");
const statement reseal_platform_key =
    sql("UPDATE platform_keys SET sealed_secret = ? WHERE platform_id = ? AND key_id = ? AND sealed_secret = ?");
const statement reseal_destination =
    sql("UPDATE destinations SET sealed_secret = ? WHERE owner_id = ? AND destination_id = ? AND sealed_secret = ?");
const statement reseal_previous_secret = sql(
    "UPDATE destinations SET sealed_previous = ? WHERE owner_id = ? AND destination_id = ? AND sealed_previous = ?");
const statement reseal_provider =
    sql("UPDATE providers SET sealed_settings = ? WHERE environment = ? AND provider = ? AND sealed_settings = ?");
const statement reseal_second_factor = sql("UPDATE people SET sealed_totp = ? WHERE user_id = ? AND sealed_totp = ?");

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
  auto& to = rows.add_to(statements_of(r.was.in).anew);
  to.add(r.text);
  if (r.was.in != sealed_column::second_factor) to.add(r.was.of);
  to.add(r.was.id).add(r.was.text);
}

std::size_t row_hash(const save_master_key&) { return hash_of_texts({"master_keys"}); }
std::size_t row_hash(const promote_key&) { return hash_of_texts({"master_keys"}); }
std::size_t row_hash(const withdraw_key&) { return hash_of_texts({"master_keys"}); }
std::size_t row_hash(const retire_key&) { return hash_of_texts({"master_keys"}); }
/// As the hash of the row that holds the text.
std::size_t row_hash(const reseal& r) {
  return r.was.in == sealed_column::provider ? hash_of_texts({r.was.id, r.was.of}) : hash_of_texts({r.was.id});
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
  db.read(statements_of(what.in).others, parameters, [&](const result_row& row) {
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
