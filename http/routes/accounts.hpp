// The two addresses to which a merchant's owner returns from a provider over HTTPS after opening an account there.
#pragma once

#include "table.hpp"

namespace gateway::http {

/// Returns here whatever the owner did at the provider.
boost::asio::awaitable<response> come_back_from_provider(call& c);
/// The provider's link is used or expired: sends an authorised person back to the provider with a fresh one.
boost::asio::awaitable<response> go_to_provider_again(call& c);

}  // namespace gateway::http
