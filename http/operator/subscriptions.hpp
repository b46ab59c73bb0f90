// The operator socket's routes for subscriptions.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

boost::asio::awaitable<response> list_subscriptions(call& c);
boost::asio::awaitable<response> show_subscription_for_operator(call& c);
/// Moves a subscription on the sandbox's side.
boost::asio::awaitable<response> move_sandbox_subscription(call& c);

}  // namespace gateway::http
