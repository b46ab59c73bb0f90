#include <array>

#include "operations.hpp"

namespace gateway::stripe_stand_in {

namespace json = boost::json;

namespace {

json::object outcome_of(bool approved, bool blocked, std::string_view decline_code) {
  if (approved)
    return {{"type", "authorized"}, {"network_status", "approved_by_network"},
            {"reason", nullptr},    {"risk_level", "normal"},
            {"risk_score", 20},     {"seller_message", "Payment complete."}};
  return {{"type", blocked ? "blocked" : "issuer_declined"},
          {"network_status", blocked ? "not_sent_to_network" : "declined_by_network"},
          {"reason", blocked ? std::string_view{"highest_risk_level"} : decline_code},
          {"risk_level", blocked ? "highest" : "normal"},
          {"risk_score", blocked ? 95 : 20},
          {"seller_message", blocked ? "Stripe blocked this payment as too risky."
                                     : "The bank did not return any further details with this decline."}};
}

/// https://docs.stripe.com/payments/place-a-hold-on-a-payment-method: an authorization without the card holds for seven
/// days.
constexpr std::int64_t authorization_seconds = 7 * 24 * 3600;

json::object details_of(draft& in, const json::object& intent) {
  json::object of_card;
  if (const auto* method = in.find("payment_method", text_of(intent, "payment_method")))
    of_card = method->at("card").as_object();
  return {{"type", "card"}, {"card", std::move(of_card)}};
}

json::object& new_charge(draft& in, json::object& intent) {
  auto& charge = in.make("charge", "ch_");
  charge["amount"] = intent.at("amount");
  charge["amount_captured"] = 0;
  charge["amount_refunded"] = 0;
  charge["balance_transaction"] = nullptr;
  charge["captured"] = false;
  charge["currency"] = intent.at("currency");
  charge["customer"] = intent.at("customer");
  charge["disputed"] = false;
  charge["failure_code"] = nullptr;
  charge["failure_message"] = nullptr;
  charge["metadata"] = intent.at("metadata");
  charge["paid"] = true;
  charge["payment_intent"] = intent.at("id");
  charge["payment_method"] = intent.at("payment_method");
  charge["payment_method_details"] = details_of(in, intent);
  charge["refunded"] = false;
  charge["status"] = "succeeded";
  intent["latest_charge"] = charge.at("id");
  return charge;
}

/// Attaches the method to the customer, if the request asked for that.
void save_method(draft& in, const json::object& intent) {
  if (text_of(intent, "setup_future_usage").empty() || text_of(intent, "customer").empty()) return;
  auto* method = in.find("payment_method", text_of(intent, "payment_method"));
  if (!method || text_of(*method, "customer") == text_of(intent, "customer")) return;
  (*method)["customer"] = intent.at("customer");
  in.notify("payment_method.attached", *method);
}

}  // namespace

json::object& new_method(draft& in, const card& which) {
  auto& method = in.make("payment_method", "pm_");
  method["_card"] = which.token;
  method["type"] = "card";
  method["customer"] = nullptr;
  method["metadata"] = json::object{};
  method["billing_details"] = json::object{{"email", nullptr}, {"name", nullptr}, {"phone", nullptr}};
  method["card"] = json::object{{"brand", "visa"},  {"country", "US"},     {"exp_month", 12},
                                {"exp_year", 2040}, {"funding", "credit"}, {"last4", "4242"}};
  return method;
}

void approve(draft& in, json::object& intent) {
  auto& charge = new_charge(in, intent);
  charge["outcome"] = outcome_of(true, false, {});
  intent["last_payment_error"] = nullptr;
  intent["next_action"] = nullptr;
  save_method(in, intent);
  if (text_of(intent, "capture_method") == "manual") {
    intent["status"] = "requires_capture";
    auto& details = charge["payment_method_details"].as_object();
    details["card"].as_object()["capture_before"] = in.now() + authorization_seconds;
    intent["amount_capturable"] = json::value(intent.at("amount"));
    in.notify("charge.succeeded", charge);
    in.notify("payment_intent.amount_capturable_updated", intent);
    in.effect("authorize", intent, number_of(intent, "amount"), text_of(intent, "currency"));
    return;
  }
  intent["status"] = "succeeded";
  intent["amount_received"] = json::value(intent.at("amount"));
  charge["captured"] = true;
  charge["amount_captured"] = intent.at("amount");
  charge["balance_transaction"] = balance_id(text_of(charge, "id"));
  in.notify("charge.succeeded", charge);
  in.notify("payment_intent.succeeded", intent);
  in.effect("capture", intent, number_of(intent, "amount"), text_of(intent, "currency"));
}

void decline(draft& in, json::object& intent, std::string_view code, std::string_view decline_code,
             std::string_view message, bool blocked) {
  json::object error{{"type", "card_error"},
                     {"code", code},
                     {"message", message},
                     {"doc_url", "https://stripe.com/docs/error-codes/" + std::string{code}}};
  if (!decline_code.empty()) error["decline_code"] = decline_code;
  // The bank is asked only after the customer has been authenticated.
  if (code != "payment_intent_authentication_failure") {
    auto& charge = new_charge(in, intent);
    charge["paid"] = false;
    charge["status"] = "failed";
    charge["failure_code"] = code;
    charge["failure_message"] = message;
    charge["outcome"] = outcome_of(false, blocked, decline_code);
    error["charge"] = charge.at("id");
    in.notify("charge.failed", charge);
  }
  if (auto* method = in.find("payment_method", text_of(intent, "payment_method")))
    error["payment_method"] = shown(in.stored(), *method);
  intent["last_payment_error"] = std::move(error);
  intent["next_action"] = nullptr;
  intent["payment_method"] = nullptr;
  intent["status"] = "requires_payment_method";
  in.notify("payment_intent.payment_failed", intent);
  in.effect("decline", intent, number_of(intent, "amount"), text_of(intent, "currency"));
}

std::optional<answer> fault_of_amount(std::int64_t amount, std::string_view currency, std::string_view param) {
  struct least {
    std::string_view currency;
    std::int64_t amount;
  };
  // https://docs.stripe.com/currencies: minimum amounts; currencies whose amounts must end in zeros.
  static constexpr std::array least_amounts{least{"usd", 50}, least{"eur", 50},  least{"gbp", 30}, least{"hkd", 400},
                                            least{"jpy", 50}, least{"aed", 200}, least{"chf", 50}, least{"sgd", 50}};
  static constexpr std::array<std::string_view, 5> of_three_decimals{"bhd", "jod", "kwd", "omr", "tnd"};
  static constexpr std::array<std::string_view, 2> without_decimals_in_fact{"isk", "ugx"};
  if (amount < 1) return invalid("This value must be greater than or equal to 1.", "parameter_invalid_integer", param);
  if (amount > 99'999'999) return invalid("Amount must be no more than 999,999.99", "amount_too_large", param);
  for (const auto& each : least_amounts)
    if (each.currency == currency && amount < each.amount)
      return invalid("Amount must be at least " + std::to_string(each.amount) + ' ' + std::string{currency},
                     "amount_too_small", param);
  for (const auto each : of_three_decimals)
    if (each == currency && amount % 10 != 0)
      return invalid("Amounts in three-decimal currencies must end in 0.", "invalid_charge_amount", param);
  for (const auto each : without_decimals_in_fact)
    if (each == currency && amount % 100 != 0)
      return invalid("Amounts in this currency must end in 00.", "invalid_charge_amount", param);
  return std::nullopt;
}

}  // namespace gateway::stripe_stand_in
