// The operator socket's routes about what providers tell: their lists of events, and the endpoint for notifications.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

/// Asks the provider how the gateway's address is registered, and says what is wrong with it.
boost::asio::awaitable<response> check_provider(call& c);
/// Makes the endpoint if there is none, and stores its secret in the provider's settings.
boost::asio::awaitable<response> register_notifications(call& c);
/// Reads the provider's list of events now. If that takes long, the answer says so, and the reading goes on.
boost::asio::awaitable<response> backfill_provider_events(call& c);

}  // namespace gateway::http
