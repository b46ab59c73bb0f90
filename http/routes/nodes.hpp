// The operator socket's routes about the nodes that share the database.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "table.hpp"

namespace gateway::http {

/// Of a gateway that serves alone there are none.
boost::asio::awaitable<response> show_nodes(call& c);
/// Whichever node is asked: the one that is named sees the wish in the database.
boost::asio::awaitable<response> drain_a_node(call& c);

}  // namespace gateway::http
