// Redeems the setup link that merchant_not_charge_capable carries.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

boost::asio::awaitable<response> exchange_setup_token(call& c);

}  // namespace gateway::http
