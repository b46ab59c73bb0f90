// What happens to a payment without a request of the gateway: in Stripe's dashboard, at the cardholder's bank, by time.
#pragma once

#include "operations.hpp"

namespace gateway::stripe_stand_in {

/// The object that `wanted` names as `payment_intent`, `refund` or `dispute`. Throws std::invalid_argument.
const boost::json::object& subject_of_act(const store& all, const boost::json::object& wanted);

/// Does `act` to that object. Returns the object that it has made or changed. Throws std::invalid_argument if Stripe
/// could not do that now.
///
///   payment_intent  capture (amount), cancel, expire, pay (after a failed attempt; `capture`: captured at once),
///                   refund (amount, status, reason), dispute (amount, status, reason)
///   refund          succeed, fail (failure_reason)
///   dispute         respond, escalate, win, lose, close
///
/// Without an amount: all that there is.
const boost::json::object& act(draft& in, const boost::json::object& wanted);

}  // namespace gateway::stripe_stand_in
