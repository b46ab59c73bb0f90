// An owner's changes to one destination: its URL, its name, its failed deliveries, and its deletion.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "gateway/domain/webhook.hpp"
#include "http/fwd.hpp"

namespace gateway::http {

/// The new URL is in the form's field `url`.
boost::asio::awaitable<response> change_url_here(call& c, destination subject);
/// The new name is in the form's field `name`.
boost::asio::awaitable<response> rename_here(call& c, destination subject);
/// Asks for confirmation first.
boost::asio::awaitable<response> delete_here(call& c, destination subject);
/// Sends all failed deliveries again.
boost::asio::awaitable<response> redeliver_failed_here(call& c, destination subject);

}  // namespace gateway::http
