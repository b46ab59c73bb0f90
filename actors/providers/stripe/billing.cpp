#include "billing.hpp"

#include <algorithm>

#include "amount.hpp"
#include "object_reader.hpp"
#include "requests.hpp"

namespace gateway::actors::stripe {

namespace {

std::int64_t amount_in(const json::object* object, std::string_view name) {
  const auto amount = number(object, name);
  return amount >= 0 && amount <= max_amount ? amount : 0;
}

const json::object* first_of(const json::object* in, std::string_view name) {
  const auto* rows = list(member(in, name), "data");
  return rows && !rows->empty() ? rows->front().if_object() : nullptr;
}

/// Whether a line of an invoice adjusts for a change within a cycle. Before 2025-03-31 the line itself said so.
bool is_proration(const json::object* line) {
  const auto* parent = member(line, "parent");
  return flag(line, "proration") || flag(member(parent, "invoice_item_details"), "proration") ||
         flag(member(parent, "subscription_item_details"), "proration");
}

/// The line of the cycle itself. Prorations, whose periods are parts of a cycle, stand before it
/// (docs.stripe.com/api/invoices/object#invoice_object-lines).
const json::object* line_of_cycle(const json::object* invoice) {
  const auto* rows = list(member(invoice, "lines"), "data");
  if (!rows) return nullptr;
  for (const auto& row : *rows)
    if (const auto* line = row.if_object(); line && !is_proration(line)) return line;
  return first_of(invoice, "lines");
}

billing_period period_of(const json::object* price) {
  const auto* recurring = member(price, "recurring");
  billing_period every;
  every.interval = parse_billing_interval(word(recurring, "interval")).value_or(billing_interval::month);
  every.count = static_cast<std::uint32_t>(std::clamp<std::int64_t>(number(recurring, "interval_count"), 1, 10'000));
  return every;
}

/// There is one item, unless items were added at Stripe.
std::int64_t cycle_amount(const json::object* object) {
  std::int64_t sum = 0;
  const auto* items = list(member(object, "items"), "data");
  if (!items) return 0;
  for (const auto& each : *items) {
    const auto* item = each.if_object();
    const auto quantity =
        std::clamp<std::int64_t>(value_in(item, "quantity") ? number(item, "quantity") : 1, 0, 10'000);
    sum = std::min(max_amount, sum + amount_in(member(item, "price"), "unit_amount") * quantity);
  }
  return sum;
}

metadata_map metadata_of(const json::object* metadata) {
  metadata_map all;
  if (!metadata) return all;
  for (const auto& [key, value] : *metadata)
    if (const auto* text = value.if_string(); text && !is_mark({key.data(), key.size()}))
      all.emplace_back(std::string{key.data(), key.size()}, std::string{text->data(), text->size()});
  return all;
}

invoice_payment payment_in(const json::object* object) {
  const auto* payment = member(object, "payment");
  const auto* intent = member(payment, "payment_intent");
  invoice_payment read;
  read.status = word(object, "status");
  read.intent_id = id_in(payment, "payment_intent");
  read.intent_status = word(intent, "status");
  if (const auto* failed = member(intent, "last_payment_error")) read.last_error = error_in(failed);
  read.paid = amount_in(object, "amount_paid");
  return read;
}

}  // namespace

std::optional<time_point> time_in(const json::object* object, std::string_view name) {
  constexpr std::int64_t end_of_year_9999 = 253'402'300'799;
  const auto seconds = number(object, name);
  if (seconds <= 0 || seconds > end_of_year_9999) return std::nullopt;
  return time_point{std::chrono::seconds{seconds}};
}

std::optional<billed_subscription> subscription_in(const json::object* object) {
  if (word(object, "object") != "subscription") return std::nullopt;
  const auto status = parse_subscription_status(word(object, "status"));
  if (!status || *status == subscription_status::pending || *status == subscription_status::failed) return std::nullopt;
  billed_subscription read;
  read.id = own_id(object);
  if (!is_stripe_subscription_id(read.id)) return std::nullopt;
  read.ended_at = time_in(object, "ended_at");
  auto& state = read.state;
  state.status = *status;
  state.provider_customer_id = id_in(object, "customer");
  const auto* item = first_of(object, "items");
  const auto* price = member(item, "price");
  const auto code = word(object, "currency");
  const auto unit = currency::parse(code.empty() ? word(price, "currency") : code);
  if (!unit) return std::nullopt;
  state.amount = gateway_amount(cycle_amount(object), *unit);
  state.every = period_of(price);
  // An event has the API version of the endpoint. Before 2025-03-31 the period is on the subscription itself
  // (docs.stripe.com/changelog/basil/2025-03-31/deprecate-subscription-current-period-start-and-end).
  const auto* billed = value_in(item, "current_period_start") ? item : object;
  state.period_start = time_in(billed, "current_period_start");
  state.period_end = time_in(billed, "current_period_end");
  state.cancel_at = time_in(object, "cancel_at");
  state.canceled_at = time_in(object, "canceled_at");
  if (is_final(state.status) && !state.canceled_at) state.canceled_at = read.ended_at;
  const auto* metadata = member(object, "metadata");
  state.metadata = metadata_of(metadata);
  read.merchant = word(metadata, merchant_mark);
  read.ours = word(metadata, subscription_mark);
  read.key = word(metadata, key_mark);
  return read;
}

std::optional<billed_subscription> read_subscription(std::string_view body) {
  const auto parsed = parse_object(body);
  return subscription_in(parsed ? parsed->if_object() : nullptr);
}

std::optional<page<billed_subscription>> read_subscriptions(std::string_view body) {
  auto read = read_page<std::optional<billed_subscription>>(body, "search_result", subscription_in);
  if (!read) return std::nullopt;
  page<billed_subscription> readable{{}, read->has_more};
  for (auto& each : read->all)
    if (each) readable.all.push_back(*std::move(each));
  return readable;
}

std::optional<billed_invoice> invoice_in(const json::object* object) {
  if (word(object, "object") != "invoice") return std::nullopt;
  const auto unit = currency::parse(word(object, "currency"));
  billed_invoice read;
  read.id = own_id(object);
  if (!unit || !is_invoice_id(read.id)) return std::nullopt;
  read.unit = *unit;
  // Before 2025-03-31 the subscription was on the invoice itself.
  const auto* parent = member(member(object, "parent"), "subscription_details");
  read.subscription_id = id_in(parent ? parent : object, "subscription");
  const auto* metadata = member(parent ? parent : member(object, "subscription_details"), "metadata");
  read.merchant = word(metadata, merchant_mark);
  read.foreign = metadata && read.merchant.empty();
  read.hosted_url = url_in(object, "hosted_invoice_url");
  if (read.hosted_url.size() > most_action_url) read.hosted_url.clear();
  read.due = amount_in(object, "amount_due");
  read.paid = std::max<std::int64_t>(0, amount_in(object, "amount_paid") - amount_in(object, "amount_paid_off_stripe"));
  read.attempts = static_cast<unsigned>(std::clamp<std::int64_t>(number(object, "attempt_count"), 0, 10'000));
  read.tried_again = time_in(object, "next_payment_attempt").has_value();
  // Not the invoice's own period, which is the one in which items could be added to it.
  const auto* period = member(line_of_cycle(object), "period");
  read.period_start = time_in(period, "start");
  read.period_end = time_in(period, "end");
  return read;
}

std::optional<page<invoice_payment>> read_invoice_payments(std::string_view body) {
  return read_page<invoice_payment>(body, "list", payment_in);
}

namespace {

template <class Take>
std::optional<page<billed_invoice>> readable_invoices(std::string_view body, Take invoice_of) {
  auto read = read_page<std::optional<billed_invoice>>(body, "list", invoice_of);
  if (!read) return std::nullopt;
  page<billed_invoice> readable{{}, read->has_more};
  for (auto& each : read->all)
    if (each) readable.all.push_back(*std::move(each));
  return readable;
}

}  // namespace

std::optional<page<billed_invoice>> read_invoices(std::string_view body) { return readable_invoices(body, invoice_in); }

std::optional<page<billed_invoice>> read_invoices_of_payments(std::string_view body) {
  return readable_invoices(body, [](const json::object* object) { return invoice_in(member(object, "invoice")); });
}

subscription_statement statement_of(const billed_subscription& seen, time_point now) {
  const auto ended = seen.ended_at ? seen.ended_at : seen.state.canceled_at;
  const auto at = ended.value_or(std::chrono::floor<std::chrono::seconds>(now));
  return {seen.id, seen.state, {at, 0, notification_kind::deleted, {}}};
}

bool is_stripe_subscription_id(std::string_view ref) noexcept { return ref.starts_with("sub_") && is_provider_id(ref); }
bool is_invoice_id(std::string_view ref) noexcept { return ref.starts_with("in_") && is_provider_id(ref); }

}  // namespace gateway::actors::stripe
