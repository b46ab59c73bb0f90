// The operator socket's routes for the ledger, which gatewayctl's reports and reconciliations use.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

/// Sums of one merchant, or of all, page by page.
boost::asio::awaitable<response> sum_ledger(call& c);
boost::asio::awaitable<response> list_ledger(call& c);

}  // namespace gateway::http
