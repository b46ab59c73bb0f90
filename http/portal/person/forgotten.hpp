// The page for a forgotten password: it sends a link by mail, and the link leads to the page where a new password is
// chosen.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

boost::asio::awaitable<response> show_forgotten(call& c);
boost::asio::awaitable<response> act_on_forgotten(call& c);

}  // namespace gateway::http
