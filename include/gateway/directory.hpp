// The published snapshot of merchants and keys. Readers take no lock and send no message: they load a
// shared_ptr to an immutable shard. The directory actor is the only writer.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <unordered_map>

#include "gateway/domain/merchant.hpp"

namespace gateway {

namespace detail {
/// A map in 256 immutable shards: a change copies one shard, not the whole.
template <class Key, class Value>
class snapshot_map {
 public:
  using shard = std::unordered_map<Key, std::shared_ptr<const Value>>;

  std::shared_ptr<const Value> find(const Key& key) const {
    const auto current = shards_[index(key)].load(std::memory_order_acquire);
    if (!current) return nullptr;
    const auto at = current->find(key);
    return at == current->end() ? nullptr : at->second;
  }

  /// Single writer.
  void put(const Key& key, std::shared_ptr<const Value> value) {
    auto& slot = shards_[index(key)];
    const auto current = slot.load(std::memory_order_acquire);
    auto next = current ? std::make_shared<shard>(*current) : std::make_shared<shard>();
    (*next)[key] = std::move(value);
    slot.store(std::move(next), std::memory_order_release);
  }

 private:
  static std::size_t index(const Key& key) { return (std::hash<Key>{}(key) * 0x9e3779b97f4a7c15ULL) >> 56; }
  std::array<std::atomic<std::shared_ptr<const shard>>, 256> shards_;
};
}  // namespace detail

class directory {
 public:
  std::shared_ptr<const merchant> find_merchant(const merchant_id& id) const { return merchants_.find(id); }
  /// Revoked keys are found too: the caller treats them as unknown.
  std::shared_ptr<const api_key> find_key(const key_id& id) const { return keys_.find(id); }

  void publish(std::shared_ptr<const merchant> m) {
    const auto id = m->id;
    merchants_.put(id, std::move(m));
  }
  void publish(std::shared_ptr<const api_key> k) {
    const auto id = k->id;
    keys_.put(id, std::move(k));
  }

 private:
  detail::snapshot_map<merchant_id, merchant> merchants_;
  detail::snapshot_map<key_id, api_key> keys_;
};

}  // namespace gateway
