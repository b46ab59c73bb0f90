// The published snapshot of merchants, keys and destinations. The directory actor is the only writer. A reader sends no
// message and does not wait while a change is made: it copies a shared_ptr to an immutable shard, and looks there.
//
// That copy is not free of locks. In libstdc++ 12 an atomic shared_ptr has a spin lock, one bit of the pointer: a
// reader holds it for the few instructions that raise the count, the writer for those that put a finished shard in
// place. Each of the 4,096 shards of a map has its own, so that two threads meet only at the same shard in the same
// moment. A thread that is preempted while it holds one keeps the readers of that shard spinning until it runs again.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <unordered_map>

#include "gateway/domain/merchant.hpp"
#include "gateway/domain/webhook.hpp"

namespace gateway {

namespace detail {
/// A map in 4,096 immutable shards: a change copies one shard, not the whole, which is 25 of 100,000 merchants.
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

  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& slot : shards_)
      if (const auto current = slot.load(std::memory_order_acquire))
        for (const auto& [key, value] : *current) visit(*value);
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
  static std::size_t index(const Key& key) { return (std::hash<Key>{}(key) * 0x9e3779b97f4a7c15ULL) >> 52; }
  std::array<std::atomic<std::shared_ptr<const shard>>, 4'096> shards_;
};
}  // namespace detail

/// A destination with what signs for it.
struct webhook_endpoint {
  destination what;
  std::string secret;
  std::string previous_secret;  ///< signs too until `previous_until`; may be empty
  time_point previous_until{};
};

class directory {
 public:
  std::shared_ptr<const merchant> find_merchant(const merchant_id& id) const { return merchants_.find(id); }
  /// Revoked keys are found too: the caller treats them as unknown.
  std::shared_ptr<const api_key> find_key(const key_id& id) const { return keys_.find(id); }

  std::shared_ptr<const webhook_endpoint> find_destination(const destination_id& id) const {
    return destinations_.find(id);
  }
  /// In no order; a moment's view, shard by shard.
  template <class Visit>
  void for_each_destination(Visit visit) const {
    destinations_.for_each(visit);
  }

  void publish(std::shared_ptr<const merchant> m) {
    const auto id = m->id;
    merchants_.put(id, std::move(m));
  }
  void publish(std::shared_ptr<const api_key> k) {
    const auto id = k->id;
    keys_.put(id, std::move(k));
  }
  void publish(std::shared_ptr<const webhook_endpoint> e) {
    const auto id = e->what.id;
    destinations_.put(id, std::move(e));
  }

 private:
  detail::snapshot_map<merchant_id, merchant> merchants_;
  detail::snapshot_map<key_id, api_key> keys_;
  detail::snapshot_map<destination_id, webhook_endpoint> destinations_;
};

}  // namespace gateway
