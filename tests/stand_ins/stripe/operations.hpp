// What Stripe's API does, endpoint by endpoint. Each takes the request's parameters and the draft that its changes go
// into, and says what is answered; the caller commits.
#pragma once

#include <string>
#include <variant>

#include "cards.hpp"
#include "draft.hpp"
#include "form.hpp"

namespace gateway::stripe_stand_in {

/// What can be set while the stand-in runs.
struct surroundings {
  std::string base_url;                  ///< where its pages are reached
  std::int64_t search_delay_ms = 0;      ///< until a new payment intent is found by a search
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

// ---- customers and their methods: https://docs.stripe.com/api/customers
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

// ---- subscriptions and what they are paid by: https://docs.stripe.com/api/subscriptions
answer retrieve_subscription(draft& in, const form& given, const std::string& id);
answer search_subscriptions(draft& in, const form& given, const surroundings& at);
answer cancel_subscription(draft& in, const form& given, const std::string& id);
answer retrieve_invoice(draft& in, const form& given, const std::string& id);
answer list_invoice_payments(draft& in, const form& given);
/// The customer has paid the page of a session in subscription mode.
boost::json::object& subscribe(draft& in, boost::json::object& session, const card& which);

// ---- connected accounts: https://docs.stripe.com/api/accounts
answer create_account(draft& in, const form& given);
answer create_account_link(draft& in, const form& given, const surroundings& at);
/// It may be charged, or, for that reason, may not.
void set_charges(draft& in, boost::json::object& account, std::string_view disabled_reason);

// ---- what moves a payment intent, for the API and the pages ------------------------------------------

/// A fresh payment intent, before anything was tried. `amount`: in the currency's unit.
boost::json::object& plain_intent(draft& in, std::int64_t amount, std::string_view currency);
/// A fresh payment method of that test card.
boost::json::object& new_method(draft& in, const card& which);
/// The charge has been approved: authorised, or captured.
void approve(draft& in, boost::json::object& intent);
/// It has been declined, with `last_payment_error`.
void decline(draft& in, boost::json::object& intent, std::string_view code, std::string_view decline_code,
             std::string_view message, bool blocked = false);

/// An error that tells the payment intent, too.
answer unexpected_state(draft& in, const boost::json::object& intent, std::string message);
/// Why an amount cannot be charged in that currency.
std::optional<answer> fault_of_amount(std::int64_t amount, std::string_view currency, std::string_view param);
/// `GET …/search`: those whose metadata is as the query says, and that were made long enough ago.
answer search_in(const store& all, const caller& who, std::string_view kind, const form& given, std::int64_t delay_ms,
                 std::string_view url);

}  // namespace gateway::stripe_stand_in
