// A payment's state at the sandbox. The sandbox stores nothing itself: the state is derived from the payment's method,
// from the gateway's operations, and from operators' commands to the sandbox (sandbox_act).
//
// Pure.
#pragma once

#include "gateway/domain/provider_truth.hpp"

namespace gateway {

/// The card whose capture is disputed, and the one whose refunds stay pending.
inline constexpr std::string_view disputed_card = "pm_card_createDispute", slow_refund_card = "pm_card_refundPending";

/// The prefix of the references of refunds that an operator made at the sandbox (sandbox_act_kind::refund_outside).
inline constexpr std::string_view sandbox_outside_refund = "re_outside_";

provider_truth sandbox_truth(const payment& p);

/// Whether this could happen to the payment at a provider now.
bool can_happen(const payment& p, const sandbox_act& act);

}  // namespace gateway
