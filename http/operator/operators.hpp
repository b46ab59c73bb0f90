// The operator socket's routes for the operators of the console.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

/// Answers with the link by which the operator sets a password and a second factor.
boost::asio::awaitable<response> add_an_operator(call& c);
boost::asio::awaitable<response> list_operators(call& c);
/// Ends the operator's sessions on all nodes.
boost::asio::awaitable<response> remove_an_operator(call& c);
/// Ends the password, the second factor, and the sessions on all nodes. Answers with a new link.
boost::asio::awaitable<response> reset_an_operator(call& c);

}  // namespace gateway::http
