// The operator socket's routes about the ledger: what gatewayctl's reports and reconciliations are made of.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "table.hpp"

namespace gateway::http {

/// Of a merchant, or of all, some at a time.
boost::asio::awaitable<response> sum_ledger(call& c);
boost::asio::awaitable<response> list_ledger(call& c);

}  // namespace gateway::http
