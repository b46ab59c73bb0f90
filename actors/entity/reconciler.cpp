// When an entity is due stands in its row, so the reconciler itself remembers nothing worth keeping: after a crash it
// reads the same rows again. What to do with a due entity is its actor's own decision.

#include "reconciler.hpp"

#include <unordered_set>

#include <caf/all.hpp>

#include "gateway/base/log.hpp"

namespace gateway::actors {

namespace {

/// Due entities that are settled at once; the others are read again later.
constexpr std::size_t most_under_way = 512;
constexpr std::uint32_t purge_chunk = 1'000;
constexpr std::chrono::hours purge_interval{1};
/// A store that does not answer is asked again after this at the latest.
constexpr std::chrono::seconds look_timeout{30};
constexpr std::chrono::minutes settle_timeout{2};

class due_finder {
 public:
  static inline const char* name = "reconciler";

  void start(reconciler_actor::pointer self, store_handles store, router_actor router, const wall_clock& clock,
             const settings& config) {
    self_ = self;
    store_ = std::move(store);
    router_ = std::move(router);
    clock_ = &clock;
    config_ = &config;
    // What was open when the last process died is due by its row only in a while: look ahead once.
    ahead_ = config.provider_timeout * 2 + std::chrono::seconds{10};
    self_->send(self_, wake_atom::value);
  }

  void look() {
    const auto now = clock_->now();
    purge(now);
    const auto limit = static_cast<std::uint32_t>(most_under_way);
    self_->request(store_.readers.front(), look_timeout, find_due{now + ahead_, limit})
        .then(
            [this](due_lookup& due) {
              ahead_ = duration_ms{0};
              for (auto& key : due.keys) settle(key);
              schedule();
            },
            [this](const caf::error&) { schedule(); });
  }

 private:
  void settle(const entity_key& key) {
    if (under_way_.size() >= most_under_way || !under_way_.insert(key).second) return;
    // Finite: an actor that dies at it never answers, and the entity must come up again.
    self_->request(router_, settle_timeout, entity_request{key, std::nullopt, settle_due{}})
        .then([this, key](const entity_reply&) { under_way_.erase(key); },
              [this, key](const caf::error&) { under_way_.erase(key); });
  }

  void purge(time_point now) {
    if (now < next_purge_) return;
    next_purge_ = now + purge_interval;
    self_->request(store_.readers.front(), look_timeout, purge_commands{now - config_->idempotency_kept, purge_chunk})
        .then(
            [this](const purge_result& result) {
              if (result.deleted > 0) log::info("idempotency_keys_purged", {{"count", result.deleted}});
              // A full chunk: there is more.
              if (result.deleted >= purge_chunk) next_purge_ = time_point{};
            },
            [](const caf::error&) {});
  }

  void schedule() { self_->delayed_send(self_, config_->reconcile_interval, wake_atom::value); }

  reconciler_actor::pointer self_ = nullptr;
  store_handles store_;
  router_actor router_;
  const wall_clock* clock_ = nullptr;
  const settings* config_ = nullptr;
  duration_ms ahead_{0};
  time_point next_purge_{};
  std::unordered_set<entity_key> under_way_;
};

reconciler_actor::behavior_type reconciler_behavior(reconciler_actor::stateful_pointer<due_finder> self,
                                                    store_handles store, router_actor router, const wall_clock* clock,
                                                    const settings* config) {
  self->state.start(self, std::move(store), std::move(router), *clock, *config);
  return {[self](wake_atom) { self->state.look(); }};
}

}  // namespace

reconciler_actor spawn_reconciler(caf::actor_system& system, store_handles store, router_actor router,
                                  const wall_clock& clock, const settings& config) {
  return system.spawn(reconciler_behavior, std::move(store), std::move(router), &clock, &config);
}

}  // namespace gateway::actors
