// The operator socket's routes for platforms' customers.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

boost::asio::awaitable<response> list_customers(call& c);

}  // namespace gateway::http
