// The operator socket's routes for the operators of the console.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

/// Answers with the link by which the operator sets a password and a second factor.
boost::asio::awaitable<response> add_an_operator(call& c);
boost::asio::awaitable<response> list_operators(call& c);
/// Also ends the operator's sessions on all nodes.
boost::asio::awaitable<response> remove_an_operator(call& c);
/// Removes the password and the second factor, and ends the sessions on all nodes. Answers with a new link.
boost::asio::awaitable<response> reset_an_operator(call& c);

}  // namespace gateway::http
