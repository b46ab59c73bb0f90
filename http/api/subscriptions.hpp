// Subscriptions: for callers, for customers on the sandbox's page, and for operators.
#pragma once

#include "http/call/serve.hpp"

namespace gateway::http {

boost::asio::awaitable<response> open_subscription(call& c);
boost::asio::awaitable<response> show_subscription(call& c);
boost::asio::awaitable<response> cancel_subscription_at_once(call& c);

/// The page where a customer subscribes at the sandbox.
boost::asio::awaitable<response> show_subscription_page(call& c);
boost::asio::awaitable<response> act_on_subscription_page(call& c);

// For operators.
boost::asio::awaitable<response> list_subscriptions(call& c);
boost::asio::awaitable<response> show_subscription_for_operator(call& c);
/// Moves a subscription on the sandbox's side.
boost::asio::awaitable<response> move_sandbox_subscription(call& c);

}  // namespace gateway::http
