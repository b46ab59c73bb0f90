// Whether a payment has ended: its row no longer changes by itself, and may be purged once it is old enough.
#pragma once

#include "gateway/domain/payment.hpp"

namespace gateway {

/// The states in which a payment may have ended. In the others it waits for its customer, its merchant or its provider.
constexpr bool is_end_state(payment_state s) noexcept {
  switch (s) {
    case payment_state::captured:
    case payment_state::partially_refunded:
    case payment_state::refunded:
    case payment_state::failed:
    case payment_state::voided: return true;
    case payment_state::created:
    case payment_state::processing:
    case payment_state::authorized: break;
  }
  return false;
}

/// Whether the payment has ended, including its refunds and disputes. It has not while an operation is open, a question
/// to the provider is due, a refund is pending, or a dispute is not closed. The failed payment of a subscription's
/// cycle never counts as ended.
bool has_ended(const payment& p);

}  // namespace gateway
