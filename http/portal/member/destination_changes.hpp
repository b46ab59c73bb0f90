// What an owner does to one destination: to its URL, its name, its failed deliveries, and its existence.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "gateway/domain/webhook.hpp"
#include "http/fwd.hpp"

namespace gateway::http {

/// The form's field: `url`.
boost::asio::awaitable<response> change_url_here(call& c, destination subject);
/// The form's field: `name`.
boost::asio::awaitable<response> rename_here(call& c, destination subject);
/// Asks first.
boost::asio::awaitable<response> delete_here(call& c, destination subject);
/// Sends all failed deliveries again.
boost::asio::awaitable<response> redeliver_failed_here(call& c, destination subject);

}  // namespace gateway::http
