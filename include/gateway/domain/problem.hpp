// The problems with which the domain refuses or fails a request. http/errors maps each to its HTTP status, code and
// body, and decides whether the result is stored under its idempotency key.
#pragma once

namespace gateway {

enum class problem : unsigned char {
  // Not stored: the same idempotency key can be used again once the cause is gone.
  payment_not_found,  ///< unknown to this merchant and environment
  payment_already_exists,  ///< payment_id taken by another create
  merchant_not_charge_capable,  ///< no connection of the merchant can charge
  no_eligible_provider,  ///< connected, but no route takes this payment
  platform_key_required,  ///< a platform feature requested with a merchant's key
  wallet_not_available,  ///< the wallet selector on another entity
  currency_not_supported,  ///< the wallet takes PKR only
  request_in_progress,  ///< same key, same request, still running
  idempotency_key_reused,  ///< same key, another request
  overloaded,  ///< a bounded queue is full
  provider_unavailable,  ///< the breaker of the only eligible provider is open: no operation was begun
  notification_not_found,
  account_lookup_failed,  ///< the standing of the merchant's account at its provider could not be read
  store_unavailable,  ///< the database did not answer or refused
  outcome_pending_timeout,  ///< the answer did not arrive in time; the operation continues
  invalid_grant,  ///< the code is invalid or no longer valid
  grant_not_found,  ///< no such grant, or it belongs to another platform
  grant_not_covering,  ///< a code was requested without showing the page, and not everything is granted
  platform_suspended,  ///< consent to a suspended platform is refused
  key_ended,  ///< the requesting key was revoked before the write began
  grant_ended,  ///< the requesting platform's grant was revoked before the write began
  customer_not_found,  ///< no mapping of this platform, merchant and customer_ref
  no_saved_method,  ///< no method is named, and none is saved for the customer
  subscription_not_found,  ///< unknown to this merchant
  subscription_already_exists,  ///< subscription_id taken by another checkout
  refund_already_recorded,  ///< the payment has a refund of this reference
  nothing_to_settle,  ///< no operation of the payment has an unknown outcome
  impossible_at_provider,  ///< an operator's command to the sandbox that no provider could execute
  // Stored with the result.
  not_capturable,
  not_voidable,
  not_cancellable,
  not_refundable,
  payment_disputed,  ///< a dispute is open
  refund_exceeds_captured,
  capture_exceeds_authorized,
  capture_unsupported,  ///< the route captures at authorization
  void_unsupported,  ///< the route captures at authorization
  payment_outcome_pending,  ///< an earlier operation's outcome is still unknown
  refund_not_supported,  ///< the provider has no refunds
  void_not_supported,  ///< separate capture, but no voids
  refund_rejected,
  void_rejected,
  provider_outcome_unknown,  ///< the provider did not answer in time, or answered 5xx
};

}  // namespace gateway
