// What goes wrong at Stripe, in the gateway's words: docs.stripe.com/error-codes and docs.stripe.com/declines/codes.
#pragma once

#include "gateway/domain/payment_machine.hpp"
#include "stripe_amount.hpp"
#include "stripe_answers.hpp"

namespace gateway::actors::stripe {

inline constexpr std::size_t most_message_bytes = 500;

/// What Stripe says, as it is shown to people: bounded, and without what moves a terminal's cursor.
std::string shown(std::string_view said);

provider_error error_of(const stripe_error& said);

provider_result declined(provider_error error, std::string ref = {});
/// It is to be asked again.
provider_result not_known(std::string message);
/// The same, and the provider itself is in trouble (gateway/provider.hpp).
provider_result not_answered();
/// Nothing was done, and may be wanted again.
provider_result unavailable();
provider_result never_happened();
provider_result declined_before_sending(amount_fault why);

/// What a reply that is no success makes of the request. `earlier`: another one of the same key may have gone out
/// before, of which only an answer tells that Stripe gives by its key.
provider_result result_of_failure(const reply& heard, bool earlier);

}  // namespace gateway::actors::stripe
