#include "gateway/domain/payment_end.hpp"

#include <algorithm>

#include "gateway/domain/cycle_payment.hpp"

namespace gateway {

namespace {

/// Its provider may still collect the invoice at any time.
bool may_be_collected(const payment& p) {
  return p.state == payment_state::failed && !p.provider_ref.empty() &&
         p.key.id == cycle_payment_id(p.provider_ref).value;
}

}  // namespace

bool has_ended(const payment& p) {
  const auto is_settled = [](const refund& r) { return r.status != refund_status::pending; };
  const auto has_closed = [](const dispute& d) { return is_closed(d.status); };
  return is_end_state(p.state) && !may_be_collected(p) && !p.open && !p.due_at &&
         std::ranges::all_of(p.records.refunds, is_settled) && std::ranges::all_of(p.records.disputes, has_closed);
}

}  // namespace gateway
