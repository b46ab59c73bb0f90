#include "gateway/domain/ledger.hpp"

#include <utility>

namespace gateway {

std::vector<movement> movements_of(const payment* before, const payment& after) {
  std::vector<movement> found;
  const auto add = [&](std::int64_t more, ledger_kind up, ledger_kind down) {
    if (more != 0) found.push_back({more > 0 ? up : down, more > 0 ? more : -more});
  };
  if (const auto more = after.captured - (before ? before->captured : 0); more > 0)
    found.push_back({ledger_kind::captured, more});
  add(after.refunded - (before ? before->refunded : 0), ledger_kind::refunded, ledger_kind::refund_failed);
  if (!after.records.disputes.empty()) {
    const auto lost = [](const payment& p) { return sum_of(p.records.disputes, is_lost); };
    const auto taken = [&](const payment& p) { return sum_of(p.records.disputes, is_open) + lost(p); };
    add(taken(after) - (before ? taken(*before) : 0), ledger_kind::dispute_opened, ledger_kind::dispute_won);
    if (const auto more = lost(after) - (before ? lost(*before) : 0); more > 0)
      found.push_back({ledger_kind::dispute_lost, more});
  }
  if (after.state == payment_state::failed && !(before && before->state == payment_state::failed))
    found.push_back({ledger_kind::failed, after.amount.minor});
  return found;
}

ledger_entry entry_of(const movement& moved, const payment& after, std::string movement_ref) {
  return {after.key,
          after.next_seq - 1,
          after.updated_at,
          moved.what,
          {moved.minor, after.amount.unit},
          accounts_of(moved, has_own_account(after)),
          after.provider,
          after.account,
          after.provider_ref,
          std::move(movement_ref)};
}

}  // namespace gateway
