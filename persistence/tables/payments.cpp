#include "persistence/tables/columns.hpp"
#include "persistence/tables/unit_rows.hpp"

namespace gateway::persistence {

namespace {

template <class Columns, class Payment>
void payment_columns(Columns& v, Payment& p) {
  v.given("merchant_id", p.key.merchant);
  v.given("environment", p.key.env);
  v.given("payment_id", p.key.id);
  v("state", p.state);
  // A subscription's cycle may be paid with another amount than the one whose collection failed.
  v("amount", p.amount.minor);
  v("currency", p.amount.unit);
  v("captured", p.captured, 0, p.amount.minor);
  v("refunded", p.refunded, 0, p.captured);
  v.fixed("flow", p.how);
  v.fixed("provider", p.provider);
  v.fixed("account", p.account);
  v.fixed("hides_provider", p.hides_provider);
  v("provider_ref", p.provider_ref);
  v("status", p.status);
  v("error", p.error);
  v("hosted_url", p.hosted_url);
  v("open_command", p.open, p.key);
  v("due_at", p.due_at);
  v("next_seq", p.next_seq);
  v.fixed("created_at", p.created_at);
  v("updated_at", p.updated_at);
  v("captured_at", p.captured_at);
  v.fixed("details", p.details);
  v("customer", p.customer);
  v("records", null_if_empty{p.records});
  v("handed_over_at", p.handed_over_at);
  v("version", p.version);
}

/// Each is in an index, and an operation's begin changes none of them; its end changes one or two.
constexpr std::string_view often_unchanged[] = {"state", "currency", "provider_ref"};

write_shape update_of_payments() {
  auto shape = payments_table().update();
  shape.replaced = often_unchanged;
  return shape;
}

bool fits(const open_operation& open, const payment& p) {
  const auto begun = to_unix_ms(open.begun_at);
  return open.amount >= 0 && open.amount <= p.amount.minor && open.claim >= 0 && open.claim <= p.version &&
         begun >= first_ms && begun <= last_ms;
}

}  // namespace

const table_columns& payments_table() {
  static const table_columns table{"payments", [](column_names& v) {
                                     const payment any{};
                                     payment_columns(v, any);
                                   }};
  return table;
}

namespace statements {

const write_shape insert_payment = payments_table().insert();
const write_shape update_payment = update_of_payments();
const statement read_payment = sql(
    "SELECT {columns} FROM payments WHERE merchant_id = ? AND environment = ? AND payment_id = ?", payments_table());

const statement read_due_payments = sql(R"sql(
  SELECT merchant_id, environment, payment_id FROM payments WHERE due_at IS NOT NULL AND due_at <= ?
  ORDER BY due_at LIMIT ?
)sql");
// For use while the clock may have jumped ahead: every open checkout would seem due, and would take places below the
// limit from operations that clients wait for.
const statement read_due_open_payments = sql(R"sql(
  SELECT merchant_id, environment, payment_id FROM payments WHERE due_at <= ? AND due_at > ?
  AND open_command IS NOT NULL ORDER BY due_at LIMIT ?
)sql");

}  // namespace statements

void insert_row(gathered_rows& rows, const payment_ptr& p) {
  column_writer v{rows.add_to(row_kind::payment)};
  payment_columns(v, *p);
  if (p->customer) insert_customer_payment(rows, *p);
}

void claim_row(gathered_rows& rows, const payment_ptr& p) {
  column_writer v{rows.add_to(row_kind::payment_claim), column_writer::cells::of_change};
  payment_columns(v, *p);
}

std::size_t row_bytes(const payment_ptr& p) {
  const auto& details = p->details;
  auto bytes = 512 + p->hosted_url.size() + details.description.size() + details.success_url.size() +
               details.cancel_url.size() + details.customer_email.size() + details.customer_name.size() +
               details.customer_mobile.size();
  bytes += bytes_of_texts(details.metadata);
  bytes += 256 * (p->records.refunds.size() + p->records.disputes.size() + p->records.acts.size());
  if (p->customer) bytes += 256 + p->customer->ref.size() + p->customer->saved_method.size();
  return bytes;
}

payment payment_from(const result_row& row, const entity_key& key) {
  column_reader v{row};
  payment p;
  p.key = key;
  payment_columns(v, p);
  if (p.open && !fits(*p.open, p)) throw corrupt_row("open_command out of bounds");
  return p;
}

std::optional<entity_row> read_payment_row(db_connection& db, const entity_key& key) {
  return read_entity(db, statements::read_payment, key, [&](const result_row& row) { return payment_from(row, key); });
}

}  // namespace gateway::persistence
