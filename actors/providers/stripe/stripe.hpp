// Stripe, reached over HTTPS: PaymentIntents, hosted Checkout Sessions and Subscriptions, with the platform's key on
// behalf of connected accounts, and those accounts themselves. The files beside this one: amounts, forms, requests,
// answers, billing (the answers about subscriptions), errors, what an answer comes to, one dialogue for each thing that
// is asked, notifications and what they are about, settings.
#pragma once

#include <memory>

#include "gateway/provider_adapter.hpp"

namespace gateway::actors {

/// `where`: customers who have acted at Stripe and whose payment names no page of its own come back to
/// `base_url`/checkout/returned, a page of the gateway.
std::unique_ptr<const provider_adapter> make_stripe_adapter(gateway_addresses where);

}  // namespace gateway::actors
