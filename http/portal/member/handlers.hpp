// The handlers of a merchant's pages. Each runs with a visit (http/portal/as_member.hpp).
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

/// Redirects to the overview's address, which ends with a slash.
boost::asio::awaitable<response> go_to_overview(call& c);
boost::asio::awaitable<response> show_overview(call& c);
boost::asio::awaitable<response> show_payments(call& c);
boost::asio::awaitable<response> show_payments_csv(call& c);
boost::asio::awaitable<response> show_payment(call& c);
boost::asio::awaitable<response> act_on_payment(call& c);
boost::asio::awaitable<response> show_disputes(call& c);
boost::asio::awaitable<response> show_subscriptions(call& c);
boost::asio::awaitable<response> show_subscription_of_merchant(call& c);
boost::asio::awaitable<response> act_on_subscription(call& c);
boost::asio::awaitable<response> show_customers(call& c);
boost::asio::awaitable<response> show_customer_of_merchant(call& c);
boost::asio::awaitable<response> show_keys(call& c);
boost::asio::awaitable<response> act_on_keys(call& c);
boost::asio::awaitable<response> show_destinations(call& c);
boost::asio::awaitable<response> act_on_destinations(call& c);
boost::asio::awaitable<response> show_destination(call& c);
boost::asio::awaitable<response> act_on_destination(call& c);
boost::asio::awaitable<response> show_delivery_of_member(call& c);
boost::asio::awaitable<response> act_on_delivery(call& c);
boost::asio::awaitable<response> show_connections(call& c);
boost::asio::awaitable<response> act_on_connections(call& c);
boost::asio::awaitable<response> show_platforms(call& c);
boost::asio::awaitable<response> act_on_platforms(call& c);
boost::asio::awaitable<response> show_team(call& c);
boost::asio::awaitable<response> act_on_team(call& c);
boost::asio::awaitable<response> show_branding(call& c);
boost::asio::awaitable<response> act_on_branding(call& c);
/// For owners only.
boost::asio::awaitable<response> show_audit(call& c);

}  // namespace gateway::http
