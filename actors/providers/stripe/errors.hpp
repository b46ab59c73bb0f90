// Stripe's errors in the gateway's terms: docs.stripe.com/error-codes and docs.stripe.com/declines/codes.
#pragma once

#include "amount.hpp"
#include "answers.hpp"
#include "gateway/domain/payment_machine.hpp"

namespace gateway::actors::stripe {

inline constexpr std::size_t most_message_bytes = 500;

/// Stripe's text for display: of limited length, and with blanks for control characters, which could move
/// a terminal's cursor.
std::string shown(std::string_view message);

provider_error error_of(const stripe_error& error);

provider_result declined(provider_error error, std::string ref = {});
/// The outcome is unknown. The provider must be asked again.
provider_result not_known(std::string message);
/// The same, and the provider itself has a fault (gateway/ports/provider.hpp).
provider_result not_answered();
/// Nothing was done, and the call may be repeated.
provider_result unavailable();
provider_result never_happened();
provider_result declined_before_sending(amount_fault why);

/// The result of a request whose reply is not a success. `earlier`: a request with the same key may have been sent
/// before; in that case only an answer that Stripe gives by the key is conclusive.
provider_result result_of_failure(const reply& received, bool earlier);
/// The same for a read of a payment: even a refusal does not show the payment's state.
provider_result result_of_failed_read(const reply& received);

}  // namespace gateway::actors::stripe
