// How subscriptions are billed: one invoice for each cycle, one payment intent for each invoice, several attempts at
// it. Each subscription has a clock of its own, which control moves on:
// https://docs.stripe.com/billing/testing/test-clocks
#pragma once

#include <string>
#include <string_view>

#include "operations.hpp"

namespace gateway::stripe_stand_in {

/// Its clock. Events of the subscription are created by it.
std::int64_t clock_of(const boost::json::object& subscription);
/// Its state has changed: what it tells of that.
void change_status(draft& in, boost::json::object& subscription, std::string_view status);
/// It bills no more.
void end_subscription(draft& in, boost::json::object& subscription);

/// The invoice of the cycle that has begun, in full, and not paid yet.
boost::json::object& new_invoice(draft& in, boost::json::object& subscription, std::string_view reason);
/// One attempt at it, by the subscription's card, which ends as wanted.
void attempt(draft& in, boost::json::object& subscription, boost::json::object& invoice, bool succeeds);

/// When the period with this number ends. The 0th ends when the subscription begins.
std::int64_t end_of_period(std::int64_t anchor, std::string_view interval, std::int64_t count, std::int64_t number);

/// What control wants to see next: `cycle_paid` and `cycle_failed` (the next attempt, and the clock goes there),
/// `update` (new metadata), `delete`. False if the subscription has ended. Throws std::invalid_argument.
bool move_subscription(draft& in, boost::json::object& subscription, std::string_view move);

}  // namespace gateway::stripe_stand_in
