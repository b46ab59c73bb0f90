// The requests to Stripe: docs.stripe.com/api. Pure: the same call always makes the same bytes, because Stripe answers
// an idempotency key with an error if it is repeated with other parameters.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "gateway/ports/provider.hpp"
#include "settings.hpp"

namespace gateway::actors::stripe {

/// The API version that these requests and answers were written for. Stripe answers in the version that a request
/// names, not in the account's own version.
inline constexpr std::string_view api_version = "2026-07-29.dahlia";

/// Stripe keeps a key and its answer for at least 24 hours (docs.stripe.com/api/idempotent_requests). An operation's
/// requests are repeated until this long after it began; after that the outcome is searched for instead.
inline constexpr std::chrono::hours key_life{23};
/// How long a checkout can be paid. Stripe requires 30 minutes to 24 hours from its creation, which may be at the end
/// of its key's life: either way at least 10 minutes are left for clocks that differ.
inline constexpr std::chrono::minutes checkout_life{23 * 60 + 50};
/// After this time an object that is not found was never created: no request is sent after `key_life`, and Stripe's
/// search finds every object within an hour (docs.stripe.com/api/payment_intents/search).
inline constexpr std::chrono::hours certain_after{25};

// The gateway's own keys in metadata. Callers cannot set the metadata of customers, nor these keys elsewhere.
inline constexpr std::string_view merchant_mark = "gateway_merchant", payment_mark = "gateway_payment",
                                  subscription_mark = "gateway_subscription", key_mark = "gateway_key",
                                  customer_mark = "gateway_customer";
bool is_mark(std::string_view key) noexcept;

/// `path` includes the query.
http_request read_request(const access& as, std::string_view path);
/// Without a key the request may be executed twice, so it must be harmless to repeat.
http_request write_request(const access& as, std::string_view path, std::string body, std::string_view key);
/// Stripe takes no idempotency key here: deleting is idempotent.
http_request delete_request(const access& as, std::string_view path);

/// The payment's part of a request.
struct priced_call {
  const provider_call& call;
  std::int64_t amount;  ///< in Stripe's unit
  std::string_view customer;  ///< Stripe's id; empty: none
  std::string_view return_url;  ///< where the customer goes after a challenge, if the payment names no page
};

/// A saved card is charged without the customer being present.
bool charges_off_session(const provider_call& call) noexcept;

/// The idempotency key of an attempt to create an object that belongs to no operation. The first attempt uses `key`
/// itself; each further attempt follows a key under which Stripe has stored a failure.
std::string key_of_attempt(std::string_view key, unsigned attempt);

/// The same bytes for every request that creates this customer, because the key is the same.
std::string customer_form(const merchant_id& merchant, std::string_view customer_key, std::string_view ref);
std::string intent_form(const priced_call& of);
/// Confirms the same payment once more, with the customer present, after Stripe has declined to charge without.
std::string confirmation_form(const priced_call& of);
std::string checkout_form(const priced_call& of);
std::string capture_form(std::int64_t amount);
std::string refund_form(const provider_call& call, std::int64_t amount, std::string_view intent);

/// Opens the checkout of a subscription.
std::string subscription_checkout_form(const subscription_call& call, std::int64_t amount, std::string_view customer);
std::string account_form(const account_question& question);
std::string account_link_form(const account_question& question, std::string_view account);

/// `kind`: payment_intents or subscriptions.
std::string search_path(std::string_view kind, std::string_view provider_key);
/// All payments that the gateway made for this one.
std::string payment_search_path(std::string_view payment_id);
/// The latest paid invoices of a subscription.
std::string paid_invoices_path(std::string_view subscription);
std::string customer_search_path(std::string_view customer_key);
/// `with_intents`: include the payments in full.
std::string invoice_payments_path(std::string_view invoice, bool with_intents);
/// The invoices that this payment paid, in full.
std::string invoices_of_path(std::string_view intent);
/// Includes the charge, which has the time at which an authorization ends.
std::string intent_with_charge_path(std::string_view intent);
std::string checkout_with_charge_path(std::string_view session);
/// `after`: the last refund of the previous page; empty: the first page.
std::string refunds_path(std::string_view intent, std::string_view after);
std::string disputes_path(std::string_view intent);

/// The idempotency key of the request that closes a waiting payment. It differs each time, because Stripe would repeat
/// its stored answer to the previous request.
std::string closing_key(const entity_key& subject, std::int64_t version);

}  // namespace gateway::actors::stripe
