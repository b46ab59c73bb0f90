#include "provider_slots.hpp"

namespace gateway::actors {

provider_slots::provider_slots(std::size_t most)
    : pools_{std::make_unique<std::array<by_environment, provider_catalogue.size()>>()} {
  for (auto& environments : *pools_)
    for (auto& each : environments) each.free = most;
}

provider_slots::slot provider_slots::take(provider_kind kind, environment env, const merchant_id& merchant) const {
  auto& from = pool_of(kind, env);
  const std::lock_guard guard{from.lock};
  auto& by = from.holder_of(merchant);
  if (by.held >= from.free) return nullptr;
  ++by.held;
  --from.free;
  return slot{&by};
}

provider_slots::slot provider_slots::occupy(provider_kind kind, environment env, const merchant_id& merchant) const {
  auto& from = pool_of(kind, env);
  const std::lock_guard guard{from.lock};
  auto& by = from.holder_of(merchant);
  if (by.held < from.free)
    --from.free;
  else
    ++by.beyond;
  ++by.held;
  return slot{&by};
}

void provider_slots::give_back::operator()(holder* by) const noexcept {
  const std::lock_guard guard{by->of->lock};
  --by->held;
  // It does not matter which of the merchant's operations has ended: what is beyond its share ends first.
  if (by->beyond > 0)
    --by->beyond;
  else
    ++by->of->free;
}

std::size_t provider_slots::held() const {
  std::size_t all = 0;
  for (const auto& environments : *pools_)
    for (const auto& each : environments) {
      const std::lock_guard guard{each.lock};
      for (const auto& [merchant, by] : each.holders) all += by.held;
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
