// The operator socket's routes for webhooks: destinations, deliveries, events.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

/// Checks the destination's URL before the command is sent to the directory.
boost::asio::awaitable<response> put_destination(call& c);
/// Checks the URL first, as put_destination() does.
boost::asio::awaitable<response> change_destination_address(call& c);
boost::asio::awaitable<response> list_destinations(call& c);
boost::asio::awaitable<response> list_deliveries(call& c);
boost::asio::awaitable<response> show_delivery(call& c);
boost::asio::awaitable<response> deliver_again(call& c);
boost::asio::awaitable<response> list_events(call& c);

}  // namespace gateway::http
