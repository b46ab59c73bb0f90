// The operator socket's routes for mails.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

/// Newest first, without their content.
boost::asio::awaitable<response> list_mail(call& c);
/// Makes a failed or waiting mail due now.
boost::asio::awaitable<response> retry_a_mail(call& c);

}  // namespace gateway::http
