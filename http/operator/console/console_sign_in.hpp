// Signing in to the console and out of it. Name, password and a code of the second factor are in one form, so that an
// answer does not show which of them was wrong.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

boost::asio::awaitable<response> show_console_sign_in(call& c);
boost::asio::awaitable<response> sign_in_to_console(call& c);
boost::asio::awaitable<response> sign_out_of_console(call& c);

}  // namespace gateway::http
