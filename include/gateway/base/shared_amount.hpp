// How tenants share a limited amount of slots, workers, threads or bytes. A tenant may take more if it then holds at
// most as much as is left free. So a single tenant holds at most half of the amount, and the more tenants compete, the
// less each may hold. Some of the amount always stays free for the next tenant, even while no tenant waits for it.
// docs/decisions/0021 describes the consequences. Pure. Concurrency: the owner locks it if several threads use it.
#pragma once

#include <cstddef>

namespace gateway {

/// What one tenant holds of an amount.
struct amount_share {
  std::size_t held = 0;
  std::size_t beyond = 0;  ///< the part of `held` that was taken beyond the shared amount, for this tenant alone
};

class shared_amount {
 public:
  explicit shared_amount(std::size_t most) noexcept : free_(most) {}

  bool permits(const amount_share& by, std::size_t more = 1) const noexcept {
    // The same as taking one at a time: before the last one, less is held than is free.
    return more == 0 || by.held + 2 * more <= free_ + 1;
  }

  /// Takes what permits() has allowed.
  void take(amount_share& by, std::size_t more = 1) noexcept {
    by.held += more;
    free_ -= more;
  }
  /// Takes without the limit. If permits() would not allow it, it counts as `beyond`, for this tenant only.
  void occupy(amount_share& by, std::size_t more = 1) noexcept {
    if (permits(by, more)) return take(by, more);
    by.held += more;
    by.beyond += more;
  }
  /// Any of the tenant's holdings may end: `beyond` is given back first.
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
