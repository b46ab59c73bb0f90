// The operator socket's routes for grants.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

boost::asio::awaitable<response> list_grants(call& c);
boost::asio::awaitable<response> revoke_grant_for_operator(call& c);

}  // namespace gateway::http
