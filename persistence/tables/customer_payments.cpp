// The index of payments by a platform's customer; the customer's details are in the payment's row. Also the lists of
// payments of one customer or with one reference.
#include <algorithm>
#include <limits>

#include "gateway/base/log.hpp"
#include "persistence/tables/filtered_payments.hpp"
#include "persistence/tables/unit_rows.hpp"

namespace gateway::persistence {

namespace {

template <class Columns, class Payment>
void customer_payment_columns(Columns& v, Payment& p) {
  v.key("merchant_id", p.key.merchant);
  v.key("environment", p.key.env);
  v.key("platform_id", p.customer->platform);
  v.key("customer_ref", p.customer->ref);
  v.key("created_at", p.created_at);
  v.key("payment_id", p.key.id);
}

const table_columns customer_payments_table{"customer_payments", [](column_names& v) {
                                              payment any{};
                                              any.customer.emplace();
                                              customer_payment_columns(v, std::as_const(any));
                                            }};

// Both lists start after a position, and end at another one. A payment's time of creation never changes.
constexpr std::string_view customer_page = R"sql(
  SELECT {columns p}, c.created_at, c.payment_id FROM customer_payments AS c
  {CROSS JOIN|STRAIGHT_JOIN} payments AS p ON p.merchant_id = c.merchant_id AND p.environment = c.environment
  AND p.payment_id = c.payment_id
  WHERE c.merchant_id = ? AND c.environment = ? AND c.platform_id = ? AND c.customer_ref = ?
  AND c.created_at <= ? AND (c.created_at < ? OR c.payment_id < ?) AND c.created_at >= ?
  ORDER BY c.created_at DESC, c.payment_id DESC LIMIT ?
)sql";

// A provider normally uses each reference once, so one row is sorted. SQLite's partial index leaves out empty
// references; a statement can use it only if it excludes them, too.
constexpr std::string_view reference_page = R"sql(
  SELECT {columns p}, p.created_at, p.payment_id FROM payments AS p {by payments_by_provider_ref}
  WHERE p.merchant_id = ? AND p.environment = ? AND p.provider_ref = ? AND p.provider_ref <> ''
  AND p.created_at <= ? AND (p.created_at < ? OR p.payment_id < ?) AND p.created_at >= ?
  ORDER BY p.created_at DESC, p.payment_id DESC LIMIT ?
)sql";

}  // namespace

namespace statements {

const write_shape insert_customer_payment = customer_payments_table.insert();

const statement read_payments_of_customer = sql(customer_page, payments_table());
const statement read_payments_of_ref = sql(reference_page, payments_table());

}  // namespace statements

void insert_customer_payment(gathered_rows& rows, const payment& p) {
  column_writer v{rows.add_to(row_kind::customer_payment)};
  customer_payment_columns(v, p);
}

namespace {

/// Reads a page in steps: few rows first, because usually every row matches.
class filtered_page {
 public:
  filtered_page(db_connection& db, const find_payments& what) : db_{db}, what_{what} {
    if (what.before) behind_ = *what.before;
    if (what.until && (!what.before || *what.until <= what.before->created_at)) behind_ = {*what.until, {}};
  }

  payments_lookup read() {
    std::uint32_t step = what_.limit + 1;
    for (std::uint32_t left = most_filtered_payments; left > 0; left -= step, step *= 2) {
      step = std::min(step, left);
      if (read_step(step) < step || answer_.more) return std::move(answer_);
    }
    answer_.more = true;
    answer_.read_to = behind_;
    return std::move(answer_);
  }

 private:
  /// Returns how many rows were read.
  std::uint32_t read_step(std::uint32_t most) {
    std::uint32_t rows = 0;
    db_.read(what_.provider_ref.empty() ? statements::read_payments_of_customer : statements::read_payments_of_ref,
             parameters(most), [&](const result_row& row) {
               ++rows;
               if (!answer_.more) take(row);
             });
    behind_ = last_;
    return rows;
  }

  void take(const result_row& row) {
    static const auto at_column = payments_table().selected_count();
    last_ = {from_unix_ms(row.integer(at_column)), row.text(at_column + 1)};
    try {
      auto found = payment_from(row, payment_key(what_.merchant, what_.env, payment_id{last_.payment_id}));
      if (!is_wanted(found, what_)) return;
      answer_.more = answer_.payments.size() == what_.limit;
      if (!answer_.more) answer_.payments.push_back(std::make_shared<const payment>(std::move(found)));
    } catch (const corrupt_row& error) {
      log::error("store.corrupt_row", {{"why", error.what()}});  // the other rows of the list are still shown
    }
  }

  std::vector<cell> parameters(std::uint32_t most) const {
    std::vector<cell> to{std::string_view{what_.merchant.value}, to_string(what_.env)};
    if (what_.provider_ref.empty())
      to.insert(to.end(), {std::string_view{what_.platform.value}, std::string_view{what_.customer_ref}});
    else
      to.emplace_back(std::string_view{what_.provider_ref});
    const auto upper = to_unix_ms(behind_.created_at);
    to.insert(to.end(), {upper, upper, std::string_view{behind_.payment_id},
                         bound(what_.from, std::numeric_limits<std::int64_t>::min()), std::int64_t{most}});
    return to;
  }

  db_connection& db_;
  const find_payments& what_;
  payment_position behind_{from_unix_ms(no_bound), {}};
  payment_position last_{};
  payments_lookup answer_;
};

}  // namespace

payments_lookup read_filtered_payments(db_connection& db, const find_payments& what) {
  return filtered_page{db, what}.read();
}

}  // namespace gateway::persistence
