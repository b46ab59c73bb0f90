// Readers of Stripe's subscriptions and invoices. As with all answers, the bytes are untrusted: see answers.hpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "answers.hpp"
#include "gateway/domain/subscription_machine.hpp"
#include "json.hpp"

namespace gateway::actors::stripe {

/// A Subscription.
struct billed_subscription {
  std::string id;
  subscription_projection state;  ///< its metadata is without the gateway's own keys
  std::string merchant, ours;  ///< the gateway's marks: the merchant, and the caller's id
  std::string key;  ///< the provider key that created its checkout
  std::optional<time_point> ended_at;
};

/// An Invoice.
struct billed_invoice {
  std::string id, subscription_id;
  currency unit;
  std::int64_t due = 0, paid = 0;  ///< in Stripe's unit. `paid`: without payments outside Stripe
  unsigned attempts = 0;
  bool tried_again = false;  ///< another attempt is planned
  std::optional<time_point> period_start, period_end;
  std::string merchant;  ///< the gateway's mark in its subscription's metadata; empty: none
  std::string hosted_url;  ///< the page where the customer can pay it; empty: none
  bool foreign = false;  ///< it has its subscription's metadata, without the gateway's marks
};

/// An InvoicePayment: one of the payments meant to pay an invoice.
struct invoice_payment {
  std::string status, intent_id;
  std::string intent_status;  ///< this and last_error: if the payment was requested with it
  std::optional<stripe_error> last_error;
  std::int64_t paid = 0;  ///< in Stripe's unit
};

/// nullopt if it is not a subscription, or has an unknown state.
std::optional<billed_subscription> subscription_in(const json::object* object);
std::optional<billed_subscription> read_subscription(std::string_view body);
/// The results of a search. Unreadable ones are left out.
std::optional<page<billed_subscription>> read_subscriptions(std::string_view body);
/// nullopt if it is not an invoice, or has an unknown currency.
std::optional<billed_invoice> invoice_in(const json::object* object);
std::optional<page<invoice_payment>> read_invoice_payments(std::string_view body);
/// A list of invoices. Unreadable ones are left out.
std::optional<page<billed_invoice>> read_invoices(std::string_view body);
/// The invoices that a list of their payments includes. Unreadable ones are left out.
std::optional<page<billed_invoice>> read_invoices_of_payments(std::string_view body);

/// Reads Unix seconds; nullopt if there is no time, or one outside the calendar.
std::optional<time_point> time_in(const json::object* object, std::string_view name);

/// The ended subscription as a statement with the position of its end in Stripe's history. The notification of the end
/// has a time that is not earlier, so the row becomes the same whichever of the two arrives first.
subscription_statement statement_of(const billed_subscription& seen, time_point now);

bool is_stripe_subscription_id(std::string_view ref) noexcept;
bool is_invoice_id(std::string_view ref) noexcept;

}  // namespace gateway::actors::stripe
