// The page where a customer subscribes at the sandbox.
#pragma once

#include <string_view>

#include <boost/asio/awaitable.hpp>

#include "gateway/domain/ids.hpp"
#include "http/fwd.hpp"

namespace gateway::http {

boost::asio::awaitable<response> show_subscription_page(call& c);
boost::asio::awaitable<response> act_on_subscription_page(call& c);

/// The key of the sandbox's own record of a subscription, by the session of its checkout.
entity_key enrollment_of(const entity_key& subscription, std::string_view checkout_session_id);

}  // namespace gateway::http
