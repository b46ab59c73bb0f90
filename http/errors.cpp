#include "errors.hpp"

#include <algorithm>
#include <array>
#include <cassert>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace gateway::http {
namespace {

using enum error_code;
using enum body_shape;

constexpr auto catalogue = std::to_array<error_row>({
    {bad_request, 400, plain, false, "bad_request", "The request is not valid HTTP/1.1.",
     "The bytes on the connection are not a well-formed HTTP/1.1 request. A proxy or a hand-made client is the usual "
     "cause."},
    {invalid_request, 400, plain, false, "invalid_request", "The request is not valid.",
     "Something in the request is missing, malformed or out of bounds. The message names the field. Correct it and "
     "send the request again; the same Idempotency-Key may be used, because nothing was recorded under it."},
    {merchant_id_mismatch, 400, plain, false, "merchant_id_mismatch",
     "The merchant named in the request is not the one that signed it.",
     "With a merchant's own key, a merchant_id in the body or a Service-Merchant header names another merchant than "
     "the one whose key signed the request; both can simply be left out. With a platform's key, the merchant_id in "
     "the body names another merchant than Service-Merchant does, for whom the platform acts; leave it out, too."},
    {idempotency_key_required, 400, plain, false, "idempotency_key_required",
     "This request needs an Idempotency-Key header with a UUID.",
     "Every write carries an Idempotency-Key. Make a new UUID for each intended operation and send the same one with "
     "every retry of it."},
    {idempotency_key_invalid, 400, plain, false, "idempotency_key_invalid",
     "Idempotency-Key must be a UUID: 8-4-4-4-12 hexadecimal digits.",
     "The Idempotency-Key header was sent but is not a UUID such as 0b6f3c1e-54a4-4f1b-9d2c-8e7a6b5c4d3e."},
    {currency_not_supported, 400, plain, false, "currency_not_supported", "currency: the wallet takes PKR only.",
     "The PKR wallet, and every merchant that takes payments through it, accepts payments in Pakistani rupees only."},
    {server_flow_requires_payment_method, 400, plain, false, "server_flow_requires_payment_method",
     "payment_method is required when flow is server.",
     "A payment in the server flow is charged at once, so it needs a tokenised payment_method, or a customer_ref for "
     "whom a method is saved, with setup_future_usage off_session. To let the customer choose on a hosted page, use "
     "flow redirect or embedded. No provider was contacted."},

    {invalid_environment, 400, plain, false, "INVALID_ENVIRONMENT", "environment must be test or live, and stand once.",
     "A platform chooses the environment with the query environment=test or environment=live. Without it the request "
     "is "
     "for live. An empty value, another one or a repeated one is refused, so that no slip of the pen moves real "
     "money."},
    {service_merchant_required, 400, plain, false, "MOOOV_MERCHANT_REQUIRED",
     "The Service-Merchant header must name the merchant whom the platform acts for.",
     "A platform's key belongs to no merchant. Send the id of the one whom the request is for as Service-Merchant."},
    {oauth_invalid_request, 400, described, false, "invalid_request", "The request is not valid.",
     "The token endpoint could not read the request. The description names the field. The code is not spent."},
    {invalid_grant, 400, described, false, "invalid_grant", "The code is not valid for this platform and redirect_uri.",
     "The code is unknown, was exchanged before, is older than ten minutes, was issued to another platform or for "
     "another redirect_uri, or its grant has been revoked. These cases are not told apart. Send the merchant's owner "
     "to "
     "the consent screen again to get a new one."},

    {unauthorized, 401, described, false, "unauthorized", "The request is not authenticated.",
     "A signing header is missing, malformed or sent twice, the timestamp is more than five minutes away from the "
     "gateway's clock, or the key and signature do not fit together. For your protection an unknown key and a wrong "
     "signature get the same answer. A stale timestamp's description tells the gateway's time."},
    {platform_key_invalid, 401, described, false, "PLATFORM_KEY_INVALID",
     "The platform key is not valid for this request.",
     "The platform key is unknown or revoked, or the signature was not made with its secret. These cases are not told "
     "apart."},
    {platform_suspended, 401, described, false, "PLATFORM_SUSPENDED", "The platform is suspended.",
     "The operator of the gateway has suspended the platform: nothing that it signs is done until it is resumed. Ask "
     "the "
     "operator. Only a request with a right signature is told so."},
    {invalid_client, 401, described, false, "invalid_client", "The platform's request is not authenticated.",
     "The endpoint that revokes a grant takes signed requests of platforms only. A signing header is missing or stale, "
     "the key is unknown, revoked or no platform's, the signature does not fit, or the platform is suspended."},
    {not_granted, 403, plain, false, "GRANT_NOT_FOUND", "The platform has no active grant for this merchant.",
     "The merchant named in Service-Merchant has never granted the platform access, or has revoked it, or does not "
     "exist. Send the merchant's owner to the consent screen."},
    {grant_elsewhere, 403, plain, false, "MERCHANT_GRANT_REQUIRED",
     "The merchant has granted the platform access in the other environment only.",
     "Grants are given for test and for live each by itself. Ask for a grant in the environment that the request is "
     "for, "
     "or name the other one in the query."},
    {scope_denied, 403, plain, false, "SCOPE_DENIED",
     "The platform's key and the merchant's grant have no scope in common.",
     "What a platform may do is what both its key and the grant permit, and here that is nothing. Use another key, or "
     "ask the merchant for more."},
    {scope_not_granted, 403, plain, false, "SCOPE_NOT_GRANTED",
     "The merchant has not granted the scope that this needs.",
     "The grant does not reach to the scope that the message names. Send the merchant's owner to the consent screen "
     "with "
     "that scope: the grant is widened by it."},
    {forbidden, 403, plain, false, "forbidden", "The key does not carry the scope that this operation needs.",
     "The key is valid but was minted without the scope that the message names. Use a key that carries it."},

    {not_found, 404, plain, false, "not_found", "There is nothing at this address.",
     "No operation of this interface has that path. Check the spelling and the version prefix."},
    {payment_not_found, 404, plain, false, "payment_not_found", "No such payment in this environment.",
     "This merchant has no payment with that payment_id in the environment of the key. Test and live payments are kept "
     "apart, and so are those of different merchants."},
    {customer_not_found, 404, plain, false, "customer_not_found", "No such customer of the platform at this merchant.",
     "No payment of this platform has made a customer with that customer_ref at the merchant whom Service-Merchant "
     "names. Refs are compared byte for byte; those of other platforms and at other merchants are other customers."},
    {subscription_not_found, 404, plain, false, "subscription_not_found", "No such subscription of this merchant.",
     "There is no subscription of that id at the merchant, in this environment. Both its subscription_id and the id in "
     "its events name it."},
    {grant_not_found, 404, plain, false, "GRANT_NOT_FOUND", "The platform has no such grant.",
     "There is no grant of that id, or it is another platform's. These cases are not told apart."},
    {method_not_allowed, 405, plain, false, "method_not_allowed", "This address does not take that method.",
     "The path exists, but not for this HTTP method. The Allow header of the answer lists the methods it takes."},
    {request_timeout, 408, plain, false, "request_timeout", "The request did not arrive in time.",
     "The connection was too slow or stalled before the whole request had arrived. Nothing was done; send it again."},
    {token_unusable, 410, plain, false, "token_unusable", "The setup link is used, expired or not genuine.",
     "A setup link works once and for one hour. Repeat the charge that was refused: its answer carries a new link."},
    {body_too_large, 413, plain, false, "body_too_large", "The body of the request is too large.",
     "The body exceeds the gateway's limit, one mebibyte unless the operator has configured another."},
    {unsupported_media_type, 415, plain, false, "unsupported_media_type", "Content-Type must be application/json.",
     "A request with a body must say that it is JSON: Content-Type: application/json, with or without charset=utf-8."},
    {rate_limited, 429, plain, false, "rate_limited",
     "Too many requests. Wait as long as Retry-After says; a write may be sent again with the same Idempotency-Key.",
     "The key, its platform or the address that the request came from has sent more requests than it may. Nothing was "
     "done, and nothing was recorded under the Idempotency-Key. The header RateLimit-Policy "
     "names the limit and tells how much it allows. Wait as long as Retry-After says, with some random delay, and send "
     "the same request again; to stay below the limit, spread requests evenly by what RateLimit tells in every "
     "answer."},
    {headers_too_large, 431, plain, false, "headers_too_large", "The header block of the request is too large.",
     "The request line and headers together exceed the gateway's limit, 16 KiB unless the operator has configured "
     "another."},

    {request_in_progress, 409, plain, false, "request already processing",
     "A request with this Idempotency-Key is still being processed.",
     "The first request with this Idempotency-Key has not finished. Wait a moment and repeat the same request with the "
     "same key: you get its result."},
    {idempotency_key_reused, 409, plain, false, "IDEMPOTENCY_KEY_REUSED",
     "This Idempotency-Key was used for another request. A new operation needs a new key.",
     "The Idempotency-Key belongs to a request with another method, path or body. A retry must repeat the body byte "
     "for byte; a new operation needs a new key."},
    {payment_already_exists, 409, plain, false, "payment already exists",
     "A payment with this payment_id exists already.",
     "Another request created a payment with this payment_id in this environment. Look at it with GET, or choose a new "
     "payment_id."},
    {subscription_already_exists, 409, plain, false, "subscription already exists",
     "A subscription with this subscription_id exists already.",
     "Another request opened a checkout with this subscription_id. Look at it with GET, or choose a new "
     "subscription_id."},
    {not_capturable, 409, plain, true, "payment not authorized for capture",
     "Only an authorized payment can be captured.",
     "The payment is not authorized: it is still open, or it was refunded, voided or failed. Nothing was changed."},
    {not_voidable, 409, plain, true, "payment not voidable in current state",
     "Only an authorized payment can be voided.",
     "The payment is not authorized. One that has been captured can be refunded instead. Nothing was changed."},
    {not_refundable, 409, plain, true, "payment not refundable in current state",
     "Nothing of this payment can be refunded.",
     "The payment has not been captured, or all that was captured has been refunded. Nothing was changed."},
    {payment_outcome_pending, 409, plain, true, "payment outcome pending",
     "An earlier operation's outcome is not known yet.",
     "The provider has not told the outcome of an earlier operation on this payment. The gateway asks it until it "
     "knows; watch the payment or its timeline, then repeat the operation with a new Idempotency-Key."},
    {subscription_outcome_pending, 409, plain, true, "subscription outcome pending",
     "An earlier operation's outcome is not known yet.",
     "An operation on this subscription is still under way at the provider. Repeat yours with a new Idempotency-Key "
     "once "
     "it has ended."},
    {conflict, 409, plain, false, "conflict", "The change contradicts what exists.",
     "An operator's command names something that exists already or that does not fit together. The message says what."},

    {merchant_not_charge_capable, 422, typed, false, "merchant_not_charge_capable",
     "The merchant has not finished setting up a payment provider.",
     "No provider connection of this merchant can charge in this environment. Send the merchant's owner to setup_url, "
     "which works once and until setup_url_expires_at, then repeat the request with the same Idempotency-Key. Do not "
     "cache, log or forward the link."},
    {no_eligible_provider, 422, typed, false, "ROUTING_NO_ELIGIBLE_PROVIDER",
     "No route of the merchant takes this currency, flow and payment method.",
     "The merchant has a connected provider, but none of its routes takes this combination of currency, flow and "
     "payment method. Change the request, or have the routes extended, and repeat it."},
    {platform_key_required, 422, typed, false, "platform_key_required", "This operation needs a platform's key.",
     "Saved customers (customer_ref), saved charges and subscription checkouts belong to platforms, and so do the "
     "exchange of a code for a grant and the revoke of a platform's key. A merchant's own key cannot use them: sign "
     "with a key of the platform."},
    {wallet_not_available, 422, typed, false, "wallet_not_available",
     "The PKR wallet is not enabled for this merchant.",
     "payment_method_type pkr_wallet works for wallet merchants only. Leave the field out to use the merchant's own "
     "routes."},
    {test_customer_mappings_unavailable, 422, typed, false, "test_customer_mappings_unavailable",
     "Customers exist in live only.",
     "customer_ref, saved charges, subscription checkouts and the look-up of customers work in live. In test, charge a "
     "tokenised payment_method without customer_ref."},
    {provider_operation_unsupported, 422, typed, true, "provider_operation_unsupported",
     "The payment's provider captures at authorization, so this operation does not exist for it.",
     "The payment went over a route that captures when it authorizes: there is nothing left to capture, and nothing to "
     "void. The payment is unchanged. Do not repeat the call; refund the payment instead once it is captured."},
    {refund_exceeds_captured, 422, bare, true, "refund amount exceeds captured amount", "",
     "The amount is more than what remains of the captured amount after earlier refunds. Nothing was refunded. Leave "
     "the amount out to refund all that remains."},

    {internal_error, 500, plain, false, "internal_error", "The gateway failed. Retry with the same Idempotency-Key.",
     "Something failed inside the gateway. It does not prove that nothing happened: repeat the request with the same "
     "Idempotency-Key and body, and give the Request-Id to support if it persists."},
    {account_lookup_failed, 500, plain, false, "CONNECTED_ACCOUNT_LOOKUP_ERROR",
     "The merchant's account at its provider could not be looked up. Retry with the same Idempotency-Key.",
     "Whether the merchant can be charged depends on its account at the payment provider, and that could not be read "
     "at "
     "the moment. Nothing was charged and nothing recorded: repeat the request with the same Idempotency-Key."},
    {provider_outcome_unknown, 502, envelope, true, "provider outcome unknown", "",
     "The provider did not answer in time or failed while answering, so the outcome is not known. The payment is never "
     "charged twice: the gateway keeps asking until it knows. Watch the payment or its timeline before a new attempt."},
    {checkout_failed, 502, envelope, true, "subscription checkout failed", "",
     "The provider opened no checkout; error tells why. A new attempt needs a new subscription_id and a new "
     "Idempotency-Key."},
    {cancel_rejected, 502, envelope, true, "cancel rejected by provider", "",
     "The subscription goes on. A new attempt needs a new Idempotency-Key."},
    {cancel_outcome_unknown, 502, envelope, true, "cancel outcome unknown", "",
     "The provider did not say whether it has ended; the gateway asks it until it knows. Look at the subscription with "
     "GET; canceling again, with a new "
     "Idempotency-Key, does no harm."},
    {refund_not_supported, 502, envelope, true, "refund not supported by configured provider", "",
     "The payment's provider has no refunds. Do not repeat the call."},
    {void_not_supported, 502, envelope, true, "void not supported by configured provider", "",
     "The payment's provider cannot void an authorization. Do not repeat the call."},
    {refund_rejected, 502, envelope, true, "refund rejected by provider", "",
     "The provider refused the refund; provider.error tells why. No money was refunded. A new attempt needs a new "
     "Idempotency-Key."},
    {void_rejected, 502, envelope, true, "void rejected by provider", "",
     "The provider refused to void the authorization; provider.error tells why. The payment is still authorized."},
    {overloaded, 503, plain, false, "overloaded", "The gateway is busy. Retry with the same Idempotency-Key.",
     "A queue is full. Wait as long as Retry-After says, with some random delay, and repeat the request with the same "
     "Idempotency-Key."},
    {provider_unavailable, 503, plain, false, "provider_unavailable",
     "The payment provider is not available. Nothing was begun; retry with the same Idempotency-Key.",
     "The provider that this needs has failed again and again, and no other route of the merchant can take the "
     "payment. "
     "Nothing was begun and nothing recorded. Wait as long as Retry-After says, then repeat the request with the same "
     "Idempotency-Key. The same code in provider.error says that the provider could not be reached: no money moved."},
    {store_unavailable, 503, plain, false, "store_unavailable",
     "The gateway cannot reach its database. Retry with the same Idempotency-Key.",
     "The database does not answer. Service resumes by itself. Repeat the request with the same Idempotency-Key: if "
     "the operation did take place, you get its result and it is not executed again."},
    {stopping, 503, plain, false, "stopping", "The gateway is restarting. Retry with the same Idempotency-Key.",
     "This process is about to stop. Repeat the request with the same Idempotency-Key."},
    {answer_timeout, 503, plain, false, "answer_timeout",
     "The operation is still running. Retry with the same Idempotency-Key.",
     "The operation took longer than the gateway keeps a client waiting. It runs on to its end; repeat the request "
     "with the same Idempotency-Key to get its result."},
    {not_ready, 503, plain, false, "not_ready", "The gateway is not ready to take requests.",
     "Told by /readyz only: the gateway is starting or draining, or its database does not answer."},
});

// A code without a row, or with two, is a compile error.
consteval bool complete() {
  for (std::size_t code = 0; code <= static_cast<std::size_t>(not_ready); ++code)
    if (std::ranges::count(catalogue, static_cast<error_code>(code), &error_row::code) != 1) return false;
  return true;
}
static_assert(complete());

constexpr auto page_errors = std::to_array<page_error_row>({
    {page_error::incomplete_form, 400, "The form is not complete",
     "Please go back, reload the payment page and try again."},
    {page_error::doubtful_return, 400, "This page cannot be shown",
     "What your browser brought does not come from the wallet. Nothing was changed: the shop is told what became of "
     "the "
     "payment."},
    {page_error::malformed_form, 400, "The form is not complete",
     "Please go back, reload the page and try again. Nothing was changed."},
    {page_error::authorize_link, 400, "This link cannot be followed", ""},
    {page_error::stale_form, 403, "Please open the payment page again",
     "This form does not belong to your browser's session. Go back, reload the payment page and try again."},
    {page_error::forged_form, 403, "Please open the page again",
     "This form does not belong to your browser's session, or is too old. Go back, reload the page and try again. "
     "Nothing was changed."},
    {page_error::not_an_owner, 403, "Only an owner can do this",
     "Your account does not own this merchant. Ask an owner, or sign in with another account."},
    {page_error::nothing_here, 404, "Page not found",
     "There is nothing at this address for the account that you are signed in with."},
    {page_error::unknown_page, 404, "Page not found",
     "This payment page does not exist. Please return to the shop and try again."},
    {page_error::unknown_document, 404, "Page not found", "The documentation has no such page. It begins at /docs."},
    {page_error::closed_page, 410, "This page is no longer open",
     "The payment does not wait for you any more: it was completed, declined or has expired."},
    {page_error::unusable_link, 410, "This link cannot be used",
     "It was used before, has expired, or was not made here. Ask whoever sent it for a new one."},
    {page_error::closed_onboarding, 410, "This page is no longer open",
     "The connection was finished or given up, or the page has expired."},
    {page_error::refused_form, 422, "", ""},
    {page_error::slowed_down, 429, "", ""},
    {page_error::silent_provider, 503, "The payment provider did not answer",
     "Your account there could not be opened. Go back and try again in a few minutes. If this goes on, tell whoever "
     "runs "
     "this gateway."},
    {page_error::busy, 503, "One moment, please",
     "The payment service is busy. Please reload this page in a few seconds."},
    {page_error::too_many_requests, 429, "One moment, please",
     "Too many requests have come from your network. Please wait a few seconds and load this page again."},
});

constexpr int retry_later = 503, too_many = 429;

}  // namespace

