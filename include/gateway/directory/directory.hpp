// The published snapshot of merchants, platforms, keys, grants and destinations. It holds every platform, and the
// merchants that have been looked up: a reader that finds no merchant here asks the directory actor by look_up
// (gateway/messages/actors.hpp). A published merchant stays, and everything that belongs to it is published, too.
//
// The directory actor is the only writer, except for grants, which their own actors publish. A reader sends no message
// and does not wait for changes: it copies a shared_ptr to an immutable shard and searches the shard.
//
// That copy is not lock-free. In libstdc++ 12 an atomic shared_ptr has a spin lock, one bit of the pointer: a reader
// holds it for the few instructions that raise the count, the writer for those that store a finished shard. Each of the
// 4,096 shards of a map has its own lock, so that two threads contend only for the same shard at the same moment. While
// a thread is preempted holding a lock, readers of that shard spin until it runs again.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gateway/domain/merchant.hpp"
#include "gateway/domain/on_behalf.hpp"
#include "gateway/domain/platform.hpp"
#include "gateway/domain/provider_settings.hpp"
#include "gateway/domain/webhook.hpp"

namespace gateway {

namespace detail {
/// A map in 4,096 immutable shards: a change copies one shard, about 25 of 100,000 merchants, instead of the whole map.
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

  /// Only one thread may write. Others may read at the same time.
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

/// As snapshot_map, for values that many threads change: a shard holds the values themselves.
template <class Key, class Value>
class versioned_map {
 public:
  using shard = std::unordered_map<Key, Value>;

  /// Returns `look(value)`; a default value if there is none.
  template <class Look>
  auto visit(const Key& key, Look look) const {
    static const Value none{};
    const auto current = shards_[index(key)].load(std::memory_order_acquire);
    if (!current) return look(none);
    const auto at = current->find(key);
    return look(at == current->end() ? none : at->second);
  }

  /// Any thread. `change` gets a copy of the value, or a default one, and returns whether it changed it. It may be
  /// called several times. If it changes nothing, nothing is stored and no shard is copied.
  template <class Change>
  void update(const Key& key, Change change) {
    auto& slot = shards_[index(key)];
    auto current = slot.load(std::memory_order_acquire);
    for (;;) {
      auto value = value_in(current.get(), key);
      if (!change(value)) return;
      auto next = current ? std::make_shared<shard>(*current) : std::make_shared<shard>();
      next->insert_or_assign(key, std::move(value));
      if (replace(slot, current, std::move(next))) return;
    }
  }

  /// The same for many items, in their order: each shard is copied once. `change` also gets the item.
  template <class Item, class KeyOf, class Change>
  void update_all(std::span<const Item> items, KeyOf key_of, Change change) {
    std::unordered_map<std::size_t, std::vector<const Item*>> by_shard;
    for (const auto& item : items) by_shard[index(key_of(item))].push_back(&item);
    for (const auto& [at, mine] : by_shard) {
      auto& slot = shards_[at];
      auto current = slot.load(std::memory_order_acquire);
      for (;;) {
        std::shared_ptr<shard> next;
        for (const auto* item : mine) {
          const auto& key = key_of(*item);
          auto value = value_in(next ? next.get() : current.get(), key);
          if (!change(value, *item)) continue;
          if (!next) next = current ? std::make_shared<shard>(*current) : std::make_shared<shard>();
          next->insert_or_assign(key, std::move(value));
        }
        if (!next || replace(slot, current, std::move(next))) break;
      }
    }
  }

 private:
  static std::size_t index(const Key& key) { return (std::hash<Key>{}(key) * 0x9e3779b97f4a7c15ULL) >> 52; }
  static Value value_in(const shard* where, const Key& key) {
    if (!where) return {};
    const auto at = where->find(key);
    return at == where->end() ? Value{} : at->second;
  }
  /// False if another thread has replaced the shard first; `current` is then the new shard.
  static bool replace(std::atomic<std::shared_ptr<const shard>>& slot, std::shared_ptr<const shard>& current,
                      std::shared_ptr<shard> next) {
    return slot.compare_exchange_strong(current, std::move(next), std::memory_order_acq_rel, std::memory_order_acquire);
  }
  std::array<std::atomic<std::shared_ptr<const shard>>, 4'096> shards_;
};
}  // namespace detail

/// A destination with its signing secrets.
struct webhook_endpoint {
  destination what;
  std::string secret;
  std::string previous_secret;  ///< also signs until `previous_until`; may be empty
  time_point previous_until{};
  bool held = false;  ///< its owner is suspended: its deliveries wait
};

/// A platform's key, with the platform's state, so that a request needs one look-up.
struct platform_key {
  key_id id;
  platform_id platform;
  scope_set scopes;
  std::string secret;  ///< the hex text itself is the HMAC key; in memory only, sealed at rest
  bool revoked = false;
  bool suspended = false;  ///< whether the platform is suspended
  last_use used{};
};

/// The newest grant between a platform and a merchant in one environment.
struct published_grant {
  grant_state state = grant_state::none;
  scope_set scopes;
  std::int64_t version = 0;  ///< the binding's version
};

struct grant_pair {
  published_grant test;
  published_grant live;

