// What a node knows of itself among the others: whether it may serve, whether it is alone, what it owns. The node's
// keeper writes it; everybody reads.
// Concurrency: any thread; a reader copies one shared_ptr at most.
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
  /// Which nodes share what there is to own.
  struct owners {
    std::vector<std::string> names;
    std::vector<std::string> live;  ///< incarnations: of these, and of those that come or end
    std::int64_t number = 0;  ///< in the directory's log: the last change of them that it takes in
    bool yielded = true;      ///< all have given away what is no longer theirs since that change
  };

  /// Without a name: a gateway that serves alone. `clock`: the monotonic one that its lease is counted by.
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
  /// Names this process; another one at each start.
  const std::string& incarnation() const noexcept { return incarnation_; }

  /// Whether this node has its lease. Without it nothing is answered and nothing written.
  bool serves() const { return !clustered() || lease_left() > ticks_ms{0}; }
  ticks_ms lease_left() const {
    return std::max(ticks_ms{0}, ticks_ms{serves_until_.load(std::memory_order_acquire)} - now());
  }
  ticks_ms now() const { return clock_(); }

  /// Whether another node may serve, so that what this one remembers of the database may be old.
  bool has_company() const noexcept { return era() % 2 == 1; }
  /// Rises when this node gets company, and when it is alone again. What it has learnt of the database in an era of its
  /// own is true as long as that lasts.
  std::uint64_t era() const noexcept { return era_.load(std::memory_order_acquire); }

  /// How long ago the published directory was last known to hold all that the directory's log holds.
  ticks_ms directory_age() const { return now() - ticks_ms{directory_whole_at_.load(std::memory_order_acquire)}; }

  bool owns(std::uint64_t hash) const {
    if (!clustered()) return true;
    const auto now = owners_.load(std::memory_order_acquire);
    return now && owner_of(hash, now->names) == name_;
  }
  bool owns(const entity_key& key) const { return !clustered() || owns(ownership_hash(key)); }
  bool owns(std::string_view what) const { return !clustered() || owns(stable_hash(what)); }
  /// Whether that process is another node, and lives.
  bool is_live_other(const std::string& process) const {
    if (!clustered() || process.empty() || process == incarnation_) return false;
    const auto now = owners_.load(std::memory_order_acquire);
    return now && std::ranges::find(now->live, process) != now->live.end();
  }
  /// How many nodes have died, as far as this one has seen.
  std::uint64_t deaths() const noexcept { return deaths_.load(std::memory_order_acquire); }
  /// Null before the first look at the others, and in a gateway that serves alone.
  std::shared_ptr<const owners> shared_by() const { return owners_.load(std::memory_order_acquire); }

  // From the keeper.
  void serve_until(ticks_ms at) noexcept { serves_until_.store(at.count(), std::memory_order_release); }
  void directory_whole_at(ticks_ms at) noexcept { directory_whole_at_.store(at.count(), std::memory_order_release); }
  void count_death() noexcept { deaths_.fetch_add(1, std::memory_order_acq_rel); }
  void set_company(bool has) noexcept {
    if (has != has_company()) era_.fetch_add(1, std::memory_order_acq_rel);
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
