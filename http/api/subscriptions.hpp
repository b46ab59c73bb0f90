// Subscriptions. Only platforms have them, and in live only.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

boost::asio::awaitable<response> open_subscription(call& c);
boost::asio::awaitable<response> list_platform_subscriptions(call& c);
boost::asio::awaitable<response> show_subscription(call& c);
boost::asio::awaitable<response> cancel_subscription_at_once(call& c);

}  // namespace gateway::http
