#include "operations.hpp"

namespace gateway::stripe_stand_in {

namespace json = boost::json;

namespace {

using enum shape;

constexpr parameter of_create[]{
    {"amount", integer, true},
    {"currency", currency, true},
    {"automatic_payment_methods[enabled]", boolean},
    {"automatic_payment_methods[allow_redirects]", one_of, false, "always never"},
    {"capture_method", one_of, false, "automatic automatic_async manual"},
    {"confirm", boolean},
    {"confirmation_method", one_of, false, "automatic manual"},
    {"confirmation_token"},
    {"customer"},
    {"description"},
    {"error_on_requires_action", boolean},
    {"expand[#]"},
    {"metadata[*]", metadata},
    {"off_session", boolean},
    {"payment_method"},
    {"payment_method_types[#]"},
    {"receipt_email"},
    {"return_url", url},
    {"setup_future_usage", one_of, false, "on_session off_session"},
    {"shipping[name]"},
    {"statement_descriptor_suffix"},
    {"use_stripe_sdk", boolean},
};

/// Parameters that exclude each other.
std::optional<answer> fault_of_rules(draft& in, const form& given) {
  if (const auto fault = fault_of_amount(given.number("amount"), given.text("currency"), "amount")) return fault;
  for (const auto* name :
       {"confirmation_token", "off_session", "return_url", "use_stripe_sdk", "error_on_requires_action"})
    if (given.find(name) && !given.flag("confirm"))
      return invalid(std::string{"You may only specify "} + name + " when confirm=true.", {}, name);
  if (given.flag("off_session") && given.find("setup_future_usage"))
    return invalid(
        "You cannot confirm with the `off_session` parameter when `setup_future_usage` is also set on the "
        "PaymentIntent",
        {}, "off_session");
  if (given.has_under("automatic_payment_methods") && given.find("payment_method_types[0]"))
    return invalid("You may only specify one of these parameters: automatic_payment_methods, payment_method_types.",
                   "parameters_exclusive", "payment_method_types");
  // https://docs.stripe.com/api/payment_intents/create: methods that redirect are on unless they are switched off.
  if (given.flag("confirm") && !given.find("return_url") && given.list("payment_method_types").empty() &&
      given.text("automatic_payment_methods[allow_redirects]") != "never")
    return invalid("A return_url is needed to confirm where payment methods may redirect.", {}, "return_url");
  for (const auto& type : given.list("payment_method_types"))
    if (type != "card")
      return invalid("The payment method type " + type + " is not available.", {}, "payment_method_types");
  if (const auto* customer = given.find("customer"); customer && !lives(in, *customer))
    return missing("customer", *customer, 400, "customer");
  return fault_of_expand(given.list("expand"), expandable_of_intents);
}

/// The named method. A confirmation token `ctoken_card_…` holds the card `pm_card_…`; a method beside it takes
/// precedence: https://docs.stripe.com/api/payment_intents/create
std::string named_method(const form& given) {
  const auto token = given.text("confirmation_token");
  if (given.find("payment_method") || !token.starts_with("ctoken_")) return given.text("payment_method");
  return "pm_" + token.substr(7);
}

/// The method to charge, or why it cannot be charged.
std::variant<json::object*, answer> method_for(draft& in, const std::string& name, const std::string& customer) {
  if (name.starts_with("pm_card_"))
    if (const auto* which = find_card(std::string_view{name}.substr(8))) return &new_method(in, *which);
  auto* method = in.find("payment_method", name);
  if (!method) return missing("PaymentMethod", name, 400, "payment_method");
  const auto owner = text_of(*method, "customer");
  if (owner.empty() && method->contains("_used"))
    return invalid(
        "The provided PaymentMethod was used before without being attached to a customer, and may not be used again.",
        {}, "payment_method");
  if (!owner.empty() && owner != customer)
    return invalid("The provided PaymentMethod belongs to another customer, or none was given.", {}, "payment_method");
  return method;
}

void want_action(draft& in, json::object& intent, const form& given, const surroundings& at) {
  intent["status"] = "requires_action";
  const auto id = text_of(intent, "id");
  if (const auto* back = given.find("return_url"); back && !given.flag("use_stripe_sdk")) {
    intent["next_action"] = json::object{
        {"type", "redirect_to_url"},
        {"redirect_to_url", json::object{{"return_url", *back}, {"url", at.base_url + "/challenge/" + id}}}};
    intent["_return_url"] = *back;
  } else {
    intent["next_action"] =
        json::object{{"type", "use_stripe_sdk"}, {"use_stripe_sdk", json::object{{"type", "three_d_secure_redirect"}}}};
  }
  in.notify("payment_intent.requires_action", intent);
  in.effect("action", intent, number_of(intent, "amount"), text_of(intent, "currency"));
}

answer card_error(draft& in, const json::object& intent) {
  auto error = intent.at("last_payment_error").as_object();
  error["payment_intent"] = shown(in.stored(), intent);
  return begun(error_answer(402, std::move(error)));
}

answer confirm(draft& in, json::object& intent, json::object& method, const form& given, const surroundings& at) {
  const auto& which = *find_card(text_of(method, "_card"));
  intent["payment_method"] = method.at("id");
  const bool was_set_up = !text_of(method, "customer").empty();
  method["_used"] = true;
  if (which.does == behaviour::declines || which.does == behaviour::blocked) {
    decline(in, intent, which.code, which.decline_code, which.message, which.does == behaviour::blocked);
    return card_error(in, intent);
  }
  const bool must_act =
      which.does == behaviour::authenticates || (which.does == behaviour::authenticates_on_setup && !was_set_up);
  if (must_act && (given.flag("off_session") || given.flag("error_on_requires_action"))) {
    decline(in, intent, "authentication_required", "authentication_required",
            "Your card was declined. This transaction requires authentication.");
    return card_error(in, intent);
  }
  must_act ? want_action(in, intent, given, at) : approve(in, intent);
  return json_answer(200, shown(in.stored(), intent, given.list("expand")));
}

json::object& new_intent(draft& in, const form& given) {
  auto& intent = plain_intent(in, given.number("amount"), given.text("currency"));
  if (given.find("capture_method")) intent["capture_method"] = given.text("capture_method");
  for (const auto* name : {"customer", "description", "payment_method", "setup_future_usage", "receipt_email"})
    intent[name] = given.find(name) ? json::value(given.text(name)) : json::value(nullptr);
  intent["metadata"] = given.texts_under("metadata");
  if (!named_method(given).empty()) intent["status"] = "requires_confirmation";
  return intent;
}

}  // namespace

json::object& plain_intent(draft& in, std::int64_t amount, std::string_view currency) {
  auto& intent = in.make("payment_intent", "pi_");
  intent["_created_ms"] = now_milliseconds();
  intent["amount"] = amount;
  intent["amount_capturable"] = 0;
  intent["amount_received"] = 0;
  intent["capture_method"] = "automatic_async";
  intent["client_secret"] = text_of(intent, "id") + random_id("_secret_");
  intent["currency"] = currency;
  for (const auto* name : {"canceled_at", "cancellation_reason", "customer", "description", "last_payment_error",
                           "latest_charge", "next_action", "payment_method", "receipt_email", "setup_future_usage"})
    intent[name] = nullptr;
  intent["metadata"] = json::object{};
  intent["payment_method_types"] = json::array{"card"};
  intent["status"] = "requires_payment_method";
  return intent;
}

answer create_intent(draft& in, const form& given, const surroundings& at) {
  if (const auto fault = fault_of(given, of_create)) return *fault;
  if (const auto fault = fault_of_rules(in, given)) return *fault;
  const auto named = named_method(given);
  if (given.flag("confirm") && named.empty())
    return invalid("You cannot confirm this PaymentIntent because it's missing a payment method.",
                   "payment_intent_unexpected_state");
  json::object* method = nullptr;
  if (!named.empty()) {
    auto found = method_for(in, named, given.text("customer"));
    if (const auto* fault = std::get_if<answer>(&found)) return *fault;
    method = std::get<json::object*>(found);
  }
  auto& intent = new_intent(in, given);
  if (method) intent["payment_method"] = method->at("id");
  in.notify("payment_intent.created", intent);
  if (given.flag("confirm")) return confirm(in, intent, *method, given, at);
  return json_answer(200, shown(in.stored(), intent, given.list("expand")));
}

answer confirm_intent(draft& in, const form& given, const std::string& id, const surroundings& at) {
  static constexpr parameter known[]{{"payment_method"},
                                     {"confirmation_token"},
                                     {"off_session", boolean},
                                     {"return_url", url},
                                     {"use_stripe_sdk", boolean},
                                     {"expand[#]"},
                                     {"error_on_requires_action", boolean}};
  if (const auto fault = fault_of(given, known)) return *fault;
  if (const auto fault = fault_of_expand(given.list("expand"), expandable_of_intents)) return *fault;
  auto* intent = in.find("payment_intent", id);
  if (!intent) return missing("payment_intent", id, 404, "intent");
  const auto status = text_of(*intent, "status");
  if (status != "requires_payment_method" && status != "requires_confirmation" && status != "requires_action")
    return unexpected_state(in, *intent,
                            "This PaymentIntent could not be confirmed because it has a status of " + status + '.');
  if (given.flag("off_session") && !text_of(*intent, "setup_future_usage").empty())
    return invalid("You cannot confirm with the `off_session` parameter when `setup_future_usage` is also set", {},
                   "off_session");
  auto named = named_method(given);
  if (named.empty()) named = text_of(*intent, "payment_method");
  if (named.empty())
    return invalid("You cannot confirm this PaymentIntent because it's missing a payment method.",
                   "payment_intent_unexpected_state");
  auto found = method_for(in, named, text_of(*intent, "customer"));
  if (const auto* fault = std::get_if<answer>(&found)) return *fault;
  return confirm(in, *intent, *std::get<json::object*>(found), given, at);
}

}  // namespace gateway::stripe_stand_in
