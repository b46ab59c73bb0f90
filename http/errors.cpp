#include "errors.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "gateway/base/json_text.hpp"

namespace gateway::http {
namespace {

using enum error_code;
using enum body_shape;

constexpr auto catalogue = std::to_array<error_row>({
    {bad_request, 400, plain, false, "bad_request", "The request is not valid HTTP/1.1."},
    {invalid_request, 400, plain, false, "invalid_request", "The request is not valid."},
    {merchant_id_mismatch, 400, plain, false, "merchant_id_mismatch",
     "The merchant named in the request is not the one that signed it."},
    {idempotency_key_required, 400, plain, false, "idempotency_key_required",
     "This request needs an Idempotency-Key header with a UUID."},
    {idempotency_key_invalid, 400, plain, false, "idempotency_key_invalid",
     "Idempotency-Key must be a UUID: 8-4-4-4-12 hexadecimal digits."},
    {currency_not_supported, 400, plain, false, "currency_not_supported", "currency: the wallet takes PKR only."},
    {server_flow_requires_payment_method, 400, plain, false, "server_flow_requires_payment_method",
     "payment_method is required when flow is server."},

    {invalid_environment, 400, plain, false, "INVALID_ENVIRONMENT",
     "environment must be test or live, and stand once."},
    {service_merchant_required, 400, plain, false, "MOOOV_MERCHANT_REQUIRED",
     "The Service-Merchant header must name the merchant whom the platform acts for."},
    {oauth_invalid_request, 400, described, false, "invalid_request", "The request is not valid."},
    {invalid_grant, 400, described, false, "invalid_grant",
     "The code is not valid for this platform and redirect_uri."},

    {unauthorized, 401, described, false, "unauthorized", "The request is not authenticated."},
    {platform_key_invalid, 401, described, false, "PLATFORM_KEY_INVALID",
     "The platform key is not valid for this request."},
    {platform_suspended, 401, described, false, "PLATFORM_SUSPENDED", "The platform is suspended."},
    {invalid_client, 401, described, false, "invalid_client", "The platform's request is not authenticated."},
    {not_granted, 403, plain, false, "GRANT_NOT_FOUND", "The platform has no active grant for this merchant."},
    {grant_elsewhere, 403, plain, false, "MERCHANT_GRANT_REQUIRED",
     "The merchant has granted the platform access in the other environment only."},
    {scope_denied, 403, plain, false, "SCOPE_DENIED",
     "The platform's key and the merchant's grant have no scope in common."},
    {scope_not_granted, 403, plain, false, "SCOPE_NOT_GRANTED",
     "The merchant has not granted the scope that this needs."},
    {forbidden, 403, plain, false, "forbidden", "The key does not carry the scope that this operation needs."},

    {not_found, 404, plain, false, "not_found", "There is nothing at this address."},
    {payment_not_found, 404, plain, false, "payment_not_found", "No such payment in this environment."},
    {customer_not_found, 404, plain, false, "customer_not_found", "No such customer of the platform at this merchant."},
    {subscription_not_found, 404, plain, false, "subscription_not_found", "No such subscription of this merchant."},
    {dispute_not_found, 404, plain, false, "dispute_not_found", "No such dispute of this merchant."},
    {event_not_found, 404, plain, false, "event_not_found", "No such event that this key may read."},
    {grant_not_found, 404, plain, false, "GRANT_NOT_FOUND", "The platform has no such grant."},
    {method_not_allowed, 405, plain, false, "method_not_allowed", "This address does not take that method."},
    {request_timeout, 408, plain, false, "request_timeout", "The request did not arrive in time."},
    {token_unusable, 410, plain, false, "token_unusable", "The setup link is used, expired or not genuine."},
    {cursor_expired, 410, plain, false, "cursor_expired",
     "Events behind this cursor have been deleted: start again without it."},
    {body_too_large, 413, plain, false, "body_too_large", "The body of the request is too large."},
    {unsupported_media_type, 415, plain, false, "unsupported_media_type", "Content-Type must be application/json."},
    {rate_limited, 429, plain, false, "rate_limited",
     "Too many requests. Wait as long as Retry-After says; a write may be sent again with the same Idempotency-Key."},
    {headers_too_large, 431, plain, false, "headers_too_large", "The header block of the request is too large."},

    {request_in_progress, 409, plain, false, "request already processing",
     "A request with this Idempotency-Key is still being processed."},
    {idempotency_key_reused, 409, plain, false, "IDEMPOTENCY_KEY_REUSED",
     "This Idempotency-Key was used for another request. A new operation needs a new key."},
    {payment_already_exists, 409, plain, false, "payment already exists",
     "A payment with this payment_id exists already."},
    {subscription_already_exists, 409, plain, false, "subscription already exists",
     "A subscription with this subscription_id exists already."},
    {not_capturable, 409, plain, true, "payment not authorized for capture",
     "Only an authorized payment can be captured."},
    {not_voidable, 409, plain, true, "payment not voidable in current state",
     "Only an authorized payment can be voided."},
    {not_cancellable, 409, plain, true, "payment not cancellable in current state",
     "Only a payment that waits for its customer can be cancelled."},
    {not_refundable, 409, plain, true, "payment not refundable in current state",
     "Nothing of this payment can be refunded, or it has 2,500 refunds already."},
    {payment_disputed, 409, plain, true, "payment disputed",
     "A dispute of this payment is open: it cannot be refunded until the dispute is closed."},
    {payment_outcome_pending, 409, plain, true, "payment outcome pending",
     "An earlier operation's outcome is not known yet."},
    {subscription_outcome_pending, 409, plain, true, "subscription outcome pending",
     "An earlier operation's outcome is not known yet."},
    {conflict, 409, plain, false, "conflict", "The change contradicts what exists."},

    {merchant_not_charge_capable, 422, typed, false, "merchant_not_charge_capable",
     "The merchant has not finished setting up a payment provider."},
    {no_eligible_provider, 422, typed, false, "ROUTING_NO_ELIGIBLE_PROVIDER",
     "No route of the merchant takes this currency, flow and payment method."},
    {platform_key_required, 422, typed, false, "platform_key_required", "This operation needs a platform's key."},
    {wallet_not_available, 422, typed, false, "wallet_not_available",
     "The PKR wallet is not enabled for this merchant."},
    {test_customer_mappings_unavailable, 422, typed, false, "test_customer_mappings_unavailable",
     "Customers exist in live only."},
    {provider_operation_unsupported, 422, typed, true, "provider_operation_unsupported",
     "The payment's provider captures at authorization, so this operation does not exist for it."},
    {refund_exceeds_captured, 422, bare, true, "refund amount exceeds captured amount", ""},
    {capture_exceeds_authorized, 422, typed, true, "capture_amount_exceeds_authorized",
     "The amount to capture is more than what was authorized."},

    {internal_error, 500, plain, false, "internal_error", "The gateway failed. Retry with the same Idempotency-Key."},
    {account_lookup_failed, 500, plain, false, "CONNECTED_ACCOUNT_LOOKUP_ERROR",
     "The merchant's account at its provider could not be looked up. Retry with the same Idempotency-Key."},
    {provider_outcome_unknown, 502, envelope, true, "provider outcome unknown", ""},
    {checkout_failed, 502, envelope, true, "subscription checkout failed", ""},
    {cancel_rejected, 502, envelope, true, "cancel rejected by provider", ""},
    {cancel_outcome_unknown, 502, envelope, true, "cancel outcome unknown", ""},
    {refund_not_supported, 502, envelope, true, "refund not supported by configured provider", ""},
    {void_not_supported, 502, envelope, true, "void not supported by configured provider", ""},
    {refund_rejected, 502, envelope, true, "refund rejected by provider", ""},
    {void_rejected, 502, envelope, true, "void rejected by provider", ""},
    {overloaded, 503, plain, false, "overloaded", "The gateway is busy. Retry with the same Idempotency-Key."},
    {provider_unavailable, 503, plain, false, "provider_unavailable",
     "The payment provider is not available. Nothing was begun; retry with the same Idempotency-Key."},
    {recovery_required, 503, plain, false, "recovery_required",
     "The gateway's database was restored, and takes no writes until its operator has recovered what is missing. Retry "
     "with the same Idempotency-Key."},
    {store_unavailable, 503, plain, false, "store_unavailable",
     "The gateway cannot reach its database. Retry with the same Idempotency-Key."},
    {stopping, 503, plain, false, "stopping", "The gateway is restarting. Retry with the same Idempotency-Key."},
    {answer_timeout, 503, plain, false, "answer_timeout",
     "The operation is still running. Retry with the same Idempotency-Key."},
    {not_ready, 503, plain, false, "not_ready", "The gateway is not ready to take requests."},
});

// A code without a row, or with two, is a compile error.
consteval bool complete() {
  for (std::size_t code = 0; code <= static_cast<std::size_t>(not_ready); ++code)
    if (std::ranges::count(catalogue, static_cast<error_code>(code), &error_row::code) != 1) return false;
  return true;
}
static_assert(complete());

constexpr int retry_later = 503, too_many = 429;

/// Whether `docs_url` stands beside `error`, where add_docs_url puts it.
bool is_completed_later(const error_row& row) noexcept { return row.shape == plain || row.shape == described; }

/// Adds the member to the body, which is an object with other members.
void append_docs_url(std::string& body, std::string_view base_url, const error_row& row) {
  body.pop_back();
  body += R"(,"docs_url":)";
  append_json_string(body, docs_url(base_url, row));
  body += '}';
}

boost::json::array as_json(std::span<const field_fault> faults) {
  boost::json::array list;
  for (const auto& fault : faults) list.push_back({{"name", fault.name}, {"message", fault.message}});
  return list;
}

/// The body without `docs_url`, except in the typed shape, where it stands inside `error`.
std::string written(const error_row& row, std::string_view message, std::span<const field_fault> faults,
                    std::string_view base_url, std::string_view operation) {
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
  if (!faults.empty()) body["fields"] = as_json(faults);
  return boost::json::serialize(body);
}

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
    case problem::not_cancellable: return error_code::not_cancellable;
    case problem::not_refundable: return error_code::not_refundable;
    case problem::payment_disputed: return error_code::payment_disputed;
    case problem::refund_already_recorded:
    case problem::nothing_to_settle:
    case problem::impossible_at_provider: return error_code::conflict;
    case problem::refund_exceeds_captured: return error_code::refund_exceeds_captured;
    case problem::capture_exceeds_authorized: return error_code::capture_exceeds_authorized;
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

std::string_view field_of(error_code code) noexcept {
  if (code == currency_not_supported) return "currency";
  if (code == server_flow_requires_payment_method) return "payment_method";
  return {};
}

std::vector<field_fault> faults_of(error_code code, std::string_view message) {
  const auto field = field_of(code);
  if (field.empty()) return {};
  return {{std::string{field}, std::string{message.empty() ? row_of(code).message : message}}};
}

void add_docs_url(response& out, std::string_view base_url) {
  const auto* row = std::exchange(out.error, nullptr);
  if (row) append_docs_url(out.body, base_url, *row);
}

std::string error_body(error_code code, std::string_view message, std::string_view base_url,
                       std::string_view operation) {
  const auto& row = row_of(code);
  auto out = written(row, message, faults_of(code, message), base_url, operation);
  if (is_completed_later(row)) append_docs_url(out, base_url, row);
  return out;
}

response error_response(error_code code, std::string_view message, std::string_view base_url) {
  const auto& row = row_of(code);
  response out;
  out.status = row.status;
  out.body = written(row, message, faults_of(code, message), base_url, {});
  if (is_completed_later(row)) out.error = &row;
  add_retry_after(out);
  return out;
}

response error_response(const rejection& why) {
  auto out = error_response(why.code, why.message);
  if (!why.fields.empty()) out.body = written(row_of(why.code), why.message, why.fields, {}, {});
  return out;
}

response error_response(problem why, std::string_view base_url) { return error_response(code_of(why), {}, base_url); }

response error_response(const operator_problem& why) {
  const bool missing = why.what == operator_problem::kind::not_found;
  return error_response(missing ? not_found : conflict, why.words);
}

void add_retry_after(response& out) {
  if (out.status == retry_later || out.status == too_many) out.headers.emplace_back("Retry-After", "1");
}

}  // namespace gateway::http
