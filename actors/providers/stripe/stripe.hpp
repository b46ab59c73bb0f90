// Stripe, reached over HTTPS: PaymentIntents, hosted Checkout Sessions and Subscriptions, with the platform's key on
// behalf of connected accounts, and those accounts themselves. README.md beside it lists the files.
#pragma once

#include <memory>

#include "gateway/ports/provider_adapter.hpp"

namespace gateway::actors {

/// `where`: the gateway's addresses. Customers who have acted at Stripe, and whose payment has no return page, are sent
/// to `base_url`/checkout/returned, a page of the gateway.
std::unique_ptr<const provider_adapter> make_stripe_adapter(gateway_addresses where);

}  // namespace gateway::actors
