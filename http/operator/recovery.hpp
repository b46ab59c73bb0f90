// The operator socket's routes for the recovery of a database that is older than what the gateway has answered.
// gatewayctl asks them one after the other, as often as they say that there is more. Each may be repeated.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

/// Writes on the audit log that a recovery begins. Answers whether one is required, and which providers keep a list of
/// events, which gatewayctl then has read.
boost::asio::awaitable<response> begin_recovery(call& c);
/// Asks the providers about some of the payments that are not settled, and answers where the next ones begin.
boost::asio::awaitable<response> recover_payments(call& c);
/// Compares a part of the sandbox's ledger with the payments, and answers which of them are missing.
boost::asio::awaitable<response> compare_sandbox_ledger(call& c);
/// Accepts the database as it is now: writes are taken from the answer on.
boost::asio::awaitable<response> finish_recovery(call& c);

}  // namespace gateway::http
