// /v1/events: the events of a merchant, or of those that granted a platform access, as a log.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

boost::asio::awaitable<response> read_event_log(call& c);
boost::asio::awaitable<response> show_logged_event(call& c);

}  // namespace gateway::http
