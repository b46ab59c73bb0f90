// Subscriptions at Stripe as a platform uses them: opened over the API, paid on the stand-in's page, advanced by its
// control interface.
#pragma once

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "stripe_fixture.hpp"
#include "subscribing.hpp"

namespace gateway::e2e {

/// A platform whose merchant takes subscriptions at Stripe.
struct stripe_subscriber : stripe_platform {
  explicit stripe_subscriber(stripe_stage& at) : stripe_platform{at} {
    set_route(gateway, shop.id, "stripe", stripe_currencies, "card,recurring_card", "live");
    set_destination(gateway, who, receiver.url(), "live", every_event);
  }

  static std::string new_id() { return subscribing::new_id(); }
  reply open(const object& body, const call& how = {}) {
    return platform.post("/v1/subscription_checkouts", body.text(), as(how));
  }
  /// Opens a checkout. Returns its page's address.
  std::string opened(const std::string& id) {
    const auto answer = open(subscribing::checkout(id));
    INFO(answer.body);
    REQUIRE(answer.status == 200);
    const auto page = json::parse(answer.body)["hosted_url"].text();
    REQUIRE(page.starts_with(on.stripe.url()));
    return page;
  }
  json seen(const std::string& id) { return json::parse(platform.get("/v1/subscriptions/" + id, as()).body); }
  std::string status(const std::string& id) { return seen(id)["status"].text(); }
  bool comes_to(const std::string& id, const std::string& wanted) {
    return eventually([&] { return status(id) == wanted; });
  }
  reply cancel(const std::string& id) { return platform.request("DELETE", "/v1/subscriptions/" + id, {}, as()); }

  /// Opens a checkout and pays it. Returns Stripe's id of the subscription, once the gateway knows it.
  std::string subscribed(const std::string& id) {
    REQUIRE(on.stripe.click(opened(id), "pay").status == 303);
    REQUIRE(comes_to(id, "active"));
    return seen(id)["provider_subscription_id"].text();
  }

  std::vector<stripe_effect> of_kind(const std::string& kind) const {
    auto all = on.stripe.effects(connected);
    std::erase_if(all, [&](const auto& each) { return each.kind != kind; });
    return all;
  }
  /// How many events of each type were posted, counted by event id.
  std::map<std::string, std::size_t> reported() const {
    std::map<std::string, std::size_t> counts;
    for (const auto& [type, ids] : delivered_ids(receiver)) counts[type] = ids.size();
    return counts;
  }
  bool delivered(const std::string& type, std::size_t count) const {
    return eventually([&] { return reported()[type] == count; });
  }

  webhook_receiver receiver;
};

inline std::string cycle_payment(const stripe_effect& of) { return "pay_" + of.invoice; }

}  // namespace gateway::e2e
