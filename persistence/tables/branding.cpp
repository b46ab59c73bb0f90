// How merchants' checkouts look, and their logos.
#include "gateway/base/crypto.hpp"
#include "persistence/tables/queries.hpp"
#include "persistence/tables/unit_rows.hpp"

namespace gateway::persistence {

namespace {

template <class Columns, class Branding>
void branding_columns(Columns& v, Branding& b) {
  v.key("merchant_id", b.merchant);
  v("shop_name", b.look.shop_name);
  v("colour", b.look.colour);
  v("support", b.look.support);
  v("logo", b.look.logo);
}

template <class Columns, class Logo>
void logo_columns(Columns& v, Logo& l) {
  v.key("merchant_id", l.merchant);
  v("file", l.file);
}

const table_columns branding_table{"merchant_branding", [](column_names& v) {
                                     const save_branding any{};
                                     branding_columns(v, any);
                                   }};
const table_columns logos_table{"merchant_logos", [](column_names& v) {
                                  const save_logo any{};
                                  logo_columns(v, any);
                                }};

const statement read_logo = sql("SELECT {columns} FROM merchant_logos WHERE merchant_id = ?", logos_table);

}  // namespace

namespace statements {

const write_shape put_branding = branding_table.put();
const write_shape put_logo = logos_table.put();

const statement read_branding_of = sql("SELECT {columns} FROM merchant_branding WHERE merchant_id = ?", branding_table);

}  // namespace statements

void insert_row(gathered_rows& rows, const save_branding& b) {
  column_writer v{rows.add_to(row_kind::branding)};
  branding_columns(v, b);
}

void insert_row(gathered_rows& rows, const save_logo& l) {
  column_writer v{rows.add_to(row_kind::logo)};
  logo_columns(v, l);
}

std::size_t row_hash(const save_branding& b) { return hash_of_texts({"branding", b.merchant.value}); }
std::size_t row_hash(const save_logo& l) { return hash_of_texts({"logo", l.merchant.value}); }
std::size_t row_bytes(const save_logo& l) { return 256 + l.file.size(); }

save_branding branding_from(const result_row& row) {
  column_reader v{row};
  save_branding b;
  branding_columns(v, b);
  return b;
}

logo_lookup run(db_connection& db, const find_logo& what) {
  const cell key[] = {std::string_view{what.merchant.value}};
  logo_lookup answer;
  db.read(read_logo, key, [&](const result_row& row) {
    column_reader v{row};
    save_logo found;
    logo_columns(v, found);
    auto file = crypto::from_base64url(found.file);
    if (!file) throw corrupt_row("a logo is not base64url");
    answer.png = std::move(*file);
  });
  return answer;
}

}  // namespace gateway::persistence
