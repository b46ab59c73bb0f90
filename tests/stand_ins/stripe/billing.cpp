#include "billing.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>

namespace gateway::stripe_stand_in {

namespace json = boost::json;

namespace {

constexpr std::int64_t an_hour = 3600, a_day = 24 * an_hour;
/// Between attempts at one invoice. After the last the subscription ends, which is one of Stripe's settings.
constexpr std::array<std::int64_t, 3> waits{a_day, 3 * a_day, 5 * a_day};

/// Valid until the subscription is changed: setting a member may move all others.
json::object& item_of(json::object& subscription) {
  return subscription.at("items").as_object().at("data").as_array().at(0).as_object();
}

bool bills(const json::object& subscription) {
  const auto status = text_of(subscription, "status");
  return status != "canceled" && status != "incomplete_expired";
}

std::int64_t plus_months(std::int64_t at, std::int64_t months) {
  using namespace std::chrono;
  const sys_seconds moment{seconds{at}};
  const auto day = floor<days>(moment);
  const year_month_day date{day};
  const auto month_then = year_month{date.year(), date.month()} + std::chrono::months{months};
  const year_month_day wanted = month_then / date.day();
  const sys_days then = wanted.ok() ? sys_days{wanted} : sys_days{month_then / last};
  return (then + (moment - day)).time_since_epoch().count();
}

void set_clock(draft& in, json::object& subscription, std::int64_t at) {
  subscription["_offset"] = std::max(number_of(subscription, "_offset"), at - now_seconds());
  in.set_clock(clock_of(subscription));
}

/// Begins the next cycle: its invoice is published at once and collected an hour later, as all draft invoices are.
json::object& begin_cycle(draft& in, json::object& subscription) {
  json::object changed{{"items", subscription.at("items")}, {"latest_invoice", subscription.at("latest_invoice")}};
  const auto cycle = number_of(subscription, "_cycle") + 1;
  subscription["_cycle"] = cycle;
  auto& item = item_of(subscription);
  const auto recurring = item.at("price").as_object().at("recurring").as_object();
  item["current_period_start"] = json::value(item.at("current_period_end"));
  item["current_period_end"] = end_of_period(number_of(subscription, "_anchor"), text_of(recurring, "interval"),
                                             number_of(recurring, "interval_count"), cycle);
  auto& invoice = new_invoice(in, subscription, "subscription_cycle");
  if (text_of(subscription, "status") == "trialing") {
    changed["status"] = "trialing";
    subscription["status"] = "active";
  }
  in.notify("customer.subscription.updated", subscription, changed);
  set_clock(in, subscription, in.now() + an_hour);
  return invoice;
}

void next_attempt(draft& in, json::object& subscription, attempt_result result) {
  if (number_of(subscription, "_failed") > 0) {
    auto& unpaid = *in.find("invoice", text_of(subscription, "latest_invoice"));
    set_clock(in, subscription, number_of(unpaid, "next_payment_attempt"));
    return attempt(in, subscription, unpaid, result);
  }
  set_clock(in, subscription, number_of(item_of(subscription), "current_period_end"));
  attempt(in, subscription, begin_cycle(in, subscription), result);
}

void fail(draft& in, json::object& subscription, json::object& invoice, std::int64_t attempts) {
  const bool again = attempts <= static_cast<std::int64_t>(waits.size());
  subscription["_failed"] = attempts;
  invoice["next_payment_attempt"] =
      again ? json::value(in.now() + waits.at(static_cast<std::size_t>(attempts - 1))) : json::value(nullptr);
  in.notify("invoice.payment_failed", invoice);
  change_status(in, subscription, "past_due");
  if (!again) end_subscription(in, subscription);
}

}  // namespace

std::int64_t clock_of(const json::object& subscription) { return now_seconds() + number_of(subscription, "_offset"); }

std::int64_t end_of_period(std::int64_t anchor, std::string_view interval, std::int64_t count, std::int64_t number) {
  const auto intervals = count * number;
  if (interval == "day") return anchor + intervals * a_day;
  if (interval == "week") return anchor + intervals * 7 * a_day;
  return plus_months(anchor, interval == "year" ? intervals * 12 : intervals);
}

void change_status(draft& in, json::object& subscription, std::string_view status) {
  const auto before = text_of(subscription, "status");
  if (before == status) return;
  subscription["status"] = status;
  in.notify("customer.subscription.updated", subscription, {{"status", before}});
}

void end_subscription(draft& in, json::object& subscription) {
  subscription["status"] = "canceled";
  subscription["canceled_at"] = in.now();
  subscription["ended_at"] = in.now();
  in.notify("customer.subscription.deleted", subscription);
  in.effect("unsubscribe", subscription, 0, {});
}

namespace {

json::object line_of(std::int64_t amount, const json::value& start, const json::value& end, bool is_proration) {
  json::object line{{"id", random_id("il_")}, {"object", "line_item"}, {"amount", amount}};
  line["period"] = json::object{{"start", start}, {"end", end}};
  json::object details{{"proration", is_proration}};
  if (is_proration)
    line["parent"] = json::object{{"type", "invoice_item_details"}, {"invoice_item_details", std::move(details)}};
  else
    line["parent"] =
        json::object{{"type", "subscription_item_details"}, {"subscription_item_details", std::move(details)}};
  return line;
}

/// The items of an invoice: pending ones come first (docs.stripe.com/api/invoices/object#invoice_object-lines).
json::array lines_of(json::object& subscription, const json::object& item, std::int64_t price) {
  json::array lines;
  const auto prorated = number_of(subscription, "_prorated");
  if (prorated != 0) {
    const auto start = item.at("current_period_start");
    lines.push_back(line_of(prorated, json::value(start.to_number<std::int64_t>() - a_day), start, true));
    subscription["_prorated"] = 0;
  }
  lines.push_back(line_of(price, item.at("current_period_start"), item.at("current_period_end"), false));
  return lines;
}

json::object& invoice_of(draft& in, json::object& subscription, std::string_view reason, std::int64_t amount,
                         json::array lines) {
  auto& invoice = in.make("invoice", "in_");
  invoice["amount_due"] = amount;
  invoice["amount_paid"] = 0;
  invoice["amount_remaining"] = amount;
  invoice["attempt_count"] = 0;
  invoice["attempted"] = false;
  invoice["billing_reason"] = reason;
  invoice["collection_method"] = "charge_automatically";
  invoice["currency"] = subscription.at("currency");
  invoice["customer"] = subscription.at("customer");
  invoice["hosted_invoice_url"] = "https://invoice.stripe.com/i/" + text_of(invoice, "id");
  invoice["lines"] = json::object{{"object", "list"}, {"data", std::move(lines)}, {"has_more", false}};
  invoice["metadata"] = json::object{};
  invoice["next_payment_attempt"] = nullptr;
  json::object details{{"subscription", subscription.at("id")}, {"metadata", subscription.at("metadata")}};
  invoice["parent"] = json::object{{"type", "subscription_details"}, {"subscription_details", std::move(details)}};
  invoice["status"] = "open";
  subscription["latest_invoice"] = invoice.at("id");
  return invoice;
}

}  // namespace

void bill_trial(draft& in, json::object& subscription) {
  const auto item = item_of(subscription);
  json::array lines{line_of(0, item.at("current_period_start"), item.at("current_period_end"), false)};
  auto& invoice = invoice_of(in, subscription, "subscription_create", 0, std::move(lines));
  in.notify("invoice.created", invoice);
  invoice["attempted"] = true;
  invoice["status"] = "paid";
  in.notify("invoice.paid", invoice);
  in.notify("invoice.payment_succeeded", invoice);
}

json::object& new_invoice(draft& in, json::object& subscription, std::string_view reason) {
  const auto item = item_of(subscription);
  const auto price = number_of(item.at("price").as_object(), "unit_amount");
  const auto amount = price + number_of(subscription, "_prorated");
  auto& intent = plain_intent(in, amount, text_of(subscription, "currency"));
  intent["_session"] = subscription.at("_session");
  intent["capture_method"] = "automatic";
  intent["customer"] = subscription.at("customer");
  intent["setup_future_usage"] = "off_session";

  auto& invoice = invoice_of(in, subscription, reason, amount, lines_of(subscription, item, price));
  invoice["_payment_intent"] = intent.at("id");
  intent["_invoice"] = invoice.at("id");
  in.notify("invoice.created", invoice);

  auto& payment = in.make("invoice_payment", "inpay_");
  payment["amount_paid"] = nullptr;
  payment["amount_requested"] = amount;
  payment["currency"] = subscription.at("currency");
  payment["invoice"] = invoice.at("id");
  payment["is_default"] = true;
  payment["payment"] = json::object{{"type", "payment_intent"}, {"payment_intent", intent.at("id")}};
  payment["status"] = "open";
  invoice["_payment"] = payment.at("id");
  return invoice;
}

void attempt(draft& in, json::object& subscription, json::object& invoice, attempt_result result) {
  auto& intent = *in.find("payment_intent", text_of(invoice, "_payment_intent"));
  const auto attempts = number_of(invoice, "attempt_count") + 1;
  invoice["attempt_count"] = attempts;
  invoice["attempted"] = true;
  intent["payment_method"] = subscription.at("default_payment_method");
  if (result == attempt_result::needs_customer) {
    // docs.stripe.com/billing/subscriptions/overview#requires-action: both events are sent.
    intent["status"] = "requires_action";
    in.notify("payment_intent.requires_action", intent);
    fail(in, subscription, invoice, attempts);
    return in.notify("invoice.payment_action_required", invoice);
  }
  if (result == attempt_result::declined) {
    decline(in, intent, "card_declined", "insufficient_funds", "Your card has insufficient funds.");
    return fail(in, subscription, invoice, attempts);
  }
  approve(in, intent);
  subscription["_failed"] = 0;
  invoice["amount_paid"] = json::value(invoice.at("amount_due"));
  invoice["amount_remaining"] = 0;
  invoice["next_payment_attempt"] = nullptr;
  invoice["status"] = "paid";
  auto& payment = *in.find("invoice_payment", text_of(invoice, "_payment"));
  payment["amount_paid"] = invoice.at("amount_due");
  payment["status"] = "paid";
  in.notify("invoice.paid", invoice);
  in.notify("invoice.payment_succeeded", invoice);
  change_status(in, subscription, "active");
}

namespace {

/// A credit note, before the invoice is paid: https://docs.stripe.com/api/credit_notes
void credit(draft& in, json::object& subscription, std::int64_t amount) {
  auto* invoice = in.find("invoice", text_of(subscription, "latest_invoice"));
  if (!invoice || text_of(*invoice, "status") != "open") throw std::invalid_argument{"no invoice is open"};
  const auto left = number_of(*invoice, "amount_due") - amount;
  if (amount <= 0 || left <= 0) throw std::invalid_argument{"a part of what is due can be credited"};
  (*invoice)["amount_due"] = left;
  (*invoice)["amount_remaining"] = left;
  (*in.find("payment_intent", text_of(*invoice, "_payment_intent")))["amount"] = left;
  in.notify("credit_note.created", {{"id", random_id("cn_")}, {"object", "credit_note"}, {"amount", amount}});
  in.notify("invoice.updated", *invoice);
}

}  // namespace

bool move_subscription(draft& in, json::object& subscription, std::string_view move, std::int64_t amount) {
  if (!bills(subscription)) return false;
  in.set_clock(clock_of(subscription));
  if (move == "cycle_paid") {
    next_attempt(in, subscription, attempt_result::paid);
  } else if (move == "cycle_failed") {
    next_attempt(in, subscription, attempt_result::declined);
  } else if (move == "cycle_action") {
    next_attempt(in, subscription, attempt_result::needs_customer);
  } else if (move == "credit") {
    credit(in, subscription, amount);
  } else if (move == "prorate") {
    subscription["_prorated"] = amount;
  } else if (move == "update") {
    const auto updates = number_of(subscription, "_updates") + 1;
    const json::object before{{"metadata", subscription.at("metadata")}};
    subscription["_updates"] = updates;
    subscription.at("metadata").as_object()["updates"] = std::to_string(updates);
    in.notify("customer.subscription.updated", subscription, before);
  } else if (move == "delete") {
    end_subscription(in, subscription);
  } else {
    throw std::invalid_argument{
        "a subscription moves by cycle_paid, cycle_failed, cycle_action, credit, prorate, update or delete"};
  }
  return true;
}

}  // namespace gateway::stripe_stand_in
