// The operator socket's lists of merchants, and of what belongs to one.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

/// Newest first. `search` is part of the name or of the owner's e-mail address.
boost::asio::awaitable<response> list_merchants(call& c);
/// One merchant with its keys, routes, connections, destinations and users.
boost::asio::awaitable<response> show_merchant(call& c);
/// The keys of a merchant or a platform, including revoked ones.
boost::asio::awaitable<response> list_keys(call& c);
boost::asio::awaitable<response> list_routes(call& c);
boost::asio::awaitable<response> list_connections(call& c);
boost::asio::awaitable<response> list_users(call& c);

}  // namespace gateway::http
