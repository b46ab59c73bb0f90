#include "gateway/domain/daily_total.hpp"

namespace gateway {

std::vector<daily_total> totals_of(const payment* before, const payment& after, const std::vector<movement>& moved) {
  std::vector<daily_total> totals;
  const auto day = std::chrono::floor<std::chrono::days>(after.updated_at);
  const auto add = [&](daily_counter what, std::int64_t minor, std::int64_t count = 1) {
    totals.push_back({day, what, count, money{count * minor, after.amount.unit}});
  };
  const auto was = before ? before->state : payment_state::created;
  if (detail::was_approved(after.state) && !detail::was_approved(was))
    add(daily_counter::authorized, after.amount.minor);
  for (const auto& each : moved)
    if (const auto what = counter_of(each.what))
      add(*what, each.minor, each.what == ledger_kind::refund_failed ? -1 : 1);
  return totals;
}

std::vector<daily_total> totals_of(const payment* before, const payment& after) {
  return totals_of(before, after, movements_of(before, after));
}

}  // namespace gateway
