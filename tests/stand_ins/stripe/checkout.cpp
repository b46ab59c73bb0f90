#include <algorithm>

#include "operations.hpp"

namespace gateway::stripe_stand_in {

namespace json = boost::json;

namespace {

using enum shape;

constexpr std::string_view expandable =
    "payment_intent payment_intent.latest_charge payment_intent.payment_method customer data.payment_intent "
    "data.payment_intent.latest_charge data.customer line_items";

constexpr parameter of_create[]{
    {"mode", one_of, true, "payment setup subscription"},
    {"cancel_url", url},
    {"client_reference_id"},
    {"customer"},
    {"customer_creation", one_of, false, "always if_required"},
    {"customer_email"},
    {"expand[#]"},
    {"expires_at", time},
    {"line_items[#][price_data][currency]", currency},
    {"line_items[#][price_data][product_data][description]"},
    {"line_items[#][price_data][product_data][name]"},
    {"line_items[#][price_data][recurring][interval]", one_of, false, "day week month year"},
    {"line_items[#][price_data][recurring][interval_count]", integer},
    {"line_items[#][price_data][unit_amount]", integer},
    {"line_items[#][quantity]", integer},
    {"locale"},
    {"metadata[*]", metadata},
    {"payment_intent_data[capture_method]", one_of, false, "automatic automatic_async manual"},
    {"payment_intent_data[description]"},
    {"payment_intent_data[metadata][*]", metadata},
    {"payment_intent_data[receipt_email]"},
    {"payment_intent_data[setup_future_usage]", one_of, false, "on_session off_session"},
    {"payment_intent_data[statement_descriptor_suffix]"},
    {"payment_method_types[#]"},
    {"subscription_data[description]"},
    {"subscription_data[metadata][*]", metadata},
    {"subscription_data[trial_period_days]", integer},
    {"submit_type", one_of, false, "auto book donate pay subscribe"},
    {"success_url", url},
    {"ui_mode", one_of, false, "hosted hosted_page"},
};

constexpr std::string_view item = "line_items[0]";

std::string of_item(std::string_view rest) { return std::string{item}.append(rest); }

/// https://docs.stripe.com/api/checkout/sessions/create: from half an hour to a day ahead.
std::optional<answer> fault_of_expiry(const form& given) {
  if (!given.find("expires_at")) return std::nullopt;
  const auto ahead = given.number("expires_at") - now_seconds();
  if (ahead < 30 * 60 - 5 || ahead > 24 * 3600 + 5)
    return invalid("The `expires_at` timestamp must be from 30 minutes to 24 hours from Checkout Session creation.", {},
                   "expires_at");
  return std::nullopt;
}

/// Parameters that belong to one mode only. A subscription bills at least every three years.
std::optional<answer> fault_of_mode(const form& given) {
  const auto mode = given.text("mode");
  if (mode == "setup") return invalid("The stand-in does not know mode=setup.", {}, "mode");
  const bool subscribes = mode == "subscription";
  const auto recurring = of_item("[price_data][recurring]");
  if (given.has_under(recurring) != subscribes)
    return invalid("Recurring prices are for mode=subscription, and it takes no others.", {}, recurring);
  const std::string_view foreign = subscribes ? "payment_intent_data" : "subscription_data";
  if (given.has_under(foreign))
    return invalid("You can not pass `" + std::string{foreign} + "` in `" + mode + "` mode.", {}, foreign);
  if (!subscribes) return std::nullopt;
  const auto interval = given.text(recurring + "[interval]");
  const auto count = given.number(recurring + "[interval_count]", 1);
  const auto most = interval == "day" ? 1095 : interval == "week" ? 156 : interval == "month" ? 36 : 3;
  if (interval.empty()) return invalid("Missing required param: interval", "parameter_missing", recurring);
  if (count < 1 || count > most)
    return invalid("Invalid integer: the longest interval is three years.", "parameter_invalid_integer", recurring);
  if (given.find("subscription_data[trial_period_days]") && given.number("subscription_data[trial_period_days]") < 1)
    return invalid("The minimum number of trial period days is 1.", {}, "subscription_data[trial_period_days]");
  return std::nullopt;
}

std::optional<answer> fault_of_rules(draft& in, const form& given) {
  if (const auto fault = fault_of_mode(given)) return fault;
  for (const auto* name :
       {"success_url", "line_items[0][price_data][currency]", "line_items[0][price_data][unit_amount]",
        "line_items[0][price_data][product_data][name]", "line_items[0][quantity]"})
    if (!given.find(name)) return invalid(std::string{"Missing required param: "} + name, "parameter_missing", name);
  if (given.find("customer") && given.find("customer_email"))
    return invalid("You may only specify one of these parameters: customer, customer_email.", "parameters_exclusive",
                   "customer");
  if (given.number(of_item("[quantity]")) < 1)
    return invalid("Invalid positive integer", "parameter_invalid_integer", of_item("[quantity]"));
  if (const auto fault =
          fault_of_amount(given.number(of_item("[price_data][unit_amount]")),
                          given.text(of_item("[price_data][currency]")), of_item("[price_data][unit_amount]")))
    return fault;
  if (const auto* customer = given.find("customer"); customer && !lives(in, *customer))
    return missing("customer", *customer, 400, "customer");
  if (const auto fault = fault_of_expiry(given)) return fault;
  return fault_of_expand(given.list("expand"), expandable);
}

}  // namespace

answer create_session(draft& in, const form& given, const surroundings& at) {
  if (const auto fault = fault_of(given, of_create)) return *fault;
  if (const auto fault = fault_of_rules(in, given)) return *fault;
  auto& session = in.make("checkout.session", in.who().live ? "cs_live_" : "cs_test_");
  const auto amount = given.number(of_item("[price_data][unit_amount]")) * given.number(of_item("[quantity]"));
  session["amount_subtotal"] = amount;
  session["amount_total"] = amount;
  for (const auto* name : {"cancel_url", "client_reference_id", "customer", "customer_email", "success_url"})
    session[name] = given.find(name) ? json::value(given.text(name)) : json::value(nullptr);
  session["currency"] = given.text(of_item("[price_data][currency]"));
  session["customer_details"] = nullptr;
  session["expires_at"] = given.number("expires_at", now_seconds() + 24 * 3600);
  session["metadata"] = given.texts_under("metadata");
  session["mode"] = given.text("mode");
  session["invoice"] = nullptr;
  session["payment_intent"] = nullptr;
  session["subscription"] = nullptr;
  session["payment_method_types"] = json::array{"card"};
  session["payment_status"] = "unpaid";
  session["status"] = "open";
  session["url"] = at.base_url + "/c/pay/" + text_of(session, "id");
  session["_item"] = given.text(of_item("[price_data][product_data][name]"));
  session["_subscription_data"] =
      json::object{{"metadata", given.texts_under("subscription_data[metadata]")},
                   {"trial_period_days", given.number("subscription_data[trial_period_days]")},
                   {"interval", given.text(of_item("[price_data][recurring][interval]"))},
                   {"interval_count", given.number(of_item("[price_data][recurring][interval_count]"), 1)}};
  json::object data{{"metadata", given.texts_under("payment_intent_data[metadata]")}};
  for (const auto* name : {"capture_method", "description", "setup_future_usage"})
    if (const auto* value = given.find(std::string{"payment_intent_data["} + name + ']')) data[name] = *value;
  session["_payment_intent_data"] = std::move(data);
  in.effect("session", session, amount, text_of(session, "currency"));
  return json_answer(200, shown(in.stored(), session, given.list("expand")));
}

answer retrieve_session(draft& in, const form& given, const std::string& id) {
  static constexpr parameter known[]{{"expand[#]"}};
  if (const auto fault = fault_of(given, known)) return *fault;
  if (const auto fault = fault_of_expand(given.list("expand"), expandable)) return *fault;
  const auto* session = in.stored().find("checkout.session", id, in.who());
  if (!session) return missing("checkout.session", id, 404, "session");
  return json_answer(200, shown(in.stored(), *session, given.list("expand")));
}

answer list_sessions(draft& in, const form& given) {
  static constexpr parameter known[]{
      {"customer"},          {"created[gte]", time},
      {"created[gt]", time}, {"created[lte]", time},
      {"expand[#]"},         {"limit", integer},
      {"payment_intent"},    {"status", one_of, false, "open complete expired"},
      {"starting_after"},
  };
  if (const auto fault = fault_of(given, known)) return *fault;
  if (const auto fault = fault_of_expand(given.list("expand"), expandable)) return *fault;
  auto found = in.stored().all("checkout.session", in.who());
  std::erase_if(found, [&](const auto* each) {
    const auto created = number_of(*each, "created");
    const auto differs = [&](const char* name) { return given.find(name) && text_of(*each, name) != given.text(name); };
    return differs("customer") || differs("payment_intent") || differs("status") ||
           created < given.number("created[gte]") || created <= given.number("created[gt]", -1) ||
           created > given.number("created[lte]", created);
  });
  return list_of(in.stored(), found, given, "/v1/checkout/sessions");
}

void close_session(draft& in, json::object& session) {
  session["status"] = "expired";
  session["url"] = nullptr;
  in.notify("checkout.session.expired", session);
  in.effect("expire", session, number_of(session, "amount_total"), text_of(session, "currency"));
  // An attempt that was declined on the page ends with the page.
  auto* intent = in.find("payment_intent", text_of(session, "payment_intent"));
  if (!intent || text_of(*intent, "status") == "canceled") return;
  (*intent)["status"] = "canceled";
  (*intent)["canceled_at"] = now_seconds();
  (*intent)["cancellation_reason"] = "automatic";
  in.notify("payment_intent.canceled", *intent);
}

answer expire_session(draft& in, const form& given, const std::string& id) {
  static constexpr parameter known[]{{"expand[#]"}};
  if (const auto fault = fault_of(given, known)) return *fault;
  if (const auto fault = fault_of_expand(given.list("expand"), expandable)) return *fault;
  auto* session = in.find("checkout.session", id);
  if (!session) return missing("checkout.session", id, 404, "session");
  if (text_of(*session, "status") != "open")
    return begun(invalid(
        "Only Checkout Sessions with a status in [\"open\"] can be expired. This Checkout Session has a status of " +
        text_of(*session, "status") + '.'));
  close_session(in, *session);
  return json_answer(200, shown(in.stored(), *session, given.list("expand")));
}

}  // namespace gateway::stripe_stand_in