std::span<const error_row> error_catalogue() noexcept { return catalogue; }

const error_row& row_of(error_code code) noexcept {
  const auto at = std::ranges::find(catalogue, code, &error_row::code);
  assert(at != catalogue.end());
  return *at;
}

error_code code_of(problem why) noexcept {
  switch (why) {
    case problem::payment_not_found: return error_code::payment_not_found;
    case problem::payment_already_exists: return error_code::payment_already_exists;
    case problem::merchant_not_charge_capable: return error_code::merchant_not_charge_capable;
    case problem::no_eligible_provider: return error_code::no_eligible_provider;
    case problem::platform_key_required: return error_code::platform_key_required;
    case problem::wallet_not_available: return error_code::wallet_not_available;
    case problem::currency_not_supported: return error_code::currency_not_supported;
    case problem::request_in_progress: return error_code::request_in_progress;
    case problem::idempotency_key_reused: return error_code::idempotency_key_reused;
    case problem::overloaded: return error_code::overloaded;
    case problem::provider_unavailable: return error_code::provider_unavailable;
    case problem::notification_not_found: return error_code::not_found;
    case problem::account_lookup_failed: return error_code::account_lookup_failed;
    case problem::store_unavailable: return error_code::store_unavailable;
    case problem::outcome_pending_timeout: return error_code::answer_timeout;
    case problem::invalid_grant: return error_code::invalid_grant;
    case problem::grant_not_found: return error_code::grant_not_found;
    case problem::grant_not_covering: return error_code::forbidden;
    case problem::platform_suspended: return error_code::platform_suspended;
    case problem::key_ended: return error_code::unauthorized;
    case problem::grant_ended: return error_code::not_granted;
    case problem::subscription_not_found: return error_code::subscription_not_found;
    case problem::subscription_already_exists: return error_code::subscription_already_exists;
    case problem::customer_not_found: return error_code::customer_not_found;
    case problem::no_saved_method: return error_code::server_flow_requires_payment_method;
    case problem::not_capturable: return error_code::not_capturable;
    case problem::not_voidable: return error_code::not_voidable;
    case problem::not_refundable: return error_code::not_refundable;
    case problem::refund_exceeds_captured: return error_code::refund_exceeds_captured;
    case problem::capture_unsupported:
    case problem::void_unsupported: return error_code::provider_operation_unsupported;
    case problem::payment_outcome_pending: return error_code::payment_outcome_pending;
    case problem::refund_not_supported: return error_code::refund_not_supported;
    case problem::void_not_supported: return error_code::void_not_supported;
    case problem::refund_rejected: return error_code::refund_rejected;
    case problem::void_rejected: return error_code::void_rejected;
    case problem::provider_outcome_unknown: return error_code::provider_outcome_unknown;
  }
  return error_code::internal_error;
}

