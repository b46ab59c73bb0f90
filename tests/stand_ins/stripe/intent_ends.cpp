#include "operations.hpp"

namespace gateway::stripe_stand_in {

namespace json = boost::json;

namespace {

using enum shape;

/// What was authorized and is not captured counts as refunded: https://docs.stripe.com/api/charges/capture. Because no
/// money has moved, this refund has no balance transaction. `reason`: of the refund.
void release(draft& in, json::object& charge, std::int64_t amount, const json::value& reason) {
  if (amount == 0) return;
  auto& refund = in.make("refund", "re_");
  refund["amount"] = amount;
  refund["balance_transaction"] = nullptr;
  refund["charge"] = charge.at("id");
  refund["currency"] = charge.at("currency");
  refund["metadata"] = json::object{};
  refund["payment_intent"] = charge.at("payment_intent");
  refund["reason"] = reason;
  refund["status"] = "succeeded";
  charge["amount_refunded"] = number_of(charge, "amount_refunded") + amount;
  charge["refunded"] = charge.at("amount_refunded") == charge.at("amount");
  in.notify("refund.created", refund);
}

}  // namespace

std::string balance_id(std::string_view id, std::string_view kind) {
  return "txn_" + std::string{kind} + std::string{id.substr(id.find('_') + 1)};
}

void capture(draft& in, json::object& intent, std::int64_t amount) {
  auto& charge = *in.find("charge", text_of(intent, "latest_charge"));
  charge["captured"] = true;
  charge["amount_captured"] = amount;
  charge["balance_transaction"] = balance_id(text_of(charge, "id"));
  intent["status"] = "succeeded";
  intent["amount_capturable"] = 0;
  intent["amount_received"] = amount;
  release(in, charge, number_of(charge, "amount") - amount, nullptr);
  in.notify("charge.captured", charge);
  in.notify("payment_intent.succeeded", intent);
  in.effect("capture", intent, amount, text_of(intent, "currency"));
}

void cancel(draft& in, json::object& intent, const json::value& reason, bool expires) {
  const bool was_authorized = text_of(intent, "status") == "requires_capture";
  intent["status"] = "canceled";
  intent["amount_capturable"] = 0;
  intent["canceled_at"] = now_seconds();
  intent["cancellation_reason"] = reason;
  intent["next_action"] = nullptr;
  if (was_authorized) {
    auto& charge = *in.find("charge", text_of(intent, "latest_charge"));
    release(in, charge, number_of(charge, "amount"),
            expires ? json::value("expired_uncaptured_charge") : json::value(nullptr));
    in.notify(expires ? "charge.expired" : "charge.refunded", charge);
  }
  in.notify("payment_intent.canceled", intent);
  in.effect(was_authorized ? "cancel" : "abandon", intent, number_of(intent, "amount"), text_of(intent, "currency"));
}

/// An error that includes the payment intent.
answer unexpected_state(draft& in, const json::object& intent, std::string message) {
  return begun(error_answer(400, {{"code", "payment_intent_unexpected_state"},
                                  {"doc_url", "https://stripe.com/docs/error-codes/payment-intent-unexpected-state"},
                                  {"message", std::move(message)},
                                  {"payment_intent", shown(in.stored(), intent)},
                                  {"type", "invalid_request_error"}}));
}

answer capture_intent(draft& in, const form& given, const std::string& id) {
  static constexpr parameter known[]{
      {"amount_to_capture", integer}, {"final_capture", boolean}, {"metadata[*]", metadata}, {"expand[#]"}};
  if (const auto fault = fault_of(given, known)) return *fault;
  if (const auto fault = fault_of_expand(given.list("expand"), expandable_of_intents)) return *fault;
  auto* intent = in.find("payment_intent", id);
  if (!intent) return missing("payment_intent", id, 404, "intent");
  if (text_of(*intent, "status") != "requires_capture")
    return unexpected_state(in, *intent,
                            "This PaymentIntent could not be captured because it has a status of " +
                                text_of(*intent, "status") + ". Only a requires_capture one may be captured.");
  const auto amount = given.number("amount_to_capture", number_of(*intent, "amount"));
  if (amount < 1) return invalid("Invalid positive integer", "parameter_invalid_integer", "amount_to_capture");
  if (amount > number_of(*intent, "amount_capturable"))
    return invalid("The amount to capture is more than what can be captured.", "amount_too_large", "amount_to_capture");
  for (const auto& field : given.texts_under("metadata"))
    (*intent)["metadata"].as_object()[field.key()] = field.value();
  capture(in, *intent, amount);
  return json_answer(200, shown(in.stored(), *intent, given.list("expand")));
}

answer cancel_intent(draft& in, const form& given, const std::string& id) {
  static constexpr parameter known[]{
      {"cancellation_reason", one_of, false, "duplicate fraudulent requested_by_customer abandoned"}, {"expand[#]"}};
  if (const auto fault = fault_of(given, known)) return *fault;
  if (const auto fault = fault_of_expand(given.list("expand"), expandable_of_intents)) return *fault;
  auto* intent = in.find("payment_intent", id);
  if (!intent) return missing("payment_intent", id, 404, "intent");
  const auto status = text_of(*intent, "status");
  if (status == "succeeded" || status == "canceled")
    return unexpected_state(in, *intent,
                            "You cannot cancel this PaymentIntent because it has a status of " + status + '.');
  cancel(in, *intent,
         given.find("cancellation_reason") ? json::value(given.text("cancellation_reason")) : json::value(nullptr));
  return json_answer(200, shown(in.stored(), *intent, given.list("expand")));
}

}  // namespace gateway::stripe_stand_in
