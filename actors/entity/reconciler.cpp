// When an entity is due stands in its row, so the reconciler itself remembers nothing worth keeping: after a crash it
// reads the same rows again. What to do with a due entity is its actor's own decision.

#include "reconciler.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "gateway/ask_store.hpp"
#include "gateway/base/log.hpp"
#include "timing.hpp"

namespace gateway::actors {

namespace {

/// Due entities that are settled at once; the others are read again later.
constexpr std::size_t most_under_way = 512;
/// So many keys, and notifications, are purged before the writer answers. It makes small transactions of them, between
/// its batches.
constexpr std::uint32_t purge_chunk = 5'000;
/// The longer the interval, the more keys become old meanwhile, and the longer the purge then works. Keys that are kept
/// for minutes only are looked for more often.
std::chrono::milliseconds purge_interval(const settings& config) {
  return std::min<std::chrono::milliseconds>(std::chrono::minutes{1}, config.idempotency_kept / 4);
}
/// How often the database is told the time: an ordinary restart must not look like a jump of the clock.
constexpr std::chrono::seconds time_interval{30};
constexpr std::chrono::minutes far_look_interval{1};
/// A store that does not answer is asked again after this at the latest.
constexpr std::chrono::seconds look_timeout{30};
constexpr std::chrono::minutes settle_timeout{2};
/// Among so many nodes each finds its own at once, were all equally many.
constexpr std::size_t most_nodes = 5;

class due_finder {
 public:
  static inline const char* name = "reconciler";

  void start(reconciler_actor::pointer self, store_handles store, router_actor router, const wall_clock& clock,
             clock_watch& watch, const settings& config, const membership& nodes) {
    self_ = self;
    nodes_ = &nodes;
    store_ = std::move(store);
    router_ = std::move(router);
    clock_ = &clock;
    watch_ = &watch;
    config_ = &config;
    // What was open when the last process died is due by its row only in a while: look ahead once.
    ahead_ = timing_of(config).abandoned_after;
    self_->send(self_, wake_atom::value);
  }

  void look() {
    if (!nodes_->serves()) return schedule();
    const auto now = clock_->now();
    const auto trusted = watch_->trusted_now(self_->clock().now());
    if (trusted) {
      // One node is enough, and the time of one clock.
      if (nodes_->owns("maintenance")) {
        if (self_->clock().now() >= next_purge_) purge();
        store_time(*trusted);
      }
      find_stamped_ahead(*trusted);
    }
    // What a node that has died left open is due by its row only in a while.
    if (std::exchange(deaths_, nodes_->deaths()) != nodes_->deaths()) ahead_ = timing_of(*config_).abandoned_after;
    // The others' are among them.
    const auto limit = static_cast<std::uint32_t>(most_under_way * (nodes_->has_company() ? most_nodes : 1));
    // Open operations are settled by any clock. But one that has jumped ahead makes every open checkout due, which may
    // not expire by it.
    const bool open_only = !trusted;
    ask_store(self_, store_.readers.front(), look_timeout, find_due{now + ahead_, limit, open_only})
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
    if (!nodes_->owns(key)) return;
    if (under_way_.size() >= most_under_way || !under_way_.insert(key).second) return;
    // Finite: an actor that dies at it never answers, and the entity must come up again.
    self_->request(router_, settle_timeout, entity_request{key, std::nullopt, settle_due{}})
        .then([this, key](const entity_reply&) { under_way_.erase(key); },
              [this, key](const caf::error&) { under_way_.erase(key); });
  }

  /// Goes on until nothing is left that is old enough, as long as the clock is trusted. One purge at a time: the writer
  /// answers when it is done, however long its other work makes it wait, so there is no timeout.
  void purge() {
    const auto monotonic = self_->clock().now();
    const auto now = watch_->trusted_now(monotonic);
    if (!now || std::exchange(purging_, true)) return;
    next_purge_ = monotonic + purge_interval(*config_);
    self_->request(store_.recorder, caf::infinite, purge_commands{*now - config_->idempotency_kept, purge_chunk})
        .then(
            [this](const purge_result& result) {
              purging_ = false;
              purged_ += result.deleted;
              if (std::max(result.deleted, result.notifications) >= purge_chunk) return purge();
              if (purged_ > 0) log::info("idempotency_keys_purged", {{"count", std::exchange(purged_, 0)}});
            },
            [this](const caf::error&) { purging_ = false; });
  }

  /// Only a clock that is trusted is remembered. So a wrong one is forgotten once it has been corrected, and the time
  /// of the next start is not held against it.
  void store_time(time_point now) {
    const auto monotonic = self_->clock().now();
    if (monotonic < next_store_) return;
    next_store_ = monotonic + time_interval;
    unit_of_work unit;
    unit.kind = unit_kind::record;
    unit.inserts.push_back(save_last_seen{watch_->without_offset(now)});
    // One that is not committed is made up for by the next.
    self_->request(store_.recorder, look_timeout, std::move(unit))
        .then([](commit_outcome) {}, [](const caf::error&) {});
  }

  /// Operations whose next question was planned by a clock that was ahead: they would wait until that time comes.
  void find_stamped_ahead(time_point now) {
    const auto monotonic = self_->clock().now();
    if (monotonic < next_far_look_) return;
    next_far_look_ = monotonic + far_look_interval;
    find_due beyond{time_point::max(), static_cast<std::uint32_t>(most_under_way), true};
    beyond.later_than = machine::latest_due(now, timing_of(*config_));
    ask_store(self_, store_.readers.front(), look_timeout, beyond)
        .then(
            [this](const due_lookup& due) {
              for (const auto& key : due.keys) settle(key);
            },
            [](const caf::error&) {});
  }

  void schedule() { self_->delayed_send(self_, config_->reconcile_interval, wake_atom::value); }

  reconciler_actor::pointer self_ = nullptr;
  store_handles store_;
  router_actor router_;
  const wall_clock* clock_ = nullptr;
  clock_watch* watch_ = nullptr;
  const settings* config_ = nullptr;
  const membership* nodes_ = nullptr;
  duration_ms ahead_{0};
  std::uint64_t deaths_ = 0;  ///< of other nodes, as of the last look
  caf::actor_clock::time_point next_purge_{};
  caf::actor_clock::time_point next_store_{};
  caf::actor_clock::time_point next_far_look_{};
  bool purging_ = false;
  std::uint64_t purged_ = 0;  // since nothing old was left
  std::unordered_set<entity_key> under_way_;
};

reconciler_actor::behavior_type reconciler_behavior(reconciler_actor::stateful_pointer<due_finder> self,
                                                    store_handles store, router_actor router, const wall_clock* clock,
                                                    clock_watch* watch, const settings* config,
                                                    const membership* nodes) {
  self->state.start(self, std::move(store), std::move(router), *clock, *watch, *config, *nodes);
  return {[self](wake_atom) { self->state.look(); }};
}

}  // namespace

reconciler_actor spawn_reconciler(caf::actor_system& system, store_handles store, router_actor router,
                                  const wall_clock& clock, clock_watch& watch, const settings& config,
                                  const membership& nodes) {
  return system.spawn(reconciler_behavior, std::move(store), std::move(router), &clock, &watch, &config, &nodes);
}

}  // namespace gateway::actors
