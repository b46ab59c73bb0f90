// Where a merchant who cannot charge yet connects a provider, and the sandbox's own page in between.
#pragma once

#include <optional>

#include "setup_link.hpp"
#include "table.hpp"

namespace gateway::http {

/// What the browser's cookie says, which it has once a setup link was spent. Whether it is still bound to the
/// merchant's owner, is_still_bound() tells.
std::optional<setup_token> setup_session_of(const call& c);

boost::asio::awaitable<response> show_setup(call& c);
boost::asio::awaitable<response> act_on_setup(call& c);
/// `/sandbox/onboarding/{link}`.
boost::asio::awaitable<response> show_onboarding(call& c);
boost::asio::awaitable<response> act_on_onboarding(call& c);

}  // namespace gateway::http
