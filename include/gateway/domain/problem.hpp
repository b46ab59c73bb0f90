// Every way in which the domain refuses or fails a request. How each looks over HTTP (status, code,
// body shape, whether the result is stored under its idempotency key) is decided in http/errors.
#pragma once

namespace gateway {

enum class problem : unsigned char {
  // Not stored: the same key works once the cause is gone.
  payment_not_found,           ///< unknown to this merchant and environment
  payment_already_exists,      ///< payment_id taken by another create
  merchant_not_charge_capable, ///< no connection of the merchant can charge
  no_eligible_provider,        ///< connected, but no route takes this payment
  platform_key_required,       ///< a feature of platforms asked for with a merchant's key
  wallet_not_available,        ///< the wallet selector on another entity
  currency_not_supported,      ///< the wallet takes PKR only
  request_in_progress,         ///< same key, same request, still running
  idempotency_key_reused,      ///< same key, another request
  overloaded,                  ///< a bounded queue is full
  provider_unavailable,        ///< the breaker of the only provider that could is open: nothing was begun
  notification_not_found,
  account_lookup_failed,       ///< how the merchant's account stands at its provider could not be had
  store_unavailable,           ///< the database did not answer or refused
  outcome_pending_timeout,     ///< the answer did not come in time; the operation runs on
  invalid_grant,               ///< a code that buys nothing, or no more
  grant_not_found,             ///< no such grant, or another platform's
  grant_not_covering,          ///< a code was wanted without asking anybody, and not all of it is granted
  platform_suspended,          ///< nobody can consent to a suspended platform
  key_ended,                   ///< the key that asked was revoked before the write began
  grant_ended,                 ///< so was the grant by which a platform asked
  customer_not_found,          ///< no mapping of this platform, merchant and customer_ref
  no_saved_method,             ///< nothing was to be charged, and nothing is saved for the customer
  subscription_not_found,      ///< unknown to this merchant
  subscription_already_exists, ///< subscription_id taken by another checkout
  // Stored with the result.
  not_capturable,
  not_voidable,
  not_refundable,
  refund_exceeds_captured,
  capture_unsupported,         ///< the route captures at authorization
  void_unsupported,            ///< the route captures at authorization
  payment_outcome_pending,     ///< an earlier operation's outcome is still unknown
  refund_not_supported,        ///< the provider has no refunds
  void_not_supported,          ///< separate capture, but no voids
  refund_rejected,
  void_rejected,
  provider_outcome_unknown,    ///< the provider did not answer in time, or answered 5xx
};

}  // namespace gateway
