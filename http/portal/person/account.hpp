// `{portal_url}/account`: a person's own account.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

boost::asio::awaitable<response> show_account(call& c);
boost::asio::awaitable<response> act_on_account(call& c);

}  // namespace gateway::http
