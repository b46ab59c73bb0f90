// The operator socket's routes for payments, and for what the sandbox does to them.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

boost::asio::awaitable<response> list_payments_for_operator(call& c);
boost::asio::awaitable<response> show_payment_for_operator(call& c);
/// Asks the provider what the payment is there.
boost::asio::awaitable<response> refresh_payment(call& c);
/// Ends an operation, or a wait for the customer, whose outcome is unknown.
boost::asio::awaitable<response> settle_payment_outcome(call& c);
/// Records a refund that was made where the gateway cannot see it.
boost::asio::awaitable<response> record_outside_refund(call& c);
/// Makes the sandbox do something to the payment.
boost::asio::awaitable<response> act_on_sandbox_payment(call& c);

}  // namespace gateway::http
