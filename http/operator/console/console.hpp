// The operators' console, on the operators' TCP listener. Its pages show what gatewayctl shows, and execute those of
// its commands that an operator needs at night, in the same way as gatewayctl's.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/call/ask.hpp"
#include "http/message.hpp"

namespace gateway::http {

/// Whether the request is for the console: the console is enabled, the path is its own, and the request comes from this
/// machine.
bool is_for_console(const worker& here, const request& in);
boost::asio::awaitable<response> handle_console(worker& here, request& in);

}  // namespace gateway::http