  const published_grant& in(environment env) const noexcept { return env == environment::test ? test : live; }
  const published_grant& other_than(environment env) const noexcept { return env == environment::test ? live : test; }
};

/// The platform that acts, and the merchant that it acts for.
struct platform_and_merchant {
  platform_id platform;
  merchant_id merchant;

  bool operator==(const platform_and_merchant&) const = default;
};

/// The grants of one platform, in a merchant's list.
struct platform_grants {
  platform_id platform;
  grant_pair grants;
};

/// One grant to publish.
struct grant_update {
  platform_and_merchant who;
  environment env = environment::test;
  published_grant what;
};

class key_uses;

class directory {
 public:
  directory();
  ~directory();
  directory(const directory&) = delete;
  directory& operator=(const directory&) = delete;

  std::shared_ptr<const merchant> find_merchant(const merchant_id& id) const;
  /// Also finds revoked keys: the caller treats them as unknown.
  std::shared_ptr<const api_key> find_key(const key_id& id) const;

  std::shared_ptr<const webhook_endpoint> find_destination(const destination_id& id) const;
  std::shared_ptr<const platform> find_platform(const platform_id& id) const;
  /// Finds a platform by its client_id.
  std::shared_ptr<const platform> find_platform_by_slug(const std::string& slug) const;
  /// Also finds revoked keys and keys of suspended platforms.
  std::shared_ptr<const platform_key> find_platform_key(const key_id& id) const;
  /// Any thread. Records that a request with a correct signature of this key arrived at this time.
  template <class Key>
  void note_use(const Key& key, time_point at) const {
    if (const auto day = number_of_day(at); !key.used.is(day)) note_first_use(key, day);
  }
  /// The uses that are not stored yet.
  key_uses& uses() const noexcept { return *uses_; }
  grant_pair find_grants(const platform_and_merchant& who) const;
  /// The platforms whose destinations receive this merchant's live events: those with an active live grant, ordered by
  /// id.
  std::vector<platform_id> find_listening_platforms(const merchant_id& id) const;
  /// The destination of a platform in one mode, which may be a deleted one; nothing if it never had one.
  std::shared_ptr<const destination> find_platform_destination(const platform_id& id, environment env) const;

  /// The settings of a provider; nothing if it is not configured.
  std::shared_ptr<const provider_settings> find_provider(provider_kind kind, environment env) const;
  /// Whether a provider is configured, without copying the pointer.
  bool has_provider(provider_kind kind, environment env) const noexcept {
    return configured_[provider_at(kind, env)].load(std::memory_order_acquire);
  }

  /// In no order; each shard is read at a different moment.
  template <class Visit>
  void for_each_platform(Visit visit) const {
    platforms_.for_each(visit);
  }

  void publish(std::shared_ptr<const merchant> m);
  void publish(std::shared_ptr<const api_key> k);
  void publish(std::shared_ptr<const webhook_endpoint> e);
  void publish(std::shared_ptr<const platform> p);
  void publish(std::shared_ptr<const platform_key> k);
  /// Null: the provider is no longer configured.
  void publish(provider_kind kind, environment env, std::shared_ptr<const provider_settings> settings);
  /// Any thread. Keeps a newer version that is already published.
  void publish(const grant_update& newer);
  /// The same for many grants. Copies each shard once, because a start may publish a million grants.
  void publish(std::span<const grant_update> newer);

 private:
  void note_first_use(const api_key& key, std::int32_t day) const;
  void note_first_use(const platform_key& key, std::int32_t day) const;
  static constexpr std::size_t provider_at(provider_kind kind, environment env) noexcept {
    return static_cast<std::size_t>(kind) * 2 + static_cast<std::size_t>(env);
  }

  detail::snapshot_map<merchant_id, merchant> merchants_;
  detail::snapshot_map<key_id, api_key> keys_;
  detail::snapshot_map<destination_id, webhook_endpoint> destinations_;
  detail::snapshot_map<platform_id, platform> platforms_;
  detail::snapshot_map<std::string, platform> slugs_;
  detail::snapshot_map<key_id, platform_key> platform_keys_;
  detail::snapshot_map<platform_id, destination> test_destinations_;
  detail::snapshot_map<platform_id, destination> live_destinations_;
  detail::versioned_map<merchant_id, std::vector<platform_grants>> grants_;  ///< each list ordered by the platform's id
  std::array<std::atomic<std::shared_ptr<const provider_settings>>, provider_catalogue.size() * 2> providers_{};
  std::array<std::atomic<bool>, provider_catalogue.size() * 2> configured_{};
  std::unique_ptr<key_uses> uses_;
};

}  // namespace gateway
