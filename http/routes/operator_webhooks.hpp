// The operator socket's routes about webhooks: destinations, deliveries, events.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "table.hpp"

namespace gateway::http {

/// The one command that is looked at before the directory is asked: its URL is.
boost::asio::awaitable<response> put_destination(call& c);
boost::asio::awaitable<response> list_destinations(call& c);
boost::asio::awaitable<response> list_deliveries(call& c);
boost::asio::awaitable<response> show_delivery(call& c);
boost::asio::awaitable<response> deliver_again(call& c);
boost::asio::awaitable<response> list_events(call& c);

}  // namespace gateway::http
