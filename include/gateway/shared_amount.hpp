// How tenants share an amount of something that is limited: slots, workers, threads, bytes. A tenant may take more
// while what it holds then is no more than what is left for the others: alone it holds half of the amount at most, and
// the more tenants want some, the less each may hold. So some is left for the next tenant, although nothing waits for
// it. docs/decisions/0021 says what follows from that.
// Pure. Concurrency: the owner's, which locks where several threads ask.
#pragma once

#include <cstddef>

namespace gateway {

/// What one tenant holds of an amount.
struct amount_share {
  std::size_t held = 0;
  std::size_t beyond = 0;  ///< of this, how much counts for the tenant only
};

class shared_amount {
 public:
  explicit shared_amount(std::size_t most) noexcept : free_(most) {}

  bool permits(const amount_share& by, std::size_t more = 1) const noexcept {
    // As if it were taken one by one: before the last of it, what is held is still less than what is free.
    return more == 0 || by.held + 2 * more <= free_ + 1;
  }

  /// For what permits() has let through.
  void take(amount_share& by, std::size_t more = 1) noexcept {
    by.held += more;
    free_ -= more;
  }
  /// For what must have it all the same. Where the tenant may take none, it counts for that tenant only.
  void occupy(amount_share& by, std::size_t more = 1) noexcept {
    if (permits(by, more)) return take(by, more);
    by.held += more;
    by.beyond += more;
  }
  /// It does not matter which of the tenant's holdings has ended: what is beyond its share ends first.
  void give_back(amount_share& by, std::size_t less = 1) noexcept {
    by.held -= less;
    const auto of_its_own = less < by.beyond ? less : by.beyond;
    by.beyond -= of_its_own;
    free_ += less - of_its_own;
  }

  std::size_t free() const noexcept { return free_; }

 private:
  std::size_t free_;
};

}  // namespace gateway
