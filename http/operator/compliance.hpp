// The operator socket's route for `gatewayctl compliance`.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

/// What this installation has set up, as far as an audit asks for it: settings, master keys, operators. No secret.
/// Reads every sealed text, to count those under each key.
boost::asio::awaitable<response> show_compliance_facts(call& c);

}  // namespace gateway::http
