// The operator socket's routes for payments, including changes on the sandbox's side.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

boost::asio::awaitable<response> list_payments_for_operator(call& c);
boost::asio::awaitable<response> show_payment_for_operator(call& c);
/// Asks the provider for the payment's state there.
boost::asio::awaitable<response> refresh_payment(call& c);
/// Sets the result of an operation, or of a wait for the customer, whose outcome is unknown.
boost::asio::awaitable<response> settle_payment_outcome(call& c);
/// Records a refund that was made where the gateway cannot see it.
boost::asio::awaitable<response> record_outside_refund(call& c);
/// Changes the payment on the sandbox's side.
boost::asio::awaitable<response> act_on_sandbox_payment(call& c);

}  // namespace gateway::http
