#include "gateway/base/log.hpp"
#include "persistence/tables/queries.hpp"
#include "persistence/tables/unit_rows.hpp"

namespace gateway::persistence {

namespace {

template <class Columns, class Customer>
void customer_columns(Columns& v, Customer& c) {
  v.given("merchant_id", c.key.merchant);
  v.key("environment", c.key.env);
  v.key("customer_id", c.key.id);
  v("platform_id", c.platform);
  v("customer_ref", c.ref);
  v("provider", c.provider);
  v("provider_customer_id", c.provider_id);
  v("methods", c.methods);
  v("created_at", c.created_at);
  v("account", c.account);
  v("other_names", null_if_empty{c.other_names});
  v("generation", c.generation);
  v("saved_at", null_if_empty{c.saved_at});
  v("version", c.version, 1);
}

const table_columns customers_table{"customers", [](column_names& v) {
                                      const customer any{};
                                      customer_columns(v, any);
                                    }};

const statement read_customer = sql(
    "SELECT {columns} FROM customers WHERE merchant_id = ? AND environment = ? AND customer_id = ?", customers_table);
const statement read_customers = sql(R"sql(
  SELECT {columns} FROM customers WHERE merchant_id = ? AND environment = ? AND customer_id > ?
  ORDER BY customer_id LIMIT ?
)sql",
                                     customers_table);

/// From a row of one of the reads of customers.
customer customer_from(const result_row& row, const merchant_id& merchant) {
  column_reader v{row};
  customer c;
  c.key.merchant = merchant;
  c.key.kind = entity_kind::customer;
  customer_columns(v, c);
  if (c.provider_id.empty() && c.generation == 0) throw corrupt_row("a customer that the provider does not know");
  return c;
}

}  // namespace

namespace statements {

const write_shape insert_customer = customers_table.insert();
const write_shape update_customer = customers_table.update();

const statement read_customer_keys = sql(R"sql(
  SELECT merchant_id, environment, customer_id FROM customers WHERE provider_customer_id = ?
  ORDER BY merchant_id, environment, customer_id LIMIT ?
)sql");

const statement read_customers_of_platform = sql(R"sql(
  SELECT {columns} FROM customers {by customers_by_age} WHERE merchant_id = ? AND environment = ? AND platform_id = ?
  AND created_at <= ? AND (created_at < ? OR customer_id < ?) ORDER BY created_at DESC, customer_id DESC LIMIT ?
)sql",
                                                 customers_table);

}  // namespace statements

void insert_row(gathered_rows& rows, const customer_ptr& c) {
  column_writer v{rows.add_to(row_kind::customer)};
  customer_columns(v, *c);
}

void claim_row(gathered_rows& rows, const customer_ptr& c) {
  column_writer v{rows.add_to(row_kind::customer_claim)};
  customer_columns(v, *c);
}

std::size_t row_bytes(const customer_ptr& c) {
  auto bytes = 384 + c->ref.size();
  for (const auto& method : c->methods) bytes += 2 * method.size() + 24;
  for (const auto& name : c->other_names) {
    bytes += 384 + name.id.size();
    for (const auto& method : name.methods) bytes += method.size() + 4;
  }
  return bytes;
}

std::optional<entity_row> read_customer_row(db_connection& db, const entity_key& key) {
  return read_entity(db, read_customer, key, [&](const result_row& row) { return customer_from(row, key.merchant); });
}

customers_lookup run(db_connection& db, const find_customers& what) {
  const cell parameters[] = {std::string_view{what.merchant.value}, to_string(environment::live),
                             std::string_view{what.after}, std::int64_t{what.limit}};
  customers_lookup answer;
  db.read(read_customers, parameters, [&](const result_row& row) {
    answer.customers.push_back(std::make_shared<const customer>(customer_from(row, what.merchant)));
  });
  return answer;
}

customer_keys_lookup run(db_connection& db, const find_customer_keys& what) {
  customer_keys_lookup answer;
  if (what.provider_id.empty()) return answer;  // every forgotten customer has an empty one
  const cell parameters[] = {std::string_view{what.provider_id}, std::int64_t{what.limit}};
  db.read(statements::read_customer_keys, parameters,
          [&](const result_row& row) { answer.keys.push_back(key_from(row, entity_kind::customer)); });
  return answer;
}

customers_page run(db_connection& db, const find_customers_of_platform& what) {
  const auto before = what.before ? to_unix_ms(what.before->created_at) : no_bound;
  const cell parameters[] = {std::string_view{what.merchant.value},
                             to_string(environment::live),
                             std::string_view{what.platform.value},
                             before,
                             before,
                             what.before ? std::string_view{what.before->id} : std::string_view{},
                             std::int64_t{what.limit} + 1};
  customers_page page;
  std::size_t rows = 0;
  db.read(statements::read_customers_of_platform, parameters, [&](const result_row& row) {
    ++rows;
    try {
      page.customers.push_back(std::make_shared<const customer>(customer_from(row, what.merchant)));
    } catch (const corrupt_row& error) {
      log::error("store.corrupt_row", {{"why", error.what()}});  // the other rows of the list are still shown
    }
  });
  page.more = rows > what.limit && !page.customers.empty();
  if (page.customers.size() > what.limit) page.customers.resize(what.limit);
  return page;
}

}  // namespace gateway::persistence
