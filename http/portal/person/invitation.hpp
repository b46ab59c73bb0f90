// The page where an invited person sets a password.
#pragma once

#include "http/call/serve.hpp"

namespace gateway::http {

boost::asio::awaitable<response> show_invitation(call& c);
boost::asio::awaitable<response> act_on_invitation(call& c);
/// The operator's command: adds the person, and makes the link.
boost::asio::awaitable<response> invite(call& c);

}  // namespace gateway::http
