// `{portal_url}/connections`: where platforms send people whose merchant must renew a connection.
#pragma once

#include "http/routes/table.hpp"

namespace gateway::http {

boost::asio::awaitable<response> show_errand(call& c);
boost::asio::awaitable<response> act_on_errand(call& c);

}  // namespace gateway::http
