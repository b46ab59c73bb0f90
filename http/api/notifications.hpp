// Receives providers' notifications.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

/// Takes a provider's notification. Only its signature, over the bytes as received, authenticates it. 200 once it is
/// stored.
boost::asio::awaitable<response> take_notification(call& c);

/// Whether the request is posted to a notification address. Such requests are exempt from the limit per address,
/// because a provider sends all of its notifications from few addresses.
bool is_notification(const services& shared, const request& in);

}  // namespace gateway::http
