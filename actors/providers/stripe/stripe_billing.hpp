// What Stripe says of subscriptions and their invoices. As with all that it says, every byte may be anything: see
// stripe_answers.hpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/domain/subscription_machine.hpp"
#include "stripe_answers.hpp"
#include "stripe_json.hpp"

namespace gateway::actors::stripe {

/// A Subscription.
struct billed_subscription {
  std::string id;
  subscription_projection state;  ///< its metadata without the gateway's own keys
  std::string merchant, ours;     ///< what the gateway has marked it with: whose it is, and the caller's id
  std::string key;                ///< the provider key by which its checkout was made
  std::optional<time_point> ended_at;
};

/// An Invoice.
struct billed_invoice {
  std::string id, subscription_id;
  currency unit;
  std::int64_t due = 0, paid = 0;  ///< in Stripe's unit. `paid`: without what was paid past Stripe
  unsigned attempts = 0;
  bool tried_again = false;  ///< another attempt is planned
  std::optional<time_point> period_start, period_end;
  bool foreign = false;  ///< it carries its subscription's metadata, and not the gateway's marks in it
};

/// An InvoicePayment: one of the payments that an invoice was to be paid by.
struct invoice_payment {
  std::string status, intent_id;
  std::string intent_status;  ///< this and the next: where the payment was asked for with it
  std::optional<stripe_error> last_error;
  std::int64_t paid = 0;  ///< in Stripe's unit
};

/// Nothing if it is none, or in a state that is not known.
std::optional<billed_subscription> subscription_in(const json::object* object);
std::optional<billed_subscription> read_subscription(std::string_view body);
/// Of a search. Those that cannot be read are left out.
std::optional<page<billed_subscription>> read_subscriptions(std::string_view body);
/// Nothing if it is none, or in a currency that is not known.
std::optional<billed_invoice> invoice_in(const json::object* object);
std::optional<page<invoice_payment>> read_invoice_payments(std::string_view body);

/// Unix seconds; nothing where there is no time, or one that no calendar has.
std::optional<time_point> time_in(const json::object* object, std::string_view name);

/// The ended subscription, as a statement that stands where its end stands in Stripe's history. The notification of the
/// end comes with a time that is not earlier: whichever of the two is heard first, the row becomes the same.
subscription_statement statement_of(const billed_subscription& seen, time_point now);

bool is_stripe_subscription_id(std::string_view ref) noexcept;
bool is_invoice_id(std::string_view ref) noexcept;

}  // namespace gateway::actors::stripe
