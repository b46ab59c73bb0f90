// Compares a subscription's present state at its provider with the row, to find changes whose notifications were lost.
// The differences are notifications themselves, so that they have the same effect, and each counts once.
//
// Pure: time is an argument.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gateway/domain/subscription_machine.hpp"

namespace gateway {

/// Whether its provider can be asked about it. A sandbox is not asked, because none of its notifications get lost.
bool can_be_read(const subscription& s) noexcept;

/// The next scheduled question to the provider: daily, and soon after a cycle ends; nullopt: none.
std::optional<time_point> next_reading(const subscription& s, time_point now) noexcept;

/// The differences, oldest first. `unpaid_here`: the invoices that are paid at the provider but whose payments here are
/// not; oldest first.
std::vector<subscription_notification> differences(const subscription& s, const subscription_statement& seen,
                                                   const std::vector<subscription_invoice>& unpaid_here,
                                                   time_point now);

/// Applies all differences as one change.
subscription_transition caught_up(const subscription& s, const std::vector<subscription_notification>& all,
                                  time_point now);

/// The id under which the payment of an invoice is counted, in addition to the notification's own id. So an invoice
/// that was read from the provider is not counted again when its notification arrives.
std::string counted_invoice(const subscription& s, std::string_view invoice_id);

}  // namespace gateway
