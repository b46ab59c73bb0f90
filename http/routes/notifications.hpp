// What providers tell of their own accord: their posts, and what operators see of them.
#pragma once

#include "table.hpp"

namespace gateway::http {

/// From a provider. Its signature, over the bytes as they came, is all that it is known by. 200 once it is stored.
boost::asio::awaitable<response> take_notification(call& c);

/// Whether this is posted to an address at which a provider's notifications are taken. It is never limited by where it
/// comes from: a provider sends all of its notifications from few addresses.
bool is_notification(const services& shared, const request& in);

// For operators.
boost::asio::awaitable<response> list_notifications(call& c);
boost::asio::awaitable<response> replay_a_notification(call& c);

}  // namespace gateway::http
