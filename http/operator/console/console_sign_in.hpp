// Signing in to the console and out of it: by name, password and a code of the second factor, in one form, so that an
// answer does not say which of them was wrong.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

boost::asio::awaitable<response> show_console_sign_in(call& c);
boost::asio::awaitable<response> sign_in_to_console(call& c);
boost::asio::awaitable<response> sign_out_of_console(call& c);

}  // namespace gateway::http
