// The operator socket's routes for mails.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

/// Newest first, without what the mails say.
boost::asio::awaitable<response> list_mail(call& c);
/// Makes a mail due that failed, or that waits for its next attempt.
boost::asio::awaitable<response> retry_a_mail(call& c);

}  // namespace gateway::http
