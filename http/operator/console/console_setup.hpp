// `/console/setup?token=`: the page where an operator sets a password and a second factor, by the link of `gatewayctl
// operator add` or `reset`. The link works once.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

boost::asio::awaitable<response> show_console_setup(call& c);
boost::asio::awaitable<response> set_up_on_console(call& c);

}  // namespace gateway::http
