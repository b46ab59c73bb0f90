// The provider as the payment actors see it.
#pragma once

#include <optional>
#include <string>

#include "gateway/domain/payment.hpp"
#include "gateway/domain/payment_machine.hpp"

namespace gateway {

/// One call. The same provider_key always means the same effect: a provider that has it executed
/// already answers what it answered then.
struct provider_call {
  std::string provider_key;  ///< the idempotency key towards the provider, derived from the command
  operation what = operation::create;
  bool asked_again = false;  ///< an earlier call with this key got no answer, or its answer was lost
  std::int64_t amount = 0;   ///< minor units, of this operation
  payment subject;           ///< as claimed
  std::string customer_key;  ///< where the provider must make the customer first: the idempotency key of that
  bool by_sdk = false;       ///< a customer who must act does so by the provider's SDK, not on a hosted page
  time_point begun_at{};     ///< of the operation, also when it is asked again
};

}  // namespace gateway
