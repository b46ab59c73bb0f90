// The page where an invited person sets a password.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

boost::asio::awaitable<response> show_invitation(call& c);
boost::asio::awaitable<response> act_on_invitation(call& c);

}  // namespace gateway::http
