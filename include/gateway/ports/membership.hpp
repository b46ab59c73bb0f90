// A node's view of itself and the other nodes: whether it may serve, whether it is the only node, what it owns. The
// node keeper writes it; every other part only reads it. Concurrency: any thread; a reader copies at most one
// shared_ptr.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gateway/base/boot_clock.hpp"
#include "gateway/domain/node.hpp"

namespace gateway {

class membership {
 public:
  /// The nodes among which ownership is divided.
  struct owners {
    std::vector<std::string> names;
    std::vector<std::string> live;  ///< incarnations: of the owners, and of nodes that are joining or draining
    std::int64_t number = 0;  ///< the number in the directory's log of the latest change of owners included here
    bool yielded = true;      ///< every node has released the entities that it lost by that change
  };

  /// An empty name means a gateway that serves alone. `clock`: the monotonic clock that measures the lease.
  explicit membership(std::string name = {}, std::string incarnation = {}, std::function<ticks_ms()> clock = since_boot)
      : name_{std::move(name)},
        incarnation_{std::move(incarnation)},
        clock_{std::move(clock)},
        era_{name_.empty() ? 0U : 1U} {}

  static const membership& alone() {
    static const membership none;
    return none;
  }

  bool clustered() const noexcept { return !name_.empty(); }
  const std::string& name() const noexcept { return name_; }
  /// Identifies this process; each start has a new one.
  const std::string& incarnation() const noexcept { return incarnation_; }

  /// Whether this node has its lease. Without the lease the node answers nothing and writes nothing.
  bool serves() const { return !clustered() || lease_left() > ticks_ms{0}; }
  ticks_ms lease_left() const {
    return std::max(ticks_ms{0}, ticks_ms{serves_until_.load(std::memory_order_acquire)} - now());
  }
  ticks_ms now() const { return clock_(); }

  /// Whether another node may serve, so that data which this node has cached from the database may be outdated.
  bool has_other_nodes() const noexcept { return era() % 2 == 1; }
  /// Rises when the first other node appears and when the last one is gone. Data that this node reads from the database
  /// while it is alone stays current until the era changes.
  std::uint64_t era() const noexcept { return era_.load(std::memory_order_acquire); }

  /// How long ago the published directory last contained the whole directory's log.
  ticks_ms directory_age() const { return now() - ticks_ms{directory_whole_at_.load(std::memory_order_acquire)}; }

  bool owns(std::uint64_t hash) const {
    if (!clustered()) return true;
    const auto now = owners_.load(std::memory_order_acquire);
    return now && owner_of(hash, now->names) == name_;
  }
  bool owns(const entity_key& key) const { return !clustered() || owns(ownership_hash(key)); }
  bool owns(std::string_view what) const { return !clustered() || owns(stable_hash(what)); }
  /// Whether `process` is the incarnation of another live node.
  bool is_live_other(const std::string& process) const {
    if (!clustered() || process.empty() || process == incarnation_) return false;
    const auto now = owners_.load(std::memory_order_acquire);
    return now && std::ranges::find(now->live, process) != now->live.end();
  }
  /// How many deaths of other nodes this node has observed.
  std::uint64_t deaths() const noexcept { return deaths_.load(std::memory_order_acquire); }
  /// Null before the first read of the other nodes, and in a gateway that serves alone.
  std::shared_ptr<const owners> shared_by() const { return owners_.load(std::memory_order_acquire); }

  // Called by the keeper.
  void serve_until(ticks_ms at) noexcept { serves_until_.store(at.count(), std::memory_order_release); }
  void directory_whole_at(ticks_ms at) noexcept { directory_whole_at_.store(at.count(), std::memory_order_release); }
  void count_death() noexcept { deaths_.fetch_add(1, std::memory_order_acq_rel); }
  void set_other_nodes(bool has) noexcept {
    if (has != has_other_nodes()) era_.fetch_add(1, std::memory_order_acq_rel);
  }
  void set_owners(owners now) {
    owners_.store(std::make_shared<const owners>(std::move(now)), std::memory_order_release);
  }

 private:
  const std::string name_;
  const std::string incarnation_;
  const std::function<ticks_ms()> clock_;
  std::atomic<std::uint64_t> deaths_{0};
  std::atomic<ticks_ms::rep> serves_until_{0};
  std::atomic<ticks_ms::rep> directory_whole_at_{clock_().count()};
  std::atomic<std::uint64_t> era_;
  std::atomic<std::shared_ptr<const owners>> owners_;
};

}  // namespace gateway
