// The operator socket's routes for the nodes that share the database.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

/// The list is empty without a cluster.
boost::asio::awaitable<response> show_nodes(call& c);
/// Any node accepts this: the named node reads the request from the database.
boost::asio::awaitable<response> drain_a_node(call& c);

}  // namespace gateway::http
