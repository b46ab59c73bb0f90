// The meaning of a payment's state at Stripe: docs.stripe.com/payments/paymentintents/lifecycle.
#pragma once

#include <optional>
#include <string_view>

#include "answers.hpp"
#include "gateway/ports/provider.hpp"

namespace gateway::actors::stripe {

struct result_basis {
  const payment& subject;
  bool by_sdk = false;                 ///< the customer acts in Stripe's SDK
  std::string_view publishable_key{};  ///< for that SDK
  /// No request is in progress any more, so an effect that is missing now will never occur.
  bool certain = false;
};

/// For the creation of a payment, and for one that waits for its customer.
provider_result result_of(const intent& at_stripe, const result_basis& by);
/// For a checkout of which only the payment is known. Once `certain`, the checkout can no longer be paid.
provider_result result_of_checkout(const intent& at_stripe, const result_basis& by);

/// nullopt: the state is not conclusive, and has to be read (again). `amount`: in Stripe's unit. If another amount was
/// captured before, the result states it.
std::optional<provider_result> result_of_capture(const intent& at_stripe, std::int64_t amount, currency unit);
std::optional<provider_result> result_of_void(const intent& at_stripe);
std::optional<provider_result> result_of_refund(const refund& at_stripe);

/// The result of a payment that was not paid in time.
provider_result expired(std::string ref);
provider_result failed_or_canceled(const intent& at_stripe);

/// Whether provider_ref is the id of an object of this kind.
bool is_intent_id(std::string_view ref) noexcept;
bool is_checkout_id(std::string_view ref) noexcept;

}  // namespace gateway::actors::stripe
