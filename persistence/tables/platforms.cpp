// Platforms and their keys.
#include "persistence/tables/unit_rows.hpp"

namespace gateway::persistence {

namespace {

template <class Columns, class Platform>
void platform_columns(Columns& v, Platform& p) {
  v.key("platform_id", p.id);
  v.fixed("slug", p.slug);
  v("name", p.name);
  v("contact", p.contact);
  v("status", p.status);
  v("redirect_uris", p.redirect_uris);
  v("return_origins", p.return_origins);
}

template <class Columns, class Insert>
void inserted_platform_columns(Columns& v, Insert& p) {
  platform_columns(v, p.what);
  v.fixed("created_at", p.created_at);
}

template <class Columns, class Key>
void platform_key_columns(Columns& v, Key& k) {
  v.key("platform_id", k.platform);
  v.key("key_id", k.id);
  v.fixed("scopes", k.scopes);
  v.fixed("sealed_secret", k.sealed_secret);
  v.fixed("created_at", k.created_at);
  v.fixed("name", k.name);
  v.fixed("created_by", k.created_by);
}

const table_columns inserted_platforms{"platforms", [](column_names& v) {
                                         const insert_platform any{};
                                         inserted_platform_columns(v, any);
                                       }};
const table_columns platforms_table{"platforms", [](column_names& v) {
                                      const platform any{};
                                      platform_columns(v, any);
                                    }};
const table_columns platform_keys_table{"platform_keys", [](column_names& v) {
                                          const save_platform_key any{};
                                          platform_key_columns(v, any);
                                        }};

}  // namespace

namespace statements {

const write_shape insert_platform = inserted_platforms.insert();
const write_shape insert_platform_key = platform_keys_table.insert();
const statement update_platform = sql(R"sql(
  UPDATE platforms SET name = ?, contact = ?, status = ?, redirect_uris = ?, return_origins = ? WHERE platform_id = ?
)sql");
const statement revoke_platform_key =
    sql("UPDATE platform_keys SET revoked_at = ? WHERE platform_id = ? AND key_id = ? AND revoked_at IS NULL");
const statement note_platform_key_use = sql(R"sql(
  UPDATE platform_keys SET last_used_on = ? WHERE platform_id = ? AND key_id = ?
  AND (last_used_on IS NULL OR last_used_on < ?)
)sql");

const statement read_platforms =
    sql("SELECT {columns} FROM platforms ORDER BY created_at, platform_id", platforms_table);
const statement read_platform = sql("SELECT {columns} FROM platforms WHERE platform_id = ?", platforms_table);
const statement read_platform_keys = sql(
    "SELECT {columns}, revoked_at, last_used_on FROM platform_keys ORDER BY platform_id, key_id", platform_keys_table);
const statement read_platform_keys_of =
    sql("SELECT {columns}, revoked_at, last_used_on FROM platform_keys WHERE platform_id = ? ORDER BY key_id",
        platform_keys_table);

}  // namespace statements

void insert_row(gathered_rows& rows, const insert_platform& p) {
  column_writer v{rows.add_to(row_kind::platform)};
  inserted_platform_columns(v, p);
}

void claim_row(gathered_rows& rows, const update_platform& p) {
  const auto& what = p.what;
  auto& to = rows.add_to(row_kind::platform_change);
  to.add(what.name).add(what.contact).add(to_string(what.status));
  to.keep(to_json(what.redirect_uris)).keep(to_json(what.return_origins)).add(what.id.value);
}

void insert_row(gathered_rows& rows, const save_platform_key& k) {
  column_writer v{rows.add_to(row_kind::platform_key)};
  platform_key_columns(v, k);
}

void claim_row(gathered_rows& rows, const revoke_platform_key& k) {
  rows.add_to(row_kind::platform_key_revocation).add(k.revoked_at).add(k.platform.value).add(k.id.value);
}

void claim_row(gathered_rows& rows, const note_platform_key_use& k) {
  const auto day = day_number(k.day);
  rows.add_to(row_kind::platform_key_use).add(day).add(k.platform.value).add(k.id.value).add(day);
}

std::size_t row_hash(const insert_platform& p) { return hash_of_texts({p.what.id.value}); }
std::size_t row_hash(const update_platform& p) { return hash_of_texts({p.what.id.value}); }
std::size_t row_hash(const save_platform_key& k) { return hash_of_texts({k.id.value}); }
std::size_t row_hash(const revoke_platform_key& k) { return hash_of_texts({k.id.value}); }
std::size_t row_hash(const note_platform_key_use& k) { return hash_of_texts({k.id.value}); }

namespace {

std::size_t bytes_of(const platform& p) {
  auto bytes = 256 + p.name.size() + p.contact.size();
  for (const auto& uri : p.redirect_uris) bytes += uri.size() + 4;
  for (const auto& origin : p.return_origins) bytes += origin.size() + 4;
  return bytes;
}

}  // namespace

std::size_t row_bytes(const insert_platform& p) { return bytes_of(p.what); }
std::size_t row_bytes(const update_platform& p) { return bytes_of(p.what); }

platform platform_from(const result_row& row) {
  column_reader v{row};
  platform p;
  platform_columns(v, p);
  return p;
}

stored_platform_key platform_key_from(const result_row& row) {
  column_reader v{row};
  stored_platform_key k;
  platform_key_columns(v, k.key);
  k.revoked = v.rest().optional_time().has_value();
  get(v.rest(), k.last_used_on, "last_used_on");
  return k;
}

}  // namespace gateway::persistence
