#include "provider_slots.hpp"

namespace gateway::actors {

provider_slots::provider_slots(std::size_t most)
    : pools_{std::make_unique<std::array<by_environment, provider_catalogue.size()>>()} {
  for (auto& environments : *pools_)
    for (auto& each : environments) each.slots = shared_amount{most};
}

provider_slots::slot provider_slots::take(provider_kind kind, environment env, const merchant_id& merchant) const {
  auto& from = pool_of(kind, env);
  const std::lock_guard guard{from.lock};
  auto& by = from.holder_of(merchant);
  if (!from.slots.permits(by.share)) return nullptr;
  from.slots.take(by.share);
  return slot{&by};
}

provider_slots::slot provider_slots::occupy(provider_kind kind, environment env, const merchant_id& merchant) const {
  auto& from = pool_of(kind, env);
  const std::lock_guard guard{from.lock};
  auto& by = from.holder_of(merchant);
  from.slots.occupy(by.share);
  return slot{&by};
}

void provider_slots::give_back::operator()(holder* by) const noexcept {
  const std::lock_guard guard{by->of->lock};
  by->of->slots.give_back(by->share);
}

std::size_t provider_slots::held() const {
  std::size_t all = 0;
  for (const auto& environments : *pools_)
    for (const auto& each : environments) {
      const std::lock_guard guard{each.lock};
      for (const auto& [merchant, by] : each.holders) all += by.share.held;
    }
  return all;
}

provider_slots::holder& provider_slots::pool::holder_of(const merchant_id& merchant) {
  return holders.try_emplace(merchant, holder{this}).first->second;
}

provider_slots::pool& provider_slots::pool_of(provider_kind kind, environment env) const {
  return (*pools_)[static_cast<std::size_t>(kind)][static_cast<std::size_t>(env)];
}

}  // namespace gateway::actors
