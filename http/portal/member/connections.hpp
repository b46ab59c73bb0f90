// `{portal_url}/connections`: where platforms send people whose merchant must renew a connection.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

boost::asio::awaitable<response> show_renewal(call& c);
boost::asio::awaitable<response> act_on_renewal(call& c);

}  // namespace gateway::http
