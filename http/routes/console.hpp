// The operators' console, on the operators' TCP listener: pages of what gatewayctl shows, and what an operator needs of
// its commands at night, carried out as gatewayctl's are.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/message.hpp"
#include "http/worker.hpp"

namespace gateway::http {

/// Whether this request is the console's: it is enabled, asked for, and asked for from this machine.
bool is_for_console(const worker& here, const request& in);
boost::asio::awaitable<response> handle_console(worker& here, request& in);

}  // namespace gateway::http
