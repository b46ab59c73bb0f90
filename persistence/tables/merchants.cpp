// Merchants and their API keys.
#include <limits>

#include "gateway/domain/folded_text.hpp"
#include "persistence/tables/queries.hpp"
#include "persistence/tables/unit_rows.hpp"

namespace gateway::persistence {

namespace {

template <class Columns, class Merchant>
void merchant_columns(Columns& v, Merchant& m) {
  v.key("merchant_id", m.id);
  v.fixed("entity_id", m.entity);
  v.fixed("name", m.name);
  v.fixed("entity_kind", m.kind);
  v.fixed("owner_email", m.owner_email);
  v.fixed("created_at", m.created_at);
}

template <class Columns, class Key>
void api_key_columns(Columns& v, Key& k) {
  v.key("merchant_id", k.merchant);
  v.key("key_id", k.id);
  v.fixed("environment", k.env);
  v.fixed("scopes", k.scopes);
  v.fixed("sealed_secret", k.sealed_secret);
  v.fixed("created_at", k.created_at);
  v.fixed("name", k.name);
  v.fixed("created_by", k.created_by);
}

const table_columns merchants_table{"merchants", [](column_names& v) {
                                      const save_merchant any{};
                                      merchant_columns(v, any);
                                    }};
const table_columns api_keys_table{"api_keys", [](column_names& v) {
                                     const save_api_key any{};
                                     api_key_columns(v, any);
                                   }};

}  // namespace

namespace statements {

const write_shape insert_merchant = merchants_table.insert();
const write_shape insert_api_key = api_keys_table.insert();
const statement revoke_api_key =
    sql("UPDATE api_keys SET revoked_at = ? WHERE merchant_id = ? AND key_id = ? AND revoked_at IS NULL");
const statement note_api_key_use = sql(R"sql(
  UPDATE api_keys SET last_used_on = ? WHERE merchant_id = ? AND key_id = ?
  AND (last_used_on IS NULL OR last_used_on < ?)
)sql");

const statement read_merchant = sql("SELECT {columns} FROM merchants WHERE merchant_id = ?", merchants_table);
const statement read_merchants_by_age = sql(R"sql(
  SELECT {columns} FROM merchants {by merchants_by_age} WHERE created_at <= ? AND (created_at < ? OR merchant_id < ?)
  ORDER BY created_at DESC, merchant_id DESC LIMIT ?
)sql",
                                            merchants_table);
const statement read_api_keys_of = sql(
    "SELECT {columns}, revoked_at, last_used_on FROM api_keys WHERE merchant_id = ? ORDER BY key_id", api_keys_table);
const statement read_owner_of_key = sql("SELECT merchant_id FROM api_keys WHERE key_id = ?");

}  // namespace statements

void insert_row(gathered_rows& rows, const save_merchant& m) {
  column_writer v{rows.add_to(row_kind::merchant)};
  merchant_columns(v, m);
}

void insert_row(gathered_rows& rows, const save_api_key& k) {
  column_writer v{rows.add_to(row_kind::api_key)};
  api_key_columns(v, k);
}

void claim_row(gathered_rows& rows, const revoke_api_key& k) {
  rows.add_to(row_kind::api_key_revocation).add(k.revoked_at).add(k.merchant.value).add(k.id.value);
}

void claim_row(gathered_rows& rows, const note_api_key_use& k) {
  const auto day = day_number(k.day);
  rows.add_to(row_kind::api_key_use).add(day).add(k.merchant.value).add(k.id.value).add(day);
}

std::size_t row_hash(const save_merchant& m) { return hash_of_texts({m.id.value}); }
std::size_t row_hash(const save_api_key& k) { return hash_of_texts({k.id.value}); }
std::size_t row_hash(const revoke_api_key& k) { return hash_of_texts({k.id.value}); }
std::size_t row_hash(const note_api_key_use& k) { return hash_of_texts({k.id.value}); }

save_merchant merchant_from(const result_row& row) {
  column_reader v{row};
  save_merchant m;
  merchant_columns(v, m);
  return m;
}

stored_key api_key_from(const result_row& row) {
  column_reader v{row};
  stored_key k;
  api_key_columns(v, k.key);
  k.revoked = v.rest().optional_time().has_value();
  get(v.rest(), k.last_used_on, "last_used_on");
  return k;
}

merchants_lookup run(db_connection& db, const find_merchants& what) {
  const auto from = what.after ? to_unix_ms(what.after->created_at) : std::numeric_limits<std::int64_t>::max();
  const std::string_view id = what.after ? std::string_view{what.after->merchant.value} : std::string_view{};
  const cell parameters[] = {from, from, id, std::int64_t{what.compared}};
  const auto searched = folded_text(what.search);
  merchants_lookup answer;
  std::uint32_t rows = 0;
  std::optional<merchant_position> last;
  db.read(statements::read_merchants_by_age, parameters, [&](const result_row& row) {
    if (answer.merchants.size() == what.limit) {
      answer.next = last;
      return;
    }
    ++rows;
    auto found = merchant_from(row);
    last = {found.created_at, found.id};
    if (contains_folded(found.name, searched) || contains_folded(found.owner_email, searched) ||
        (!what.entity.empty() && found.entity.value == what.entity))
      answer.merchants.push_back(std::move(found));
  });
  if (rows == what.compared) answer.next = last;
  return answer;
}

}  // namespace gateway::persistence
