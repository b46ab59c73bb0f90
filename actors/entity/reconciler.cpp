// A row stores when its entity is due, so the reconciler has no state to lose: after a crash it reads the same rows
// again. The entity's actor decides what to do when it is due.

#include "reconciler.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "gateway/base/log.hpp"
#include "gateway/messages/ask_store.hpp"
#include "timing.hpp"

namespace gateway::actors {

namespace {

/// How many due entities are settled at a time; the others are read again later.
constexpr std::size_t most_under_way = 512;
/// How many keys, and of each other kind of row, are purged per request. The writer splits a request into small
/// transactions between its batches.
constexpr std::uint32_t purge_chunk = 5'000;
/// The longer the interval, the more keys expire meanwhile, and the longer the purge takes. Keys that are kept for
/// minutes only are purged more often.
std::chrono::milliseconds purge_interval(const settings& config) {
  constexpr auto longest = std::chrono::milliseconds::max();
  const auto shortest =
      std::min({config.idempotency_kept, config.notifications_kept, config.events_kept, config.deliveries_kept,
                config.payments_kept.value_or(longest), config.audit_kept.value_or(longest)});
  return std::min<std::chrono::milliseconds>(std::chrono::minutes{1}, shortest / 4);
}
/// How often the time is written to the database: an ordinary restart must not look like a jump of the clock.
constexpr std::chrono::seconds time_interval{30};
constexpr std::chrono::minutes far_scan_interval{1};
/// During a recovery most notifications are about payments that are unknown here: they are not retried as often as
/// usual.
constexpr std::chrono::seconds recovery_interval{10};
/// If the store does not answer within this time, it is asked again.
constexpr std::chrono::seconds scan_timeout{30};
constexpr std::chrono::minutes settle_timeout{2};
/// A read returns the due entities of all nodes. If there are other nodes, its limit is multiplied by this, so that
/// with up to this many nodes it still contains about `most_under_way` of this node's own.
constexpr std::size_t most_nodes = 5;

class due_finder {
 public:
  static inline const char* name = "reconciler";

  void start(reconciler_actor::pointer self, store_handles store, router_actor router, const wall_clock& clock,
             clock_watch& watch, const settings& config, const membership& nodes, const write_gate& gate) {
    self_ = self;
    gate_ = &gate;
    nodes_ = &nodes;
    store_ = std::move(store);
    router_ = std::move(router);
    clock_ = &clock;
    watch_ = &watch;
    config_ = &config;
    // The rows of operations that the last process left open become due only later, so look ahead once.
    ahead_ = timing_of(config).abandoned_after;
    self_->send(self_, wake_atom::value);
  }

  void scan() {
    if (!nodes_->serves()) return schedule();
    if (gate_->is_closed()) return settle_notifications();
    const auto now = clock_->now();
    const auto trusted = watch_->trusted_now(self_->clock().now());
    if (trusted) {
      // One node suffices, and the stored time must come from one clock.
      if (nodes_->owns("maintenance")) {
        if (self_->clock().now() >= next_purge_) purge();
        store_time(*trusted);
      }
      find_stamped_ahead(*trusted);
    }
    // The rows of operations that a dead node left open also become due only later.
    if (std::exchange(deaths_, nodes_->deaths()) != nodes_->deaths()) ahead_ = timing_of(*config_).abandoned_after;
    // The read returns the entities of other nodes, too.
    const auto limit = static_cast<std::uint32_t>(most_under_way * (nodes_->has_other_nodes() ? most_nodes : 1));
    // Open operations are settled by any clock. But a clock that has jumped ahead makes every open checkout due, and
    // checkouts must not expire by it.
    const bool open_only = !trusted;
    ask_store(self_, store_.readers.front(), scan_timeout, find_due{now + ahead_, limit, open_only})
        .then(
            [this](due_lookup& due) {
              ahead_ = duration_ms{0};
              for (auto& key : due.keys) settle(key);
              schedule();
            },
            [this](const caf::error&) { schedule(); });
  }

 private:
  /// In a restored database an open checkout may have been paid after the backup, so nothing expires before the
  /// recovery has compared it. But the recovery waits until the notifications are applied, and only this function
  /// applies those that were unapplied in the backup or after an interrupted recovery.
  void settle_notifications() {
    const auto monotonic = self_->clock().now();
    if (monotonic < next_notifications_) return schedule();
    next_notifications_ = monotonic + recovery_interval;
    ask_store(self_, store_.readers.front(), scan_timeout,
              find_due{clock_->now(), static_cast<std::uint32_t>(most_under_way)})
        .then(
            [this](const due_lookup& due) {
              for (const auto& key : due.keys)
                if (key.kind == entity_kind::notification) settle(key);
              schedule();
            },
            [this](const caf::error&) { schedule(); });
  }