error_code code_of(subscription_problem why) noexcept {
  switch (why) {
    case subscription_problem::outcome_pending: return error_code::subscription_outcome_pending;
    case subscription_problem::checkout_failed: return error_code::checkout_failed;
    case subscription_problem::cancel_rejected: return error_code::cancel_rejected;
    case subscription_problem::outcome_unknown: return error_code::cancel_outcome_unknown;
  }
  return error_code::internal_error;
}

std::optional<std::string_view> operation_of(problem why) noexcept {
  if (why == problem::capture_unsupported) return "capture";
  if (why == problem::void_unsupported) return "void";
  return std::nullopt;
}

std::string anchor_of(const error_row& row) {
  std::string anchor{row.text};
  std::ranges::replace(anchor, ' ', '_');
  return anchor;
}

std::string docs_url(std::string_view base_url, const error_row& row) {
  std::string url{base_url};
  url += "/docs/errors#";
  return url += anchor_of(row);
}

std::string error_body(error_code code, std::string_view message, std::string_view base_url,
                       std::string_view operation) {
  const auto& row = row_of(code);
  if (message.empty()) message = row.message;
  boost::json::object body;
  switch (row.shape) {
    case described:
      body["error"] = row.text;
      body["error_description"] = message;
      break;
    case plain:
      body["error"] = row.text;
      body["message"] = message;
      break;
    case bare:
    case envelope: body["error"] = row.text; break;
    case typed: {
      auto& error = body["error"].emplace_object();
      error["code"] = row.text;
      error["message"] = message;
      if (!operation.empty()) error["operation"] = operation;
      error["docs_url"] = docs_url(base_url, row);
      break;
    }
  }
  return boost::json::serialize(body);
}

response error_response(error_code code, std::string_view message, std::string_view base_url) {
  response out;
  out.status = row_of(code).status;
  out.body = error_body(code, message, base_url);
  add_retry_after(out);
  return out;
}

response error_response(const rejection& why) { return error_response(why.code, why.message); }

response error_response(problem why, std::string_view base_url) { return error_response(code_of(why), {}, base_url); }

response error_response(const operator_problem& why) {
  const bool missing = why.what == operator_problem::kind::not_found;
  return error_response(missing ? not_found : conflict, why.words);
}

const page_error_row& row_of(page_error what) noexcept {
  const auto at = std::ranges::find(page_errors, what, &page_error_row::what);
  assert(at != page_errors.end());
  return *at;
}

void add_retry_after(response& out) {
  if (out.status == retry_later || out.status == too_many) out.headers.emplace_back("Retry-After", "1");
}

}  // namespace gateway::http
