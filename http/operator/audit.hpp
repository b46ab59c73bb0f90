// gatewayctl's requests about the audit log: its entries, and the check of its chains.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"
#include "http/message.hpp"

namespace gateway::http {

boost::asio::awaitable<response> list_audit(call& c);
/// Verifies one part of a chain, so that no answer takes long. `next` in the answer is the body of the next request.
boost::asio::awaitable<response> verify_audit(call& c);
/// Compares an entry with its line in the process log.
boost::asio::awaitable<response> compare_audit_head(call& c);

}  // namespace gateway::http