  void settle(const entity_key& key) {
    if (!nodes_->owns(key)) return;
    if (under_way_.size() >= most_under_way || !under_way_.insert(key).second) return;
    // Finite: an actor that dies while settling never answers, and the entity must be tried again.
    self_->request(router_, settle_timeout, entity_request{key, std::nullopt, settle_due{}})
        .then([this, key](const entity_reply&) { under_way_.erase(key); },
              [this, key](const caf::error&) { under_way_.erase(key); });
  }

  /// Repeats until no expired key is left, as long as the clock is trusted. One purge at a time. There is no timeout:
  /// the writer answers when the purge is done, however long its other work delays it.
  void purge() {
    const auto monotonic = self_->clock().now();
    const auto now = watch_->trusted_now(monotonic);
    if (!now || std::exchange(purging_, true)) return;
    next_purge_ = monotonic + purge_interval(*config_);
    purge_commands old{*now - config_->idempotency_kept, purge_chunk};
    old.notifications = *now - config_->notifications_kept;
    old.events = *now - config_->events_kept;
    old.deliveries = *now - config_->deliveries_kept;
    if (config_->payments_kept) old.payments = *now - *config_->payments_kept;
    if (config_->audit_kept) old.audit = *now - *config_->audit_kept;
    self_->request(store_.recorder, caf::infinite, old)
        .then(
            [this](const purge_result& result) {
              purging_ = false;
              count(result);
              if (result.has_more(purge_chunk)) return purge();
              report();
            },
            [this](const caf::error&) { purging_ = false; });
  }

  void count(const purge_result& result) {
    purged_ += result.deleted;
    payments_purged_ += result.purged_payments.size();
    audit_purged_ += result.audit;
    for (const auto& key : result.purged_payments) self_->send(router_, passivate_atom::value, key);
  }

  void report() {
    if (purged_ > 0) log::info("idempotency_keys_purged", {{"count", std::exchange(purged_, 0)}});
    if (payments_purged_ > 0) log::info("payments_purged", {{"count", std::exchange(payments_purged_, 0)}});
    if (audit_purged_ > 0) log::info("audit_entries_purged", {{"count", std::exchange(audit_purged_, 0)}});
  }

  /// Stores the time only while the clock is trusted. So a wrong time is not kept once the clock has been corrected,
  /// and the next start is not compared with it.
  void store_time(time_point now) {
    const auto monotonic = self_->clock().now();
    if (monotonic < next_store_) return;
    next_store_ = monotonic + time_interval;
    unit_of_work unit;
    unit.kind = unit_kind::record;
    unit.inserts.push_back(save_last_seen{watch_->without_offset(now)});
    // If this commit fails, the next one makes up for it.
    self_->request(store_.recorder, scan_timeout, std::move(unit))
        .then([](commit_outcome) {}, [](const caf::error&) {});
  }

  /// Finds operations whose next inquiry was scheduled by a clock that was ahead; they would wait until that time.
  void find_stamped_ahead(time_point now) {
    const auto monotonic = self_->clock().now();
    if (monotonic < next_far_scan_) return;
    next_far_scan_ = monotonic + far_scan_interval;
    find_due beyond{time_point::max(), static_cast<std::uint32_t>(most_under_way), true};
    beyond.later_than = machine::latest_due(now, timing_of(*config_));
    ask_store(self_, store_.readers.front(), scan_timeout, beyond)
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
  const write_gate* gate_ = nullptr;
  duration_ms ahead_{0};
  std::uint64_t deaths_ = 0;  ///< of other nodes, as of the last read
  caf::actor_clock::time_point next_purge_{};
  caf::actor_clock::time_point next_store_{};
  caf::actor_clock::time_point next_far_scan_{};
  caf::actor_clock::time_point next_notifications_{};
  bool purging_ = false;
  std::uint64_t purged_ = 0;  // since the last completed purge; the next two also
  std::uint64_t payments_purged_ = 0;
  std::uint64_t audit_purged_ = 0;
  std::unordered_set<entity_key> under_way_;
};

reconciler_actor::behavior_type reconciler_behavior(reconciler_actor::stateful_pointer<due_finder> self,
                                                    store_handles store, router_actor router, const wall_clock* clock,
                                                    clock_watch* watch, const settings* config, const membership* nodes,
                                                    const write_gate* gate) {
  self->state.start(self, std::move(store), std::move(router), *clock, *watch, *config, *nodes, *gate);
  return {[self](wake_atom) { self->state.scan(); }};
}

}  // namespace

reconciler_actor spawn_reconciler(caf::actor_system& system, store_handles store, router_actor router,
                                  const wall_clock& clock, clock_watch& watch, const settings& config,
                                  const membership& nodes, const write_gate& gate) {
  return system.spawn(reconciler_behavior, std::move(store), std::move(router), &clock, &watch, &config, &nodes, &gate);
}

}  // namespace gateway::actors
