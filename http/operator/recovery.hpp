// The operator socket's routes for recovering a database that is older than answers the gateway has sent. gatewayctl
// calls them in order, and calls each again until the answer has no `next`. Each is safe to repeat.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

/// Records the start of a recovery in the audit log. Answers whether a recovery is required, and which providers keep a
/// list of events; gatewayctl then has those lists read.
boost::asio::awaitable<response> begin_recovery(call& c);
/// Asks the providers about a part of the payments, and answers where the next part begins.
boost::asio::awaitable<response> recover_payments(call& c);
/// Compares a part of the sandbox's ledger with the payments, and answers which payments are missing.
boost::asio::awaitable<response> compare_sandbox_ledger(call& c);
/// Accepts the database as it is: once this is answered, the gateway takes writes again.
boost::asio::awaitable<response> finish_recovery(call& c);

}  // namespace gateway::http
