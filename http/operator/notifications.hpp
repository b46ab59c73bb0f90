// The operator socket's routes for providers' notifications.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

boost::asio::awaitable<response> list_notifications(call& c);
boost::asio::awaitable<response> replay_a_notification(call& c);

}  // namespace gateway::http
