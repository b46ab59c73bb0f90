// How many operations may be in progress with a provider at a time, and how merchants share them. An operation takes a
// slot before any part of it is durable. So if no slot is free, nothing has happened yet, and the client can retry.
// Refusing the call after the begin would leave an unknown outcome.
//
// Each provider has a number of slots in each environment, which merchants share by the rule of shared_amount.hpp.
//
// Concurrency: any actor may call. Each provider and environment has a lock, which is held for one look-up at a time.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "gateway/base/shared_amount.hpp"
#include "gateway/domain/ids.hpp"
#include "gateway/domain/provider_kind.hpp"

namespace gateway::actors {

class provider_slots {
  struct pool;
  struct holder;
  struct give_back {
    void operator()(holder* by) const noexcept;
  };

 public:
  /// Held by the operation until it ends. Must not outlive the slots.
  using slot = std::unique_ptr<holder, give_back>;

  /// `most`: the number of slots of one provider in one environment.
  explicit provider_slots(std::size_t most);

  /// For an operation that is about to begin. Null if the merchant holds at least as many slots as are free.
  slot take(provider_kind kind, environment env, const merchant_id& merchant) const;
  /// For an operation that has begun, which is never refused. If the merchant has no slot left, the operation counts
  /// against that merchant only: the other merchants keep their slots, however many operations of this one are being
  /// settled.
  slot occupy(provider_kind kind, environment env, const merchant_id& merchant) const;

  /// The slots held by all merchants, with all providers, in both environments.
  std::size_t held() const;

 private:
  struct holder {
    pool* of = nullptr;
    amount_share share{};
  };
  struct pool {
    mutable std::mutex lock;
    shared_amount slots{0};
    /// Every merchant that has taken a slot since the start. Entries are kept, so that an operation needs no
    /// allocation.
    std::unordered_map<merchant_id, holder> holders;

    holder& holder_of(const merchant_id& merchant);
  };
  using by_environment = std::array<pool, 2>;

  pool& pool_of(provider_kind kind, environment env) const;

  std::unique_ptr<std::array<by_environment, provider_catalogue.size()>> pools_;
};

}  // namespace gateway::actors
