// Liveness, readiness, the listening address, and metrics.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

boost::asio::awaitable<response> show_health(call& c);
boost::asio::awaitable<response> show_readiness(call& c);
boost::asio::awaitable<response> show_address(call& c);
boost::asio::awaitable<response> show_metrics(call& c);

}  // namespace gateway::http
