// What the state of a payment at Stripe means here: docs.stripe.com/payments/paymentintents/lifecycle.
#pragma once

#include <optional>
#include <string_view>

#include "gateway/provider.hpp"
#include "stripe_answers.hpp"

namespace gateway::actors::stripe {

struct judging {
  const payment& subject;
  bool by_sdk = false;                 ///< the customer acts by Stripe's SDK
  std::string_view publishable_key{};  ///< for that SDK
  /// Nothing that was asked for is under way any more: what has not happened by now never will.
  bool certain = false;
};

/// Of the payment's creation, and of one that waits for its customer.
provider_result result_of(const intent& at_stripe, const judging& by);
/// A checkout of which nothing is known but its payment, and which cannot be paid any more once it is `certain`.
provider_result result_of_checkout(const intent& at_stripe, const judging& by);

/// Nothing: the state does not tell, and has to be looked at (again).
std::optional<provider_result> result_of_capture(const intent& at_stripe, std::int64_t amount);
std::optional<provider_result> result_of_void(const intent& at_stripe);
std::optional<provider_result> result_of_refund(const refund& at_stripe);

/// The time to pay is over, and it has not been paid.
provider_result expired(std::string ref);
provider_result failed_or_canceled(const intent& at_stripe);

/// Ids of the kinds that a payment's provider_ref names.
bool is_intent_id(std::string_view ref) noexcept;
bool is_checkout_id(std::string_view ref) noexcept;

}  // namespace gateway::actors::stripe
