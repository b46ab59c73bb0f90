#include "gateway/domain/ledger.hpp"

#include <utility>

namespace gateway {

std::vector<movement> movements_of(const payment* before, const payment& after) {
  std::vector<movement> found;
  if (const auto more = after.captured - (before ? before->captured : 0); more > 0)
    found.push_back({ledger_kind::captured, more});
  if (const auto more = after.refunded - (before ? before->refunded : 0); more > 0)
    found.push_back({ledger_kind::refunded, more});
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
