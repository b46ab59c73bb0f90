#include "outside.hpp"

#include <stdexcept>

namespace gateway::stripe_stand_in {

namespace json = boost::json;

namespace {

void require(bool holds, const char* otherwise) {
  if (!holds) throw std::invalid_argument{otherwise};
}

std::string text_or(const json::object& wanted, std::string_view name, std::string_view otherwise) {
  const auto given = text_of(wanted, name);
  return given.empty() ? std::string{otherwise} : given;
}

/// From 1 to `most`, which it is if none is given.
std::int64_t amount_of(const json::object& wanted, std::int64_t most) {
  const auto amount = wanted.contains("amount") ? number_of(wanted, "amount") : most;
  require(amount >= 1 && amount <= most, "the amount is more than there is");
  return amount;
}

std::string_view kind_of(const json::object& wanted) {
  for (const std::string_view kind : {"payment_intent", "refund", "dispute", "customer", "payment_method"})
    if (wanted.contains(kind)) return kind;
  throw std::invalid_argument{"no payment_intent, refund, dispute, customer or payment_method is named"};
}

const json::object& refund(draft& in, json::object& charge, const json::object& wanted) {
  const auto status = text_or(wanted, "status", "succeeded");
  require(status == "succeeded" || status == "pending", "a refund begins as succeeded or pending");
  require(!is_charged_back(in.stored(), charge), "the charge is disputed");
  const auto amount = amount_of(wanted, left_of(in.stored(), charge));
  return refund_charge(in, charge, amount, status, json::value(text_or(wanted, "reason", "requested_by_customer")));
}

const json::object& dispute(draft& in, json::object& charge, const json::object& wanted) {
  const auto status = text_or(wanted, "status", "needs_response");
  require(status == "needs_response" || status == "warning_needs_response",
          "a dispute begins as needs_response or warning_needs_response");
  require(charge.at("captured").as_bool(), "only a captured charge can be disputed");
  const auto amount = amount_of(wanted, number_of(charge, "amount_captured"));
  return open_dispute(in, charge, amount, status, text_or(wanted, "reason", "fraudulent"));
}

/// The card network suspects fraud, and nothing has changed yet: https://docs.stripe.com/api/radar/early_fraud_warnings
const json::object& warn(draft& in, const json::object& intent, const json::object& charge) {
  auto& warning = in.make("radar.early_fraud_warning", "issfr_");
  warning["actionable"] = true;
  warning["charge"] = charge.at("id");
  warning["fraud_type"] = "made_with_stolen_card";
  warning["payment_intent"] = intent.at("id");
  in.notify("radar.early_fraud_warning.created", warning);
  return warning;
}

/// The customer tries again after a failed attempt, with a card that is approved.
void pay(draft& in, json::object& intent, bool captures) {
  const auto status = text_of(intent, "status");
  require(status == "requires_payment_method" || status == "requires_action",
          "only a payment that waits for a method can be paid");
  intent["payment_method"] = new_method(in, *find_card("visa")).at("id");
  approve(in, intent);
  if (captures && text_of(intent, "status") == "requires_capture") capture(in, intent, number_of(intent, "amount"));
}

const json::object& act_on_intent(draft& in, json::object& intent, std::string_view what, const json::object& wanted) {
  const bool authorized = text_of(intent, "status") == "requires_capture";
  if (what == "pay") {
    const auto* captures = wanted.if_contains("capture");
    pay(in, intent, captures && captures->as_bool());
    return intent;
  }
  if (what == "capture" || what == "cancel" || what == "expire") {
    require(authorized, "the payment intent is not authorized");
    if (what == "capture")
      capture(in, intent, amount_of(wanted, number_of(intent, "amount_capturable")));
    else
      cancel(in, intent, json::value(what == "expire" ? "automatic" : "requested_by_customer"), what == "expire");
    return intent;
  }
  auto* charge = in.find("charge", text_of(intent, "latest_charge"));
  require(charge, "the payment intent has no charge");
  if (what == "refund") return refund(in, *charge, wanted);
  if (what == "dispute") return dispute(in, *charge, wanted);
  if (what == "warn") return warn(in, intent, *charge);
  throw std::invalid_argument{"no such act on a payment intent"};
}

void act_on_refund(draft& in, json::object& refund, std::string_view what, const json::object& wanted) {
  const auto status = text_of(refund, "status");
  require(status != "failed", "the refund has failed already");
  require(!text_of(refund, "balance_transaction").empty(), "the refund has moved nothing");
  if (what == "succeed") {
    require(status == "pending", "the refund is not pending");
    return succeed(in, refund);
  }
  require(what == "fail", "a refund can succeed or fail");
  fail(in, refund, text_or(wanted, "failure_reason", "expired_or_canceled_card"));
}

/// docs.stripe.com/api/payment_methods/detach: it is not attached to a customer any more, and cannot be again.
void detach(draft& in, json::object& method) {
  const json::object before{{"customer", method.at("customer")}};
  require(!text_of(method, "customer").empty(), "the method is attached to no customer");
  method["customer"] = nullptr;
  in.notify("payment_method.detached", method, before);
}

/// docs.stripe.com/api/customers/delete. The event has the customer as it was; its methods are detached with it, of
/// which there are no events.
void remove_customer(draft& in, json::object& customer) {
  in.notify("customer.deleted", customer);
  for (const auto* each : in.stored().all("payment_method", in.who()))
    if (text_of(*each, "customer") == text_of(customer, "id"))
      (*in.find("payment_method", text_of(*each, "id")))["customer"] = nullptr;
  customer["deleted"] = true;
}

}  // namespace

const json::object& subject_of_act(const store& all, const json::object& wanted) {
  const auto kind = kind_of(wanted);
  const auto* known = all.find_anyones(kind, text_of(wanted, kind));
  require(known, "there is no such object");
  return *known;
}

const json::object& act(draft& in, const json::object& wanted) {
  const auto kind = kind_of(wanted);
  const auto what = text_of(wanted, "act");
  auto& subject = *in.find(kind, text_of(wanted, kind));
  if (kind == "payment_intent") return act_on_intent(in, subject, what, wanted);
  if (kind == "customer" || kind == "payment_method") {
    require(what == (kind == "customer" ? "delete" : "detach"), "a customer is deleted, and a method detached");
    require(!subject.contains("deleted"), "the customer is deleted already");
    kind == "customer" ? remove_customer(in, subject) : detach(in, subject);
    return subject;
  }
  if (kind == "refund")
    act_on_refund(in, subject, what, wanted);
  else
    require(move_dispute(in, subject, what), "the dispute's status does not allow that");
  return subject;
}

}  // namespace gateway::stripe_stand_in
