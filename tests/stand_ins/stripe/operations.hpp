// What Stripe's API does, endpoint by endpoint. Each operation takes the request's parameters and the draft for its
// changes, and returns the answer; the caller commits.
#pragma once

#include <string>
#include <variant>

#include "cards.hpp"
#include "draft.hpp"
#include "form.hpp"

namespace gateway::stripe_stand_in {

/// Settings that may change while the stand-in runs.
struct surroundings {
  std::string base_url;                  ///< the address of its pages
  std::int64_t search_delay_ms = 0;      ///< until a search finds a new payment intent
};

// ---- payment intents: https://docs.stripe.com/api/payment_intents
inline constexpr std::string_view expandable_of_intents =
    "latest_charge payment_method customer data.latest_charge data.payment_method data.customer";
answer create_intent(draft& in, const form& given, const surroundings& at);
answer confirm_intent(draft& in, const form& given, const std::string& id, const surroundings& at);
answer retrieve_intent(draft& in, const form& given, const std::string& id);
answer list_intents(draft& in, const form& given);
answer search_intents(draft& in, const form& given, const surroundings& at);
answer capture_intent(draft& in, const form& given, const std::string& id);
answer cancel_intent(draft& in, const form& given, const std::string& id);

// ---- refunds: https://docs.stripe.com/api/refunds
answer create_refund(draft& in, const form& given);
answer retrieve_refund(draft& in, const form& given, const std::string& id);
answer list_refunds(draft& in, const form& given);

// ---- disputes: https://docs.stripe.com/api/disputes
answer retrieve_dispute(draft& in, const form& given, const std::string& id);
answer list_disputes(draft& in, const form& given);

// ---- events: https://docs.stripe.com/api/events
answer retrieve_event(draft& in, const form& given, const std::string& id);
answer list_events(draft& in, const form& given);

// ---- the platform's endpoints for events: https://docs.stripe.com/api/webhook_endpoints
answer create_endpoint(draft& in, const form& given);
answer update_endpoint(draft& in, const form& given, const std::string& id);
answer retrieve_endpoint(draft& in, const form& given, const std::string& id);
answer list_endpoints(draft& in, const form& given);
/// The object is removed from lists and look-ups.
answer delete_endpoint(draft& in, const std::string& id);

// ---- customers and their methods: https://docs.stripe.com/api/customers
/// Whether there is such a customer, and it has not been deleted.
bool lives(draft& in, const std::string& customer);
answer create_customer(draft& in, const form& given);
answer retrieve_customer(draft& in, const form& given, const std::string& id);
answer search_customers(draft& in, const form& given, const surroundings& at);
answer retrieve_method(draft& in, const form& given, const std::string& id);

// ---- hosted pages: https://docs.stripe.com/api/checkout/sessions
answer create_session(draft& in, const form& given, const surroundings& at);
answer retrieve_session(draft& in, const form& given, const std::string& id);
answer list_sessions(draft& in, const form& given);
answer expire_session(draft& in, const form& given, const std::string& id);
void close_session(draft& in, boost::json::object& session);

// ---- subscriptions and their invoices: https://docs.stripe.com/api/subscriptions
answer retrieve_subscription(draft& in, const form& given, const std::string& id);
answer search_subscriptions(draft& in, const form& given, const surroundings& at);
answer cancel_subscription(draft& in, const form& given, const std::string& id);
answer list_invoices(draft& in, const form& given);
answer retrieve_invoice(draft& in, const form& given, const std::string& id);
answer list_invoice_payments(draft& in, const form& given);
/// The customer has paid the page of a session in subscription mode.
boost::json::object& subscribe(draft& in, boost::json::object& session, const card& which);

// ---- connected accounts: https://docs.stripe.com/api/accounts
answer create_account(draft& in, const form& given);
answer create_account_link(draft& in, const form& given, const surroundings& at);
/// The account may take payments, or may not, for this reason.
void set_charges(draft& in, boost::json::object& account, std::string_view disabled_reason);

// ---- what moves a payment intent, for the API and the pages ------------------------------------------

/// A new payment intent, before any attempt. `amount`: in the currency's unit.
boost::json::object& plain_intent(draft& in, std::int64_t amount, std::string_view currency);
/// A new payment method of that test card.
boost::json::object& new_method(draft& in, const card& which);
/// Approves the charge: authorized, or captured.
void approve(draft& in, boost::json::object& intent);
/// Declines it, with `last_payment_error`.
void decline(draft& in, boost::json::object& intent, std::string_view code, std::string_view decline_code,
             std::string_view message, bool blocked = false);

/// Captures that much of the authorization. The rest is released.
void capture(draft& in, boost::json::object& intent, std::int64_t amount);
/// Cancels it. An authorization is released; `expires`: because its time is over.
void cancel(draft& in, boost::json::object& intent, const boost::json::value& reason, bool expires = false);
/// The id of the balance transaction of the object with this id.
std::string balance_id(std::string_view id, std::string_view kind = {});

// ---- what moves a refund and a dispute ----------------------------------------------------------------

/// What can still be refunded of a charge.
std::int64_t left_of(const store& all, const boost::json::object& charge);
/// A new refund of a captured charge. `status`: pending or succeeded.
boost::json::object& refund_charge(draft& in, boost::json::object& charge, std::int64_t amount, std::string_view status,
                                   const boost::json::value& reason, const boost::json::object& metadata = {});
/// The pending refund has arrived.
void succeed(draft& in, boost::json::object& refund);
/// The bank has returned a refund that was accepted.
void fail(draft& in, boost::json::object& refund, std::string_view failure_reason);

/// The cardholder disputes the charge. `status`: needs_response, or warning_needs_response for an inquiry.
boost::json::object& open_dispute(draft& in, boost::json::object& charge, std::int64_t amount, std::string_view status,
                                  std::string_view reason);
/// `respond`, `escalate` (an inquiry becomes a chargeback), `win`, `lose`, `close` (of an inquiry). False if its status
/// does not allow that.
bool move_dispute(draft& in, boost::json::object& dispute, std::string_view move);
/// Whether a dispute forbids refunds of the charge.
bool is_charged_back(const store& all, const boost::json::object& charge);

/// An error that includes the payment intent.
answer unexpected_state(draft& in, const boost::json::object& intent, std::string message);
/// Why an amount cannot be charged in that currency.
std::optional<answer> fault_of_amount(std::int64_t amount, std::string_view currency, std::string_view param);
/// `GET …/search`: objects whose metadata matches the query, made at least the search delay ago.
answer search_in(const store& all, const caller& who, std::string_view kind, const form& given, std::int64_t delay_ms,
                 std::string_view url);

}  // namespace gateway::stripe_stand_in
