// /v1/disputes: the disputes of a merchant's payments.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

boost::asio::awaitable<response> list_disputes(call& c);
boost::asio::awaitable<response> show_dispute(call& c);

}  // namespace gateway::http
