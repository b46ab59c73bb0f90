#include "control.hpp"

#include <stdexcept>

#include "billing.hpp"
#include "outside.hpp"

namespace gateway::stripe_stand_in {

namespace json = boost::json;

namespace {

std::chrono::milliseconds ms(const json::value& of) { return std::chrono::milliseconds{of.to_number<std::int64_t>()}; }

json::array array_of(const std::vector<json::object>& all) {
  json::array reported;
  for (const auto& each : all) reported.push_back(each);
  return reported;
}

/// The API's list of balance transactions: one for each captured charge, each refund and each failure of a refund, and
/// those of disputes. The release of an authorization has none.
json::array balance_of(const store& all) {
  json::array reported;
  const auto add = [&](const json::object& of, std::string_view type, std::int64_t amount, const json::value& id) {
    reported.push_back({{"id", id},
                        {"account", store::owner_of(of).account},
                        {"type", type},
                        {"source", of.at("id")},
                        {"amount", amount},
                        {"currency", of.at("currency")},
                        {"created", of.at("created")}});
  };
  for (const auto* charge : all.all_of_everyone("charge"))
    if (charge->at("captured").as_bool())
      add(*charge, "charge", number_of(*charge, "amount_captured"), charge->at("balance_transaction"));
  for (const auto* refund : all.all_of_everyone("refund")) {
    const auto amount = number_of(*refund, "amount");
    if (!text_of(*refund, "balance_transaction").empty())
      add(*refund, "refund", -amount, refund->at("balance_transaction"));
    if (!text_of(*refund, "failure_balance_transaction").empty())
      add(*refund, "refund_failure", amount, refund->at("failure_balance_transaction"));
  }
  for (const auto* dispute : all.all_of_everyone("dispute"))
    for (const auto& each : dispute->at("balance_transactions").as_array())
      add(*dispute, "adjustment", number_of(each.as_object(), "amount"), each.at("id"));
  return reported;
}

}  // namespace

account_state parse_account_state(std::string_view word) {
  if (word == "active") return account_state::active;
  if (word == "restricted") return account_state::restricted;
  if (word == "gone") return account_state::gone;
  throw std::invalid_argument{"an account is active, restricted or gone"};
}

void control::set_notifications(const json::object& wanted) {
  auto& to = posts_.settings;
  for (const auto& field : wanted) {
    const std::string_view name{field.key().data(), field.key().size()};
    const auto& value = field.value();
    if (name == "url")
      to.url = value.as_string().c_str();
    else if (name == "secret")
      to.secret = value.as_string().c_str();
    else if (name == "copies")
      to.copies = value.to_number<std::int64_t>();
    else if (name == "delay_ms")
      to.delay = ms(value);
    else if (name == "scatter_ms")
      to.scatter = ms(value);
    else if (name == "silent")
      to.silent = value.as_bool();
    else if (name == "lose")
      to.lose = value.to_number<double>();
    else if (name == "forge")
      to.forge = value.to_number<double>();
    else if (name == "again_ms")
      to.again = ms(value);
    else if (name == "seed")
      posts_.seed(value.to_number<unsigned>());
    else
      throw std::invalid_argument{"notifications have no setting " + std::string{name}};
  }
  posts_.look();
}

void control::set(const json::object& wanted) {
  for (const auto& field : wanted) {
    const std::string_view name{field.key().data(), field.key().size()};
    const auto& value = field.value();
    if (name == "faults")
      api_.faults.set(value.as_array());
    else if (name == "search_delay_ms")
      at_.search_delay_ms = value.to_number<std::int64_t>();
    else if (name == "notifications")
      set_notifications(value.as_object());
    else if (name == "accounts")
      for (const auto& account : value.as_object())
        set_account(std::string{account.key()}, account.value().as_string().c_str());
    else
      throw std::invalid_argument{"there is no setting " + std::string{name}};
  }
}

/// A change of an account that was made by the API is published, as at Stripe.
void control::set_account(const std::string& id, std::string_view state) {
  const auto wanted = parse_account_state(state);
  const auto before = api_.state_of(id);
  api_.accounts[id] = wanted;
  const auto* made = all_.find_anyones("account", id);
  if (!made || before == wanted) return;
  draft in{all_, store::owner_of(*made)};
  auto& account = *in.find("account", id);
  if (wanted == account_state::gone)
    in.notify("account.application.deauthorized", {{"id", "ca_of_the_stand_in"}, {"object", "application"}}, {}, id);
  else
    set_charges(in, account, wanted == account_state::active ? "" : "rejected.other");
  api_.commit(in, "control account");
}

answer control::move(const json::object& wanted) {
  const auto id = text_of(wanted, "id");
  const auto* known = all_.find_anyones("subscription", id);
  if (!known) throw std::invalid_argument{"there is no such subscription"};
  draft in{all_, store::owner_of(*known)};
  auto& subscription = *in.find("subscription", id);
  if (!move_subscription(in, subscription, text_of(wanted, "move"), number_of(wanted, "amount")))
    throw std::invalid_argument{"the subscription has ended"};
  const auto reported = json_answer(200, json::object{{"status", subscription.at("status")}});
  api_.commit(in, "control subscription");
  return reported;
}

answer control::act_outside(const json::object& wanted) {
  draft in{all_, store::owner_of(subject_of_act(all_, wanted))};
  if (const auto* notify = wanted.if_contains("notify"); notify && !notify->as_bool()) in.post_nothing();
  const auto& done = act(in, wanted);
  const auto* status = done.if_contains("status");
  const auto reported =
      json_answer(200, json::object{{"id", done.at("id")}, {"status", status ? *status : json::value(nullptr)}});
  api_.commit(in, "control payment");
  return reported;
}

answer control::serve(const request& asked) {
  try {
    if (asked.method == "GET" && asked.path == "/control/ledger")
      return json_answer(200, json::object{{"effects", array_of(all_.effects())}});
    if (asked.method == "GET" && asked.path == "/control/balance")
      return json_answer(200, json::object{{"transactions", balance_of(all_)}});
    if (asked.method == "GET" && asked.path == "/control/requests") {
      json::object requests;
      for (const auto& [name, count] : api_.counts) requests[name] = count;
      return json_answer(
          200, json::object{{"requests", std::move(requests)},
                            {"faults", api_.faults.counts()},
                            {"traceparents", json::array(api_.traceparents.begin(), api_.traceparents.end())}});
    }
    if (asked.method == "GET" && asked.path == "/control/notifications")
      return json_answer(200, json::object{{"notifications", posts_.reported()}});
    if (asked.method == "GET" && asked.path == "/control/events")
      return json_answer(200, json::object{{"events", array_of(all_.events())}});
    if (asked.method != "POST") return json_answer(404, json::object{{"error", "there is nothing of that name"}});
    const auto body = json::parse(asked.body.empty() ? "{}" : asked.body).as_object();
    if (asked.path == "/control/notify") {
      if (!posts_.send(text_of(body, "event"))) throw std::invalid_argument{"there is no such event"};
    } else if (asked.path == "/control/subscription") {
      return move(body);
    } else if (asked.path == "/control/payment") {
      return act_outside(body);
    } else if (asked.path == "/control") {
      set(body);
    } else {
      return json_answer(404, json::object{{"error", "there is nothing of that name"}});
    }
    return json_answer(200, json::object{});
  } catch (const std::exception& fault) {
    return json_answer(400, json::object{{"error", fault.what()}});
  }
}

}  // namespace gateway::stripe_stand_in
