// The operator socket's routes for providers' lists of events and for the endpoint of their notifications.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

/// Asks the provider how the gateway's address is registered, and answers what is wrong with that.
boost::asio::awaitable<response> check_provider(call& c);
/// Makes or corrects the endpoint, and stores a new endpoint's secret in the provider's settings.
boost::asio::awaitable<response> register_notifications(call& c);
/// Reads the provider's list of events now. If that takes long, the answer says so, and reading continues.
boost::asio::awaitable<response> backfill_provider_events(call& c);

}  // namespace gateway::http
