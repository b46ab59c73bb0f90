// Subscriptions as a platform and its customers use them: opened over the API, paid on the hosted page, advanced by an
// operator.
#pragma once

#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "destinations.hpp"
#include "hosted_page.hpp"
#include "platform.hpp"

namespace gateway::e2e {

inline constexpr auto every_event =
    "payment.succeeded,payment.failed,payment.refunded,subscription.activated,subscription.updated,"
    "subscription.canceled,subscription.invoice_paid,subscription.invoice_failed";

/// A platform with a live grant of a merchant that takes subscriptions.
struct subscribing : live_platform {
  explicit subscribing(gateway_process& at) : live_platform{at} {
    set_route(gateway, shop.id, "sandbox", "EUR,USD", "card,recurring_card", "live");
  }

  static std::string new_id() { return "enroll-" + new_uuid().substr(0, 13); }
  static object checkout(const std::string& id) {
    return object{}
        .set("subscription_id", id)
        .set("customer_ref", "ref-" + id)
        .set("amount", 1900)
        .set("currency", "EUR")
        .set("interval", "month")
        .set("success_url", "https://shop.example/thanks")
        .set("cancel_url", "https://shop.example/back")
        .set("description", "The monthly box")
        .raw("metadata", R"({"schedule":"s-7"})");
  }
  reply open(const object& body, const call& how = {}) {
    return platform.post("/v1/subscription_checkouts", body.text(), as(how));
  }
  reply view(const std::string& id) { return platform.get("/v1/subscriptions/" + id, as()); }
  reply cancel(const std::string& id, const call& how = {}) {
    return platform.request("DELETE", "/v1/subscriptions/" + id, {}, as(how));
  }
  json seen(const std::string& id) { return json::parse(view(id).body); }
  std::string status(const std::string& id) { return seen(id)["status"].text(); }

  /// Opens a checkout and pays it on its page.
  std::string subscribe(const std::string& id, unsigned trial_days = 0) {
    auto body = checkout(id);
    if (trial_days > 0) body.set("trial_period_days", static_cast<int>(trial_days));
    const auto answer = open(body);
    if (answer.status != 200) throw std::runtime_error{"no checkout: " + answer.body};
    hosted_page page{gateway, json::parse(answer.body)["hosted_url"].text()};
    if (page.act("pay").header("Location") != "https://shop.example/thanks")
      throw std::runtime_error{"the page of " + id + " does not lead back"};
    return id;
  }
  json move(std::vector<std::string> how) {
    how.insert(how.begin(), {"sandbox", "subscription"});
    return gateway.ctl(how);
  }
  json payment(const std::string& id) { return json::parse(platform.get("/v1/payment_intents/" + id, as()).body); }
};

/// The ids of the posted events, by type. Posts of one event count once.
inline std::map<std::string, std::set<std::string>> delivered_ids(const webhook_receiver& receiver) {
  std::map<std::string, std::set<std::string>> ids;
  for (const auto& post : receiver.posts()) ids[post.type()].insert(post.event());
  return ids;
}

}  // namespace gateway::e2e
