// Shared by the tests of Stripe: a gateway beside the stand-in, and merchants whose payments go there.
#pragma once

#include <string>
#include <vector>

#include "destinations.hpp"
#include "platform.hpp"
#include "stripe_process.hpp"

namespace gateway::e2e {

struct stripe_stage {
  stripe_process stripe;
  gateway_process gateway;

  /// Starts both, and configures the gateway for the stand-in in both modes. `more` are further options of gatewayd.
  explicit stripe_stage(store_kind store, const std::vector<std::string>& more = {});
  /// Uses this database, which the gateway reaches at another address.
  stripe_stage(const mysql_address& database, const mysql_address& found_at);
};

/// One stage for each store, shared by tests that do no lasting damage.
stripe_stage& shared_stripe(store_kind store);

/// A merchant whose test payments go to an account of its own at Stripe.
struct stripe_shop {
  explicit stripe_shop(stripe_stage& at);

  stripe_stage& on;
  std::string connected;  ///< its account at Stripe
  merchant_account account;
  api merchant;

  /// Makes a payment with this card, which must end in this state. Returns its id.
  std::string paid(const std::string& state = "authorized", const std::string& card = "pm_card_visa");
  std::vector<std::string> moves() const { return on.stripe.moves(connected); }
  /// Waits until the payment is in that state; false if it is not in time.
  bool comes_to(const std::string& payment, const std::string& state,
                std::chrono::milliseconds within = before_next_look);
};

/// A platform acting for a merchant whose live payments go to Stripe.
struct stripe_platform : live_platform {
  explicit stripe_platform(stripe_stage& at);

  stripe_stage& on;
  std::string connected;

  reply create(const object& body, const call& how = {}) {
    return platform.post("/v1/payment_intents", body.text(), as(how));
  }
  reply charge(const object& body, const call& how = {}) {
    return platform.post("/v1/charges/saved", body.text(), as(how));
  }
  json payment(const std::string& id) { return json::parse(platform.get(api::path(id), as()).body); }
  /// The saved methods of the customer; empty if there is no such customer.
  std::vector<std::string> methods(const std::string& ref) const;
};

using lines = std::vector<std::string>;

/// 4200 US dollar cents.
object stripe_payment(const std::string& id, const std::string& card = "pm_card_visa");
/// The value of one sample; -1 if it is absent.
double sample_of(const gateway_process& gateway, const std::string& name);
/// `gatewayctl notification list`: the notifications of this event, or all.
std::vector<json> notifications(const gateway_process& gateway, const std::string& event = {});

}  // namespace gateway::e2e
