// How subscriptions are billed: one invoice for each cycle, one payment intent for each invoice, several attempts at
// it. Each subscription has its own clock, which control advances: https://docs.stripe.com/billing/testing/test-clocks
#pragma once

#include <string>
#include <string_view>

#include "operations.hpp"

namespace gateway::stripe_stand_in {

/// The subscription's clock, which dates its events.
std::int64_t clock_of(const boost::json::object& subscription);
/// Changes its status and publishes the events of that.
void change_status(draft& in, boost::json::object& subscription, std::string_view status);
/// Ends it: it bills no more.
void end_subscription(draft& in, boost::json::object& subscription);

/// The invoice of a trial, which is zero and so paid at once, without a payment:
/// https://docs.stripe.com/billing/subscriptions/trials
void bill_trial(draft& in, boost::json::object& subscription);
/// The invoice of the cycle that has begun, in full and unpaid.
boost::json::object& new_invoice(draft& in, boost::json::object& subscription, std::string_view reason);
enum class attempt_result : unsigned char { paid, declined, needs_customer };

/// One attempt to collect the invoice by the subscription's card, with the given outcome.
void attempt(draft& in, boost::json::object& subscription, boost::json::object& invoice, attempt_result result);

/// When the period with this number ends. The 0th ends when the subscription begins.
std::int64_t end_of_period(std::int64_t anchor, std::string_view interval, std::int64_t count, std::int64_t number);

/// The moves of control: `cycle_paid`, `cycle_failed` and `cycle_action` (the next attempt, to which the clock
/// advances; the last needs the customer), `credit` (of an unpaid invoice, by `amount`), `prorate` (the next invoice,
/// by `amount`), `update` (new metadata), `delete`. False if the subscription has ended. Throws std::invalid_argument.
bool move_subscription(draft& in, boost::json::object& subscription, std::string_view move, std::int64_t amount);

}  // namespace gateway::stripe_stand_in
