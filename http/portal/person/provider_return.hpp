// The two addresses to which a merchant's owner returns from a provider over HTTPS after opening an account there.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

/// Returns here whatever the owner did at the provider.
boost::asio::awaitable<response> return_from_onboarding(call& c);
/// The provider's link is used or expired: sends an authorised person back to the provider with a fresh one.
boost::asio::awaitable<response> repeat_onboarding(call& c);

}  // namespace gateway::http
