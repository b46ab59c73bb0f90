#include "error_texts.hpp"

#include <algorithm>
#include <array>
#include <cassert>

namespace gateway::http {
namespace {

using enum error_code;

struct error_text {
  error_code code;
  std::string_view about;
};

constexpr auto texts = std::to_array<error_text>({
    {bad_request,
     "The bytes on the connection are not a well-formed HTTP/1.1 request. A proxy or a hand-made client is the usual "
     "cause."},
    {invalid_request,
     "Something in the request is missing, malformed or out of bounds. The message names the field. Correct it and "
     "send the request again; the same Idempotency-Key may be used, because nothing was recorded under it."},
    {merchant_id_mismatch,
     "With a merchant's own key, a merchant_id in the body or a Service-Merchant header names another merchant than "
     "the one whose key signed the request; both can simply be left out. With a platform's key, the merchant_id in "
     "the body names another merchant than Service-Merchant does, for whom the platform acts; leave it out, too."},
    {idempotency_key_required,
     "Every write carries an Idempotency-Key. Make a new UUID for each intended operation and send the same one with "
     "every retry of it."},
    {idempotency_key_invalid,
     "The Idempotency-Key header was sent but is not a UUID such as 0b6f3c1e-54a4-4f1b-9d2c-8e7a6b5c4d3e."},
    {currency_not_supported,
     "The PKR wallet, and every merchant that takes payments through it, accepts payments in Pakistani rupees only."},
    {server_flow_requires_payment_method,
     "A payment in the server flow is charged at once, so it needs a tokenised payment_method, or a customer_ref for "
     "whom a method is saved, with setup_future_usage off_session. To let the customer choose on a hosted page, use "
     "flow redirect or embedded. No provider was contacted."},

    {invalid_environment,
     "A platform chooses the environment with the query environment=test or environment=live. Without it the request "
     "is for live. An empty value, another one or a repeated one is refused, so that no slip of the pen moves real "
     "money."},
    {service_merchant_required,
     "A platform's key belongs to no merchant. Send the id of the one whom the request is for as Service-Merchant."},
    {oauth_invalid_request,
     "The token endpoint could not read the request. The description names the field. The code is not spent."},
    {invalid_grant,
     "The code is unknown, was exchanged before, is older than ten minutes, was issued to another platform or for "
     "another redirect_uri, or its grant has been revoked. These cases are not distinguished. Send the merchant's "
     "owner "
     "to the consent screen again to get a new one."},

    {unauthorized,
     "A signing header is missing, malformed or sent twice, the timestamp is more than five minutes away from the "
     "gateway's clock, or the key and signature do not fit together. For your protection an unknown key and a wrong "
     "signature get the same answer. A stale timestamp's description tells the gateway's time."},
    {platform_key_invalid,
     "The platform key is unknown or revoked, or the signature was not made with its secret. These cases are not "
     "distinguished."},
    {platform_suspended,
     "The operator of the gateway has suspended the platform: nothing that it signs is done until it is resumed. Ask "
     "the operator. Only a request with a valid signature gets this answer."},
    {invalid_client,
     "The endpoint that revokes a grant takes signed requests of platforms only. A signing header is missing or "
     "stale, the key is unknown, revoked or no platform's, the signature does not fit, or the platform is suspended."},
    {not_granted,
     "The merchant named in Service-Merchant has never granted the platform access, or has revoked it, or does not "
     "exist. Send the merchant's owner to the consent screen."},
    {grant_elsewhere,
     "Grants are given for test and for live each by itself. Ask for a grant in the environment that the request is "
     "for, or name the other one in the query."},
    {scope_denied,
     "What a platform may do is what both its key and the grant permit, and here that is nothing. Use another key, "
     "or ask the merchant for more."},
    {scope_not_granted,
     "The grant does not reach to the scope that the message names. Send the merchant's owner to the consent screen "
     "with that scope: the grant is widened by it."},
    {forbidden, "The key is valid but was minted without the scope that the message names. Use a key that carries it."},

    {not_found, "No operation of this interface has that path. Check the spelling and the version prefix."},
    {payment_not_found,
     "This merchant has no payment with that payment_id in the environment of the key. Test and live payments are "
     "kept apart, and so are those of different merchants."},
    {customer_not_found,
     "No payment of this platform has made a customer with that customer_ref at the merchant whom Service-Merchant "
     "names. Refs are compared byte for byte; those of other platforms and at other merchants are other customers."},
    {subscription_not_found,
     "There is no subscription of that id at the merchant, in this environment. Both its subscription_id and the id "
     "in its events name it."},
    {dispute_not_found,
     "No payment of this merchant has a dispute of that id in this environment. GET /v1/disputes lists those that "
     "there "
     "are."},
    {event_not_found,
     "No event of that id belongs to this merchant and environment. A platform reads the events of the merchants that "
     "granted it payments:read, from the start of each grant to its end. Events are deleted after a time that the "
     "operator sets."},
    {grant_not_found, "There is no grant of that id, or it is another platform's. These cases are not distinguished."},
    {method_not_allowed,
     "The path exists, but not for this HTTP method. The Allow header of the answer lists the methods it takes."},
    {request_timeout,
     "The connection was too slow or stalled before the whole request had arrived. Nothing was done; send it again."},
    {cursor_expired,
     "The cursor is older than the oldest event that is kept, so that events after it are missing. Read without "
     "`after` "
     "to begin at the oldest one, and look up the payments that you may have missed."},
    {token_unusable,
     "A setup link works once and for one hour. Repeat the charge that was refused: its answer carries a new link."},
    {body_too_large, "The body exceeds the gateway's limit, one mebibyte unless the operator has configured another."},
    {unsupported_media_type,
     "A request with a body must say that it is JSON: Content-Type: application/json, with or without charset=utf-8."},
    {rate_limited,
     "The key, its platform or the address that the request came from has sent more requests than it may. Nothing "
     "was done, and nothing was recorded under the Idempotency-Key. The header RateLimit-Policy names the limit and "
     "tells how much it allows. Wait as long as Retry-After says, with some random delay, and send the same request "
     "again; to stay below the limit, spread requests evenly by what RateLimit tells in every answer."},
    {headers_too_large,
     "The request line and headers together exceed the gateway's limit, 16 KiB unless the operator has configured "
     "another."},

    {request_in_progress,
     "The first request with this Idempotency-Key has not finished. Wait a moment and repeat the same request with "
     "the same key: you get its result."},
    {idempotency_key_reused,
     "The Idempotency-Key belongs to a request with another method, path or body. A retry must repeat the body byte "
     "for byte; a new operation needs a new key."},
    {payment_already_exists,
     "Another request created a payment with this payment_id in this environment. Look at it with GET, or choose a "
     "new payment_id."},
    {subscription_already_exists,
     "Another request opened a checkout with this subscription_id. Look at it with GET, or choose a new "
     "subscription_id."},
    {not_capturable,
     "The payment is not authorized: it is still open, or it was refunded, voided or failed. Nothing was changed."},
    {not_voidable,
     "The payment is not authorized. One that has been captured can be refunded instead. Nothing was changed."},
    {not_cancellable,
     "The payment does not wait for its customer: it was paid, declined or has expired, or it is not paid on a page at "
     "all. If the customer paid before the cancel came, the payment is captured, and can be refunded."},
    {not_refundable,
     "The payment has not been captured, or all that was captured has been refunded. Nothing was changed."},
    {payment_disputed,
     "The cardholder's bank has taken the money back until a dispute is decided. Nothing was refunded. Once the "
     "dispute "
     "is closed, what was won can be refunded, with a new Idempotency-Key; what was lost cannot."},
    {payment_outcome_pending,
     "The provider has not given the outcome of an earlier operation on this payment. The gateway asks it until it "
     "knows; watch the payment or its timeline, then repeat the operation with a new Idempotency-Key."},
    {subscription_outcome_pending,
     "An operation on this subscription is still under way at the provider. Repeat yours with a new Idempotency-Key "
     "once it has ended."},
    {conflict,
     "An operator's command names something that exists already or that does not fit together. The message says what."},

    {merchant_not_charge_capable,
     "No provider connection of this merchant can charge in this environment. Send the merchant's owner to "
     "setup_url, which works once and until setup_url_expires_at, then repeat the request with the same "
     "Idempotency-Key. Do not cache, log or forward the link."},
    {no_eligible_provider,
     "The merchant has a connected provider, but none of its routes takes this combination of currency, flow and "
     "payment method. Change the request, or have the routes extended, and repeat it."},
    {platform_key_required,
     "Saved customers (customer_ref), saved charges and subscription checkouts belong to platforms, and so do the "
     "exchange of a code for a grant and the revoke of a platform's key. A merchant's own key cannot use them: sign "
     "with a key of the platform."},
    {wallet_not_available,
     "payment_method_type pkr_wallet works for wallet merchants only. Leave the field out to use the merchant's own "
     "routes."},
    {test_customer_mappings_unavailable,
     "customer_ref, saved charges, subscription checkouts and the look-up of customers work in live. In test, charge "
     "a tokenised payment_method without customer_ref."},
    {provider_operation_unsupported,
     "The payment went over a route that captures when it authorizes: there is nothing left to capture, and nothing "
     "to void. The payment is unchanged. Do not repeat the call; refund the payment instead once it is captured."},
    {refund_exceeds_captured,
     "The amount is more than what remains of the captured amount after earlier refunds. Nothing was refunded. Leave "
     "the amount out to refund all that remains."},
    {capture_exceeds_authorized,
     "The amount is more than what was authorized. Nothing was captured, and the payment is unchanged. Leave the "
     "amount "
     "out to capture all of it."},

    {internal_error,
     "Something failed inside the gateway. It does not prove that nothing happened: repeat the request with the same "
     "Idempotency-Key and body, and give the Request-Id to support if it persists."},
    {account_lookup_failed,
     "Whether the merchant can be charged depends on its account at the payment provider, and that could not be read "
     "at the moment. Nothing was charged and nothing recorded: repeat the request with the same Idempotency-Key."},
    {provider_outcome_unknown,
     "The provider did not answer in time or failed while answering, so the outcome is not known. The payment is "
     "never charged twice: the gateway keeps asking until it knows. Watch the payment or its timeline before a new "
     "attempt."},
    {checkout_failed,
     "The provider opened no checkout; error tells why. A new attempt needs a new subscription_id and a new "
     "Idempotency-Key."},
    {cancel_rejected, "The subscription goes on. A new attempt needs a new Idempotency-Key."},
    {cancel_outcome_unknown,
     "The provider did not say whether it has ended; the gateway asks it until it knows. Look at the subscription "
     "with GET; canceling again, with a new Idempotency-Key, does no harm."},
    {refund_not_supported, "The payment's provider has no refunds. Do not repeat the call."},
    {void_not_supported, "The payment's provider cannot void an authorization. Do not repeat the call."},
    {refund_rejected,
     "The provider refused the refund; provider.error tells why. No money was refunded. A new attempt needs a new "
     "Idempotency-Key."},
    {void_rejected,
     "The provider refused to void the authorization; provider.error tells why. The payment is still authorized."},
    {overloaded,
     "A queue is full. This request did nothing and recorded nothing under its Idempotency-Key. Wait as long as "
     "Retry-After says, with some random delay, and repeat the request with the same Idempotency-Key."},
    {provider_unavailable,
     "The provider that this needs has failed again and again, and no other route of the merchant can take the "
     "payment. Nothing was begun and nothing recorded. Wait as long as Retry-After says, then repeat the request "
     "with the same Idempotency-Key. The same code in provider.error says that the provider could not be reached: no "
     "money moved."},
    {recovery_required,
     "A copy of the database was restored that is older than what the gateway has answered. Until the operator has "
     "asked the providers what happened since, every write gets this answer: nothing was done and nothing recorded. "
     "Reads work. Repeat the request with the same Idempotency-Key and body later."},
    {store_unavailable,
     "The database does not answer, or did not confirm what was to be stored. The operation may have been carried out, "
     "also at the provider: this answer does not tell. Service resumes by itself. Repeat the request with the same "
     "Idempotency-Key and body: if the operation did take place, you get its result and it is not executed again."},
    {stopping,
     "This process is about to stop, and no longer waits for the operation, which may have been carried out or may "
     "still be. Repeat the request with the same Idempotency-Key and body: if the operation did take place, you get "
     "its result and it is not executed again."},
    {answer_timeout,
     "The operation took longer than the gateway keeps a client waiting. It runs on to its end; repeat the request "
     "with the same Idempotency-Key to get its result."},
    {not_ready, "Answered by /readyz only: the gateway is starting or draining, or its database does not answer."},
});

// A code without a text, or with two, is a compile error.
consteval bool every_code_has_a_text() {
  for (std::size_t code = 0; code <= static_cast<std::size_t>(not_ready); ++code)
    if (std::ranges::count(texts, static_cast<error_code>(code), &error_text::code) != 1) return false;
  return true;
}
static_assert(every_code_has_a_text());

}  // namespace

std::string_view text_about(error_code code) noexcept {
  const auto at = std::ranges::find(texts, code, &error_text::code);
  assert(at != texts.end());
  return at->about;
}

}  // namespace gateway::http
