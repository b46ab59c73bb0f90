// /v1/payment_intents, and charges of saved methods by platforms.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

boost::asio::awaitable<response> create_payment_intent(call& c);
boost::asio::awaitable<response> capture_payment_intent(call& c);
boost::asio::awaitable<response> refund_payment_intent(call& c);
boost::asio::awaitable<response> void_payment_intent(call& c);
boost::asio::awaitable<response> cancel_payment_intent(call& c);
boost::asio::awaitable<response> show_payment_intent(call& c);
boost::asio::awaitable<response> show_timeline(call& c);
boost::asio::awaitable<response> show_refunds(call& c);
/// For platforms in live only, because only they have customers.
boost::asio::awaitable<response> charge_saved_method(call& c);

}  // namespace gateway::http
