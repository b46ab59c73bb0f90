// `/console/operators`: admins add, reset and remove operators.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

boost::asio::awaitable<response> show_operators(call& c);
boost::asio::awaitable<response> act_on_operators(call& c);

}  // namespace gateway::http
