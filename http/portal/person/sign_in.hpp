// Signing in and out.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

/// Redirects from the portal's root address to the account or the sign-in page.
boost::asio::awaitable<response> enter_portal(call& c);
boost::asio::awaitable<response> show_sign_in(call& c);
boost::asio::awaitable<response> sign_in(call& c);
boost::asio::awaitable<response> sign_out(call& c);

}  // namespace gateway::http
