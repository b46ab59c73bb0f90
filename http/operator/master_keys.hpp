// The operator socket's routes for the master keys.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

/// Every key that is not retired, oldest first, with the number of texts sealed under it. Reads every sealed text.
boost::asio::awaitable<response> show_master_keys(call& c);
/// Makes a new key current on every live node before it answers.
boost::asio::awaitable<response> rotate_master_key(call& c);
boost::asio::awaitable<response> retire_a_master_key(call& c);

}  // namespace gateway::http
