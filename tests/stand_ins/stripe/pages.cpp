#include "pages.hpp"

#include "tests/stand_ins/common/text.hpp"

namespace gateway::stripe_stand_in {

namespace json = boost::json;
using stand_in::escaped;

namespace {

answer page(int status, std::string_view title, std::string_view body) {
  auto html = "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + escaped(title) +
              "</title></head><body><main><h1>" + escaped(title) + "</h1>" + std::string{body} +
              "</main></body></html>\n";
  return {status, std::move(html), {{"Content-Type", "text/html; charset=utf-8"}}};
}

answer away(std::string where) { return {303, {}, {{"Location", std::move(where)}}}; }

std::string button(std::string_view action, std::string_view label) {
  return "<button name=\"action\" value=\"" + std::string{action} + "\">" + std::string{label} + "</button> ";
}

answer checkout_page(const json::object& session, std::string_view message) {
  auto body = "<p>" + escaped(text_of(session, "_item")) + ": " + std::to_string(number_of(session, "amount_total")) +
              ' ' + text_of(session, "currency") + "</p>";
  if (!message.empty()) body += "<p role=\"alert\">" + escaped(message) + "</p>";
  body += "<form method=\"post\"><p><label>Card <input name=\"card\" value=\"pm_card_visa\"></label></p>" +
          button("pay", "Pay") + button("decline", "Pay with a card that is declined") + button("back", "Back") +
          "</form>";
  return page(200, "Checkout", body);
}

std::string with_parameter(const std::string& url, const std::string& more) {
  return url + (url.find('?') == url.npos ? '?' : '&') + more;
}

/// https://docs.stripe.com/upgrades#2022-08-01: the intent is made when the customer pays, not before.
json::object& intent_of_session(draft& in, const json::object& session) {
  const auto& data = session.at("_payment_intent_data").as_object();
  const auto given = [&](std::string_view name) {
    const auto* value = data.if_contains(name);
    return value ? *value : json::value(nullptr);
  };
  auto& intent = plain_intent(in, number_of(session, "amount_total"), text_of(session, "currency"));
  intent["_session"] = session.at("id");
  if (data.contains("capture_method")) intent["capture_method"] = given("capture_method");
  intent["customer"] = session.at("customer");
  intent["description"] = given("description");
  intent["metadata"] = data.at("metadata");
  intent["setup_future_usage"] = given("setup_future_usage");
  return intent;
}

}  // namespace

bool pages::serves(std::string_view path) {
  return path.starts_with("/c/pay/") || path.starts_with("/challenge/") || path.starts_with("/setup/") ||
         path == "/sdk/confirm";
}

answer pages::serve(std::string_view method, std::string_view path, const form& filled_in) {
  const std::string id{path.substr(path.rfind('/') + 1)};
  if (path == "/sdk/confirm") return confirm_by_sdk(filled_in);
  if (path.starts_with("/setup/")) return setup(method, id, filled_in);
  return path.starts_with("/c/pay/") ? checkout(method, id, filled_in) : challenge(method, id, filled_in);
}

answer pages::checkout(std::string_view method, const std::string& id, const form& filled_in) {
  expire_due();
  const auto* known = all_.find_anyones("checkout.session", id);
  if (!known) return page(404, "There is no such checkout", "");
  const auto status = text_of(*known, "status");
  if (status != "open") return page(410, status == "complete" ? "You have paid already" : "This page has expired", "");
  if (method != "POST") return checkout_page(*known, {});
  draft in{all_, store::owner_of(*known)};
  auto& session = *in.find("checkout.session", id);
  const auto action = filled_in.text("action");
  if (action == "back") return away(text_of(session, "cancel_url"));
  if (action != "pay" && action != "decline") return checkout_page(session, "Choose what to do.");
  auto answered = pay(in, session, action == "decline" ? "pm_card_chargeDeclined" : filled_in.text("card"));
  commit_(in, "POST /c/pay/" + id);
  return answered;
}

answer pages::pay(draft& in, json::object& session, const std::string& token) {
  const auto* which = find_card(token.starts_with("pm_card_") ? std::string_view{token}.substr(8) : "visa");
  if (!which) return checkout_page(session, "There is no such card.");
  if (text_of(session, "mode") == "subscription") return pay_subscription(in, session, *which);
  auto* intent = in.find("payment_intent", text_of(session, "payment_intent"));
  if (!intent) {
    intent = &intent_of_session(in, session);
    session["payment_intent"] = intent->at("id");
    in.notify("payment_intent.created", *intent);
  }
  (*intent)["payment_method"] = new_method(in, *which).at("id");
  if (which->does == behaviour::declines || which->does == behaviour::blocked) {
    decline(in, *intent, which->code, which->decline_code, which->message, which->does == behaviour::blocked);
    return checkout_page(session, which->message);
  }
  approve(in, *intent);
  return complete(in, session);
}

/// A declined card makes no subscription: the customer may try another.
answer pages::pay_subscription(draft& in, json::object& session, const card& which) {
  if (which.does == behaviour::declines || which.does == behaviour::blocked)
    return checkout_page(session, which.message);
  subscribe(in, session, which);
  return complete(in, session);
}

answer pages::complete(draft& in, json::object& session) {
  session["status"] = "complete";
  session["payment_status"] = "paid";
  session["url"] = nullptr;
  session["customer_details"] = json::object{{"email", session.at("customer_email")}};
  in.notify("checkout.session.completed", session);
  auto where = text_of(session, "success_url");
  static constexpr std::string_view placeholder = "{CHECKOUT_SESSION_ID}";
  if (const auto at = where.find(placeholder); at != where.npos)
    where.replace(at, placeholder.size(), text_of(session, "id"));
  return away(std::move(where));
}

void pages::act(draft& in, json::object& intent, bool passes) {
  if (passes) return approve(in, intent);
  decline(in, intent, "payment_intent_authentication_failure", {},
          "We are unable to authenticate your payment method.");
}

answer pages::challenge(std::string_view method, const std::string& id, const form& filled_in) {
  const auto* known = all_.find_anyones("payment_intent", id);
  if (!known) return page(404, "There is no such payment", "");
  if (text_of(*known, "status") != "requires_action") return page(410, "This challenge is over", "");
  const auto action = filled_in.text("action");
  if (method != "POST" || (action != "approve" && action != "fail"))
    return page(200, "Your bank asks",
                "<form method=\"post\">" + button("approve", "It is me") + button("fail", "It is not me") + "</form>");
  draft in{all_, store::owner_of(*known)};
  auto& intent = *in.find("payment_intent", id);
  act(in, intent, action == "approve");
  commit_(in, "POST /challenge/" + id);
  return away(with_parameter(text_of(intent, "_return_url"),
                             "payment_intent=" + id +
                                 "&payment_intent_client_secret=" + text_of(intent, "client_secret") +
                                 "&redirect_status=" + (action == "approve" ? "succeeded" : "failed")));
}

answer pages::confirm_by_sdk(const form& filled_in) {
  const auto secret = filled_in.text("client_secret");
  const auto* known = all_.find_anyones("payment_intent", secret.substr(0, secret.find("_secret_")));
  if (!known || text_of(*known, "client_secret") != secret) return missing("payment_intent", secret);
  draft in{all_, store::owner_of(*known)};
  auto& intent = *in.find("payment_intent", text_of(*known, "id"));
  if (text_of(intent, "status") == "requires_action") {
    act(in, intent, filled_in.text("outcome") == "approve");
    commit_(in, "POST /sdk/confirm");
  }
  return json_answer(200, json::object{{"status", intent.at("status")}});
}

/// Stripe's own form for the owner of an account. Its link opens once.
answer pages::setup(std::string_view method, const std::string& id, const form& filled_in) {
  const auto* known = all_.find_anyones("account_link", id);
  if (!known) return page(404, "There is no such link", "");
  if (known->contains("_used")) return away(text_of(*known, "_refresh_url"));
  const auto action = filled_in.text("action");
  if (method != "POST" || (action != "finish" && action != "leave"))
    return page(200, "Tell us about your business",
                "<form method=\"post\">" + button("finish", "Finish") + button("leave", "Not now") + "</form>");
  draft in{all_, store::owner_of(*known)};
  auto& link = *in.find("account_link", id);
  link["_used"] = true;
  if (action == "finish")
    if (auto* account = in.find("account", text_of(link, "_subject"))) {
      (*account)["details_submitted"] = true;
      set_charges(in, *account, {});
    }
  commit_(in, "POST /setup/" + id);
  return away(text_of(link, "_return_url"));
}

void pages::expire_due() {
  const auto now = now_seconds();
  std::vector<std::string> due;
  for (const auto* session : all_.all_of_everyone("checkout.session"))
    if (text_of(*session, "status") == "open" && number_of(*session, "expires_at") <= now)
      due.push_back(text_of(*session, "id"));
  for (const auto& id : due) {
    draft in{all_, store::owner_of(*all_.find_anyones("checkout.session", id))};
    close_session(in, *in.find("checkout.session", id));
    commit_(in, "expires_at");
  }
}

}  // namespace gateway::stripe_stand_in
