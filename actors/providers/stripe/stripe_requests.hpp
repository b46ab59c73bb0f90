// The requests that Stripe is sent: docs.stripe.com/api. Pure: the same call always makes the same bytes, because
// Stripe answers an idempotency key that comes again with other parameters by an error.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "gateway/provider.hpp"
#include "stripe_settings.hpp"

namespace gateway::actors::stripe {

/// The version whose reference these requests and answers were written from. Stripe keeps answering by a version that a
/// request names, whatever the account's own is, so that nothing changes until this line does.
inline constexpr std::string_view api_version = "2026-07-29.dahlia";

/// Stripe keeps a key and its answer for 24 hours at least (docs.stripe.com/api/idempotent_requests). Until this long
/// after an operation began its requests are sent again; after that, they are not, and what became of them is asked.
inline constexpr std::chrono::hours key_life{23};
/// A checkout can be paid until then. Stripe wants 30 minutes to 24 hours from when it is made, which may be at the end
/// of its key's life: either way 10 minutes at least are left for clocks that differ.
inline constexpr std::chrono::minutes checkout_life{23 * 60 + 50};
/// When what is not found has not happened: no request goes out after `key_life`, and what Stripe's search does not
/// find yet it finds within an hour (docs.stripe.com/api/payment_intents/search).
inline constexpr std::chrono::hours certain_after{25};

// The gateway's own keys in metadata. No caller can set them.
inline constexpr std::string_view merchant_mark = "gateway_merchant", payment_mark = "gateway_payment",
                                  subscription_mark = "gateway_subscription", key_mark = "gateway_key";
bool is_mark(std::string_view key) noexcept;

/// `path` with its query.
http_request read_request(const access& as, std::string_view path);
/// Without a key it may be carried out twice: for what does no harm then.
http_request write_request(const access& as, std::string_view path, std::string body, std::string_view key);
/// Stripe knows no keys here: what is deleted stays so.
http_request delete_request(const access& as, std::string_view path);

/// What Stripe is told of the payment itself.
struct priced_call {
  const provider_call& call;
  std::int64_t amount;  ///< in Stripe's unit
  std::string_view customer;  ///< Stripe's id; empty: none
  std::string_view return_url;  ///< where the customer goes after a challenge, if the payment names no page
};

/// The customer's card was saved before and is charged again, as if nobody were there.
bool charges_off_session(const provider_call& call) noexcept;

/// The same bytes whatever the customer is made for, because the key is the same.
std::string customer_form(const merchant_id& merchant, std::string_view customer_key, std::string_view ref);
std::string intent_form(const priced_call& of);
/// The same payment once more, now with its customer: Stripe has declined to charge without.
std::string confirmation_form(const priced_call& of);
std::string checkout_form(const priced_call& of);
std::string capture_form(std::int64_t amount);
std::string refund_form(const provider_call& call, std::int64_t amount, std::string_view intent);

/// Where the checkout of a subscription is opened.
std::string subscription_checkout_form(const subscription_call& call, std::int64_t amount, std::string_view customer);
std::string account_form(const account_question& question);
std::string account_link_form(const account_question& question, std::string_view account);

/// Of payment_intents or subscriptions.
std::string search_path(std::string_view kind, std::string_view provider_key);
/// `with_intents`: the payments themselves are to be there in full.
std::string invoice_payments_path(std::string_view invoice, bool with_intents);
/// `after`: the last refund of the page before; empty: the first page.
std::string refunds_path(std::string_view intent, std::string_view after);

/// The key of what ends a payment that waits: another one each time that it is looked at, because an answer that Stripe
/// remembers would tell of the time before.
std::string closing_key(const entity_key& subject, std::int64_t version);

}  // namespace gateway::actors::stripe
