// Shared by the tests of what happens at Stripe without a request of the gateway: in its dashboard, at the cardholder's
// bank, by time.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>

#include "stripe_fixture.hpp"

namespace gateway::e2e {

inline constexpr const char* events_of_payments =
    "payment.captured,payment.failed,payment.partially_refunded,payment.refund_failed,payment.refunded,payment.voided,"
    "dispute.opened,dispute.updated,dispute.closed";

/// A gateway to which Stripe never posts an event.
struct silent_stage : stripe_stage {
  explicit silent_stage(store_kind store) : stripe_stage{store} {
    stripe.notifies(gateway, object{}.set("silent", true));
  }
};

inline stripe_stage& silent_stripe(store_kind store) {
  if (store == store_kind::mysql) {
    static silent_stage on_mysql{store_kind::mysql};
    return on_mysql;
  }
  static silent_stage on_sqlite{store_kind::sqlite};
  return on_sqlite;
}

/// An act at Stripe, for outside_shop below.
inline object acts(const std::string& what) { return object{}.set("act", what); }

/// A shop whose payments change at Stripe.
class outside_shop : public stripe_shop {
 public:
  /// `notified`: Stripe posts its events. Otherwise the gateway knows nothing until an operator's refresh.
  outside_shop(bool notified, store_kind store)
      : stripe_shop{notified ? shared_stripe(store) : silent_stripe(store)}, notified_{notified} {
    set_destination(on.gateway, account, receiver_.url(), "test", events_of_payments);
  }

  /// Does the act to the payment. Returns the id of the refund or the dispute, or of the payment intent.
  std::string at_stripe(const std::string& payment, object what) {
    return on.stripe.act(what.set("payment_intent", intent_of(payment)));
  }
  std::string to_refund(const std::string& refund, object what) const {
    return on.stripe.act(what.set("refund", refund));
  }
  std::string to_dispute(const std::string& dispute, const std::string& what) const {
    return on.stripe.act(acts(what).set("dispute", dispute));
  }

  void refresh(const std::string& payment) const {
    on.gateway.ctl({"payment", "refresh", payment, "--merchant", account.id, "--mode", "test"});
  }
  /// Whether the payment gets into that state: by the notification, or at once by an operator's refresh.
  bool learns(const std::string& payment, const std::function<bool(const json&)>& is_so) {
    if (notified_) return eventually([&] { return is_so(merchant.payment(payment)); });
    refresh(payment);
    return is_so(merchant.payment(payment));
  }
  bool learns_state(const std::string& payment, const std::string& state) {
    return learns(payment, [&](const json& now) { return now["state"] == state; });
  }

  /// The timeline after the authorization and the capture of the payment, in short, with the origin of each entry.
  lines story(const std::string& payment) {
    lines all;
    for (const auto& entry : json::parse(merchant.timeline(payment).body)["timeline"].items())
      if (!(entry["origin"] == "api"))
        all.push_back(entry["operation"].text() + ' ' + entry["status"].text() + ' ' + entry["origin"].text());
    return all;
  }
  /// The payment's entries in the ledger, as `captured 4200`.
  lines ledger(const std::string& payment) const {
    auto rows =
        lines_of(on.gateway.sql("SELECT kind, amount FROM ledger WHERE payment_id = '" + payment + "' ORDER BY seq"));
    for (auto& row : rows) std::ranges::replace(row, '\t', ' ');
    return rows;
  }
  /// The data of the first event of this type about the payment that has been delivered.
  json told(const std::string& type, const std::string& payment) const {
    return receiver_.wait_for(type, payment).envelope()["data"];
  }
  json refunds(const std::string& payment) {
    return json::parse(merchant.get(api::path(payment, "/refunds")).body)["refunds"];
  }

 private:
  const std::string& intent_of(const std::string& payment) {
    auto& intent = intents_[payment];
    if (!intent.empty()) return intent;
    for (const auto& each : on.stripe.events(connected, "payment_intent.created"))
      if (each["data.object.metadata.gateway_payment"] == payment) return intent = each["data.object.id"].text();
    throw std::runtime_error("Stripe has no payment intent of " + payment);
  }

  bool notified_;
  std::map<std::string, std::string> intents_;  ///< by payment
  webhook_receiver receiver_;
};

}  // namespace gateway::e2e
