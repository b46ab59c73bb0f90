#include "gateway/domain/node.hpp"

namespace gateway {

std::uint64_t ownership_hash(const entity_key& key) noexcept {
  auto hash = stable_hash(key.merchant.value);
  hash = stable_hash(to_string(key.env), hash);
  hash = stable_hash(to_string(key.kind), hash);
  return stable_hash(key.id, hash);
}

std::string_view owner_of(std::uint64_t hash, std::span<const std::string> nodes) noexcept {
  std::string_view best;
  std::uint64_t best_rank = 0;
  for (const auto& name : nodes) {
    const auto rank = mixed(hash ^ mixed(stable_hash(name)));
    if (best.empty() || rank > best_rank) {
      best = name;
      best_rank = rank;
    }
  }
  return best;
}

}  // namespace gateway
