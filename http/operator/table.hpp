// The operator socket, which gatewayctl uses. The socket's file mode is its authentication.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

/// The routes of the operator socket (`/operator/…`, /metrics, /healthz, /readyz).
boost::asio::awaitable<response> handle_operator(worker& here, request& in);

}  // namespace gateway::http
