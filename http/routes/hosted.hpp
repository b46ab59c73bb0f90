// The sandbox's hosted page, as browsers meet it.
#pragma once

#include "table.hpp"

namespace gateway::http {

boost::asio::awaitable<response> show_hosted_page(call& c);
boost::asio::awaitable<response> act_on_hosted_page(call& c);

}  // namespace gateway::http
