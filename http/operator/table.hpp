// The operator socket, which gatewayctl uses. The file mode of the socket is its access control.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

/// The routes of the operator socket (`/operator/…`, /metrics, /healthz, /readyz).
boost::asio::awaitable<response> handle_operator(worker& here, request& in);

}  // namespace gateway::http
