#include <algorithm>

#include "billing.hpp"

namespace gateway::stripe_stand_in {

namespace json = boost::json;

namespace {

using enum shape;

constexpr parameter expand_of_retrieve[]{{"expand[#]"}};
constexpr std::string_view expandable_here =
    "data.payment.payment_intent data.payment.payment_intent.latest_charge data.invoice";

json::object price_of(const json::object& session, const json::object& data) {
  json::object recurring{{"interval", data.at("interval")}, {"interval_count", data.at("interval_count")}};
  recurring["usage_type"] = "licensed";
  return {{"id", random_id("price_")},
          {"object", "price"},
          {"currency", session.at("currency")},
          {"product", random_id("prod_")},
          {"recurring", std::move(recurring)},
          {"type", "recurring"},
          {"unit_amount", session.at("amount_total")}};
}

/// Makes a customer for a payer who is not one yet.
std::string customer_of(draft& in, json::object& session) {
  auto id = text_of(session, "customer");
  if (!id.empty()) return id;
  auto& customer = in.make("customer", "cus_");
  customer["_created_ms"] = now_milliseconds();
  customer["email"] = session.at("customer_email");
  customer["metadata"] = json::object{};
  in.notify("customer.created", customer);
  id = text_of(customer, "id");
  session["customer"] = id;
  return id;
}

}  // namespace

json::object& subscribe(draft& in, json::object& session, const card& which) {
  const auto data = session.at("_subscription_data").as_object();
  const auto customer = customer_of(in, session);
  auto& method = new_method(in, which);
  method["customer"] = customer;
  const auto method_id = method.at("id");
  const auto now = in.now(), trial_days = number_of(data, "trial_period_days");
  const auto anchor = now + trial_days * 24 * 3600;
  const auto period_end =
      trial_days > 0 ? anchor : end_of_period(anchor, text_of(data, "interval"), number_of(data, "interval_count"), 1);

  auto& subscription = in.make("subscription", "sub_");
  subscription["_created_ms"] = now_milliseconds();
  subscription["_session"] = session.at("id");
  subscription["_offset"] = 0;
  subscription["_anchor"] = anchor;
  subscription["_cycle"] = trial_days > 0 ? 0 : 1;
  subscription["_failed"] = 0;
  subscription["_updates"] = 0;
  subscription["_prorated"] = 0;
  for (const auto* name : {"cancel_at", "canceled_at", "ended_at", "latest_invoice", "trial_start", "trial_end"})
    subscription[name] = nullptr;
  subscription["cancel_at_period_end"] = false;
  subscription["collection_method"] = "charge_automatically";
  subscription["currency"] = session.at("currency");
  subscription["customer"] = customer;
  subscription["default_payment_method"] = method_id;
  json::object item{{"id", random_id("si_")}, {"object", "subscription_item"}, {"quantity", 1}};
  item["current_period_start"] = now;
  item["current_period_end"] = period_end;
  item["price"] = price_of(session, data);
  subscription["items"] = json::object{{"object", "list"}, {"data", json::array{std::move(item)}}, {"has_more", false}};
  subscription["metadata"] = data.at("metadata");
  subscription["start_date"] = now;
  subscription["status"] = trial_days > 0 ? "trialing" : "incomplete";
  session["subscription"] = subscription.at("id");
  in.effect("subscribe", subscription, 0, {});
  in.notify("customer.subscription.created", subscription);
  if (trial_days > 0) {
    subscription["trial_start"] = now;
    subscription["trial_end"] = anchor;
    bill_trial(in, subscription);
    session["invoice"] = subscription.at("latest_invoice");
    return subscription;
  }
  auto& invoice = new_invoice(in, subscription, "subscription_create");
  session["invoice"] = invoice.at("id");
  attempt(in, subscription, invoice, attempt_result::paid);
  return subscription;
}

answer retrieve_subscription(draft& in, const form& given, const std::string& id) {
  if (const auto fault = fault_of(given, expand_of_retrieve)) return *fault;
  const auto* subscription = in.stored().find("subscription", id, in.who());
  if (!subscription) return missing("subscription", id);
  return json_answer(200, shown(in.stored(), *subscription));
}

answer search_subscriptions(draft& in, const form& given, const surroundings& at) {
  return search_in(in.stored(), in.who(), "subscription", given, at.search_delay_ms, "/v1/subscriptions/search");
}

/// For an ended subscription Stripe answers that there is none, although it still returns it: stripe-go, issue 1887.
answer cancel_subscription(draft& in, const form& given, const std::string& id) {
  static constexpr parameter known[]{{"invoice_now", boolean}, {"prorate", boolean}, {"expand[#]"}};
  if (const auto fault = fault_of(given, known)) return *fault;
  auto* subscription = in.find("subscription", id);
  if (!subscription || text_of(*subscription, "status") == "canceled" ||
      text_of(*subscription, "status") == "incomplete_expired")
    return missing("subscription", id);
  in.set_clock(clock_of(*subscription));
  end_subscription(in, *subscription);
  return json_answer(200, shown(in.stored(), *subscription));
}

/// https://docs.stripe.com/api/invoices/list
answer list_invoices(draft& in, const form& given) {
  static constexpr parameter known[]{
      {"customer"},       {"limit", integer},
      {"starting_after"}, {"status", one_of, false, "draft open paid uncollectible void"},
      {"subscription"},   {"expand[#]"}};
  if (const auto fault = fault_of(given, known)) return *fault;
  auto found = in.stored().all("invoice", in.who());
  std::erase_if(found, [&](const auto* each) {
    const auto& details = each->at("parent").as_object().at("subscription_details").as_object();
    return (given.find("subscription") && text_of(details, "subscription") != given.text("subscription")) ||
           (given.find("customer") && text_of(*each, "customer") != given.text("customer")) ||
           (given.find("status") && text_of(*each, "status") != given.text("status"));
  });
  return list_of(in.stored(), found, given, "/v1/invoices");
}

answer retrieve_invoice(draft& in, const form& given, const std::string& id) {
  if (const auto fault = fault_of(given, expand_of_retrieve)) return *fault;
  const auto* invoice = in.stored().find("invoice", id, in.who());
  if (!invoice) return missing("invoice", id);
  return json_answer(200, shown(in.stored(), *invoice));
}

answer list_invoice_payments(draft& in, const form& given) {
  static constexpr parameter known[]{{"invoice"},
                                     {"limit", integer},
                                     {"payment[payment_intent]"},
                                     {"payment[type]", one_of, false, "payment_intent payment_record"},
                                     {"starting_after"},
                                     {"status", one_of, false, "canceled open paid"},
                                     {"expand[#]"}};
  if (const auto fault = fault_of(given, known)) return *fault;
  if (const auto fault = fault_of_expand(given.list("expand"), expandable_here)) return *fault;
  if (given.has_under("payment") && !given.find("payment[type]"))
    return invalid("Missing required param: payment[type].", "parameter_missing", "payment[type]");
  if (given.find("invoice") && !in.stored().find("invoice", given.text("invoice"), in.who()))
    return missing("invoice", given.text("invoice"), 404, "invoice");
  auto found = in.stored().all("invoice_payment", in.who());
  std::erase_if(found, [&](const auto* each) {
    return (given.find("invoice") && text_of(*each, "invoice") != given.text("invoice")) ||
           (given.find("status") && text_of(*each, "status") != given.text("status")) ||
           (given.find("payment[payment_intent]") &&
            text_of(each->at("payment").as_object(), "payment_intent") != given.text("payment[payment_intent]"));
  });
  return list_of(in.stored(), found, given, "/v1/invoice_payments");
}

}  // namespace gateway::stripe_stand_in
