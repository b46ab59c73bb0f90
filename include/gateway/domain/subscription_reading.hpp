// What a provider says of a subscription now, compared with the row: what notifications have not brought. The
// differences are notifications themselves, so that they have the same effect, and each counts once.
//
// Pure: time is an argument.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gateway/domain/subscription_machine.hpp"

namespace gateway {

/// Whether its provider can be asked about it. At a sandbox nothing gets lost.
bool can_be_read(const subscription& s) noexcept;

/// When the provider is asked without a cause: daily, and soon after a cycle ends. Nothing if it need not be.
std::optional<time_point> next_reading(const subscription& s, time_point now) noexcept;

/// The differences, oldest first. `unpaid_here`: the invoices that are paid at the provider, and whose payments here
/// are not; oldest first.
std::vector<subscription_notification> differences(const subscription& s, const subscription_statement& seen,
                                                   const std::vector<subscription_invoice>& unpaid_here,
                                                   time_point now);

/// Applies them as one change.
subscription_transition caught_up(const subscription& s, const std::vector<subscription_notification>& all,
                                  time_point now);

/// The id under which the payment of an invoice is counted, beside the notification's own id: what was read back is not
/// counted again when its notification arrives.
std::string counted_invoice(const subscription& s, std::string_view invoice_id);

}  // namespace gateway
