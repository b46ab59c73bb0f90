// What the sandbox says of a payment. It keeps nothing of its own: it answers from the payment's method, from what the
// gateway has had it do, and from what an operator had it do as if that had happened there (sandbox_act).
//
// Pure.
#pragma once

#include "gateway/domain/provider_truth.hpp"

namespace gateway {

/// The card whose capture is disputed, and the one whose refunds stay pending.
inline constexpr std::string_view disputed_card = "pm_card_createDispute", slow_refund_card = "pm_card_refundPending";

/// How the references begin of refunds that an operator made at the sandbox (sandbox_act_kind::refund_outside).
inline constexpr std::string_view sandbox_outside_refund = "re_outside_";

provider_truth sandbox_truth(const payment& p);

/// Whether a provider could do this to the payment now.
bool can_happen(const payment& p, const sandbox_act& act);

}  // namespace gateway
