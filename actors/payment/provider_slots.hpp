// How many operations may be with a provider at a time, and how merchants share them. An operation takes a slot before
// anything of it is durable: past the limit nothing has happened yet, so the client can be told to come back. A call
// that was turned away after the begin would leave an outcome that is not known.
//
// Each provider has a number of slots in each environment, which merchants share by the rule of shared_amount.hpp.
//
// Concurrency: any actor may ask. A lock for each provider and environment is held for one look-up at a time.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "gateway/domain/ids.hpp"
#include "gateway/domain/provider_kind.hpp"
#include "gateway/shared_amount.hpp"

namespace gateway::actors {

class provider_slots {
  struct pool;
  struct holder;
  struct give_back {
    void operator()(holder* by) const noexcept;
  };

 public:
  /// Held by the operation until it is over. Must not outlive the slots.
  using slot = std::unique_ptr<holder, give_back>;

  /// `most`: of one provider in one environment.
  explicit provider_slots(std::size_t most);

  /// For what would begin. Nothing if the merchant holds at least as many as are free.
  slot take(provider_kind kind, environment env, const merchant_id& merchant) const;
  /// For what has begun, which is never turned away. Where the merchant may take none it counts for that merchant only,
  /// so that however much of one merchant's is being settled, the others have as many as before.
  slot occupy(provider_kind kind, environment env, const merchant_id& merchant) const;

  /// By all merchants, with all providers, in both environments.
  std::size_t held() const;

 private:
  struct holder {
    pool* of = nullptr;
    amount_share share{};
  };
  struct pool {
    mutable std::mutex lock;
    shared_amount slots{0};
    /// Whoever has asked since the start, so that an operation costs no allocation: at most as many as there are
    /// merchants.
    std::unordered_map<merchant_id, holder> holders;

    holder& holder_of(const merchant_id& merchant);
  };
  using by_environment = std::array<pool, 2>;

  pool& pool_of(provider_kind kind, environment env) const;

  std::unique_ptr<std::array<by_environment, provider_catalogue.size()>> pools_;
};

}  // namespace gateway::actors
