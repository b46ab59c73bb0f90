// The operator socket's route for `gatewayctl compliance`.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

/// The facts of this installation that an audit needs: settings, master keys, operators. Contains no secret. Reads
/// every sealed text, to count those under each key.
boost::asio::awaitable<response> show_compliance_facts(call& c);

}  // namespace gateway::http
