// The stand-in for Stripe in a process of its own (tests/stand_ins/stripe): as strict as Stripe, with faults on
// request. Its ledger survives its own death and the gateway's. Also the operator's commands that route a merchant's
// payments there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "child_process.hpp"
#include "gateway_process.hpp"
#include "json.hpp"
#include "merchant.hpp"
#include "transport.hpp"

namespace gateway::e2e {

/// One executed effect.
struct stripe_effect {
  /// authorize, capture, refund, cancel; decline, action, session, expire, customer, subscribe, unsubscribe, account
  std::string kind;
  std::string account;
  std::string idempotency_key;
  std::string payment_intent;
  std::string session;  ///< the checkout session that created it
  std::string invoice;  ///< the invoice of a subscription's cycle
  std::string currency;
  std::int64_t amount = 0;

  /// `capture 4200 usd`
  std::string text() const { return kind + ' ' + std::to_string(amount) + (currency.empty() ? "" : ' ' + currency); }
  bool moves_money() const { return kind == "authorize" || kind == "capture" || kind == "refund" || kind == "cancel"; }
};

class stripe_process {
 public:
  static constexpr auto webhook_secret = "whsec_0123456789abcdefghijklmnopqrstuv";

  /// Starts it, without accounts.
  stripe_process();
  /// Kills it and removes its folder.
  ~stripe_process();
  stripe_process(const stripe_process&) = delete;
  stripe_process& operator=(const stripe_process&) = delete;

  /// Starts it again, with the same ledger, the same ports and the same settings.
  void start();
  void kill();
  void send_signal(int number) { process_.send_signal(number); }

  std::string url() const { return "https://localhost:" + std::to_string(address_.port); }
  const endpoint& address() const { return address_; }
  /// Its self-signed certificate, for --provider-ca-file.
  std::filesystem::path certificate() const { return folder_ / "certificate.pem"; }

  /// A new connected account.
  std::string new_account();
  /// `active`, `restricted` or `gone`.
  void set_account(const std::string& account, const std::string& state);
  /// Changes one setting of POST /control: its name, and its value as JSON. Throws if the stand-in rejects it.
  void set(const std::string& name, const std::string& value);
  /// Adds one rule: `fault`, on requests whose path matches `path` with `*`, for the next `count` of them.
  void breaks(const std::string& fault, const std::string& method, const std::string& path, int count = 1,
              int wait_ms = 0);
  /// Removes all faults.
  void mends() { set("faults", "[]"); }
  /// Sends events to this gateway from now on; `more` are further settings of notifications.
  void notifies(const gateway_process& gateway, object more = {});

  /// The answer of GET /control/<name>.
  json reported(const std::string& name) const;
  /// The number of requests received.
  std::int64_t requests() const;
  std::vector<stripe_effect> effects(const std::string& account) const;
  /// The effects that move money, in order, as texts.
  std::vector<std::string> moves(const std::string& account) const;
  /// The events of an account with this type.
  std::vector<json> events(const std::string& account, const std::string& type) const;
  /// A request of the account's own to the API: the body of the answer.
  json read(const std::string& account, const std::string& target) const;

  /// Performs the subscription's next step, as POST /control/subscription takes it. Returns its status afterwards.
  /// Throws if the subscription has ended.
  std::string move(const std::string& subscription, const std::string& step, std::int64_t amount = 0) const;

  /// Does what happens at Stripe without a request of the gateway: `what` as POST /control/payment takes it. Returns
  /// the id of the object that was made or changed. Throws if Stripe could not do that now.
  std::string act(const object& what) const;

  /// The customer's browser at one of the stand-in's pages: opens it, or clicks a button there.
  reply open(const std::string& page_url) const;
  reply click(const std::string& page_url, const std::string& action, const std::string& card = "pm_card_visa") const;
  /// Does what Stripe's SDK does in the customer's browser: `approve` or `fail`.
  reply confirm(const std::string& client_secret, const std::string& outcome) const;

 private:
  reply at_page(const http_request& what) const;

  std::filesystem::path folder_;
  endpoint address_{"127.0.0.1", 0};
  endpoint control_{"127.0.0.1", 0};
  std::map<std::string, std::string> settings_;
  std::map<std::string, std::string> accounts_;
  child_process process_;
};

/// Options of a gateway that trusts the stand-in.
gateway_options beside(const stripe_process& stripe, store_kind store);
/// `gatewayctl provider set`, with keys of that mode.
void configure_stripe(const gateway_process& gateway, const stripe_process& stripe, const std::string& mode = "test");
/// Routes the merchant's card payments to that account instead of the sandbox.
void route_to_stripe(const gateway_process& gateway, const std::string& merchant, const std::string& account,
                     const std::string& mode = "test");

inline constexpr auto stripe_currencies = "HKD,USD,EUR,JPY,KWD,UGX";

/// The value of Stripe-Signature for this body, and a post of such a notification.
std::string stripe_signature(std::string_view secret, std::string_view body, std::chrono::seconds ahead = {});
reply notify_of_stripe(https_client& to, const std::string& body, const std::string& signature,
                       const std::string& mode = "test");
/// The body of an event about that object.
std::string stripe_event(const std::string& account, const std::string& type, const std::string& object_json,
                         bool live = false, const std::string& id = {});

}  // namespace gateway::e2e
