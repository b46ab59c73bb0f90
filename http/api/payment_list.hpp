// GET /v1/payment_intents: the payments of a merchant.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

boost::asio::awaitable<response> list_payment_intents(call& c);

}  // namespace gateway::http
