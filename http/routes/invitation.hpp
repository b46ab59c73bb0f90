// The page where an invited person sets a password.
#pragma once

#include "table.hpp"

namespace gateway::http {

boost::asio::awaitable<response> show_invitation(call& c);
boost::asio::awaitable<response> accept_invited(call& c);
/// The operator's command: adds the person, and makes the link.
boost::asio::awaitable<response> invite(call& c);

}  // namespace gateway::http
