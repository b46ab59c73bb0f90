// The page where a merchant who cannot charge yet connects a provider, and the sandbox's onboarding page.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

boost::asio::awaitable<response> show_setup(call& c);
boost::asio::awaitable<response> act_on_setup(call& c);
/// The sandbox's page, `/sandbox/onboarding/{link}`.
boost::asio::awaitable<response> show_onboarding(call& c);
boost::asio::awaitable<response> act_on_onboarding(call& c);

}  // namespace gateway::http
