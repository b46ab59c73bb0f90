// The two addresses at which a merchant's owner returns from opening an account at a provider over HTTPS.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

/// The return after anything that the owner did at the provider.
boost::asio::awaitable<response> return_from_onboarding(call& c);
/// The return if the provider's link is used or expired. Redirects a signed-in owner to the provider with a new link.
boost::asio::awaitable<response> repeat_onboarding(call& c);

}  // namespace gateway::http
