// The operator socket's routes for people.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

/// Adds the person, and answers with the link by which they set a password.
boost::asio::awaitable<response> invite(call& c);
/// For a person who has lost the second factor. Sessions continue, because the password is unchanged.
boost::asio::awaitable<response> reset_second_factor(call& c);

}  // namespace gateway::http
