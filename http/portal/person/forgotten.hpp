// The page for a forgotten password. It sends a link by mail, which leads to the page where a new password is set.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

boost::asio::awaitable<response> show_forgotten(call& c);
boost::asio::awaitable<response> act_on_forgotten(call& c);

}  // namespace gateway::http
