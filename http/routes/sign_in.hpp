// Signing in and out.
#pragma once

#include "table.hpp"

namespace gateway::http {

boost::asio::awaitable<response> show_sign_in(call& c);
boost::asio::awaitable<response> sign_in(call& c);
boost::asio::awaitable<response> sign_out(call& c);

}  // namespace gateway::http
