#include "gateway/domain/payment_end.hpp"

#include <algorithm>

namespace gateway {

bool has_ended(const payment& p) noexcept {
  const auto is_settled = [](const refund& r) { return r.status != refund_status::pending; };
  const auto has_closed = [](const dispute& d) { return is_closed(d.status); };
  return is_end_state(p.state) && !p.open && !p.due_at && std::ranges::all_of(p.records.refunds, is_settled) &&
         std::ranges::all_of(p.records.disputes, has_closed);
}

}  // namespace gateway
