#include "persistence/units/store_writer.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <pthread.h>

#include <algorithm>
#include <array>
#include <optional>

#include "gateway/base/scheduling.hpp"
#include "gateway/messages/local_scheduler.hpp"
#include "persistence/tables/queries.hpp"
#include "persistence/units/unit_batch.hpp"
#include "persistence/units/writer_queues.hpp"

namespace gateway::persistence {

namespace {

/// The writer's own timers: wake_atom: try to reconnect; tick_atom: check whether records or maintenance are due;
/// keep_atom: confirm the database's lock; load_atom: read the other nodes' lanes in the log of events.
using writer_actor = store_writer::extend<caf::reacts_to<wake_atom>, caf::reacts_to<caf::tick_atom>,
                                          caf::reacts_to<keep_atom>, caf::reacts_to<load_atom>>;

/// A shared pointer, because an actor system copies the arguments of actors.
using connection_box = std::shared_ptr<std::unique_ptr<db_connection>>;

using clock_type = std::chrono::steady_clock;

/// The longest pause before the writer checks for work again: other writers may take keys meanwhile, which allow
/// further steps of a purge.
constexpr std::chrono::milliseconds longest_pause{10};
/// The actors that wait for a batch of at most this many units (a payment's, and a few records) may run on the writer's
/// thread.
constexpr std::size_t few_units = 3;
/// How often a node reads the lanes of the others. While it writes no events, readers on other nodes see events later
/// by up to this time.
constexpr std::chrono::milliseconds lanes_interval{250};
/// After a redelivery the next one waits this many times as long as it took.
constexpr int redelivery_rest = 4;

/// Group commit without waiting. A unit joins its queue. Then the actor sends itself a message to work, unless one is
/// scheduled. That message arrives after all units that are already in the mailbox, so they join the same batch. Its
/// handler commits one batch, which writer_queues chooses, and may run one step of maintenance.
///
/// A batch of records alone is committed after a pause since the last one, unless a whole batch has gathered.
class writer {
 public:
  using queue = writer_queues::queue;

  writer(caf::local_actor& self, const store_location& where, std::shared_ptr<store_health> health, metrics& counts,
         writer_limits limits, std::shared_ptr<keys_taken> taken, std::shared_ptr<event_log> events,
         std::unique_ptr<db_connection> first)
      : self_(self),
        here_(self.system()),
        session_(where, access::write, std::move(health), std::move(first)),
        counts_(counts),
        limits_(limits),
        queues_(limits),
        events_(std::move(events), {limits.node}),
        taken_(std::move(taken)),
        pace_(limits.batch_units) {
    for (std::size_t i = 0; i < outcomes_.size(); ++i)
      outcomes_[i] = &counts.units(to_string(static_cast<commit_outcome>(i)));
  }

  database_session& link() noexcept { return session_; }
  writer_queues& queues() noexcept { return queues_; }
  void count_rejected() { outcomes_[static_cast<std::size_t>(commit_outcome::rejected)]->Increment(); }

  bool purges() const noexcept { return purge_.has_value(); }
  void purge(caf::typed_response_promise<purge_result> answer, const purge_commands& what) {
    if (!std::exchange(purge_has_more_, true)) pace_.begin(taken_->load());
    purge_ = purge_job{std::move(answer), what, {}};
  }

  bool idle() const noexcept { return queues_.empty() && !purge_; }

  /// How long to wait before the next work; zero if it is due.
  clock_type::duration pause() const noexcept {
    if (queues_.writes_wait()) return {};
    const auto now = clock_type::now();
    auto due = now + longest_pause;
    if (queues_.records_wait() > 0) due = std::min(due, records_due());
    if (queues_.redelivery_is_next()) due = std::min(due, redeliveries_rest_until_);
    if (purge_) due = std::min(due, pace_.due(taken_->load(), now));
    return std::max(due - now, clock_type::duration::zero());
  }

  void work() {
    commit_batch(clock_type::now() >= records_due());
    if (events_.lags()) session_.run([&](db_connection& db) { events_.catch_up(db); });
    if (queues_.maintenance_may_follow(batch_)) do_maintenance();
  }

  /// For one of several nodes: to be called several times a second.
  void watch_other_lanes() {
    session_.run([&](db_connection& db) { events_.watch_other_lanes(db); });
  }

  /// Runs between two batches, so the connection has no open transaction.
  std::optional<clear_free_pages_result> clear_files() {
    clear_free_pages_result made;
    const bool known = session_.run([&](db_connection& db) {
      made.embedded = db.language() == dialect::sqlite;
      made.cleared = db.clear_free_pages();
    });
    return known ? std::optional{made} : std::nullopt;
  }

  /// Commits all units that have arrived, and redelivers.
  void finish() {
    while (!queues_.empty()) {
      commit_batch(true);
      redeliver_next();
    }
    session_.run([&](db_connection& db) { events_.end(db); });
  }

 private:
  struct purge_job {
    caf::typed_response_promise<purge_result> answer;
    purge_commands what;  ///< without the kinds of which nothing is left
    purge_result made;

    /// The limit applies to each kind separately.
    std::uint64_t left() const noexcept { return what.limit - made.most(); }
  };

  clock_type::time_point records_due() const noexcept {
    if (queues_.records_wait() >= limits_.batch_units) return recorded_at_;
    return std::max(recorded_at_ + limits_.recording_pause, wrote_at_ + limits_.other_nodes_pause);
  }

  /// Commits the next batch, if there is one, and answers it.
  void commit_batch(bool records_are_due) {
    queues_.take_batch(batch_, records_are_due);
    if (batch_.units.empty()) return;
    counts_.batch_units.Observe(static_cast<double>(batch_.units.size()));
    std::vector<commit_outcome> outcomes;
    const auto started = clock_type::now();
    if (batch_.records) recorded_at_ = started;
    if (batch_.writes) wrote_at_ = started;
    const bool known = session_.run([&](db_connection& db) {
      outcomes = commit_units(db, batch_.units, limits_.lane, events_,
                              limits_.purges_payments ? purged_ids::refused : purged_ids::unknown);
    });
    if (known) {
      counts_.commits.Increment();
      counts_.commit_seconds.Observe(std::chrono::duration<double>(clock_type::now() - started).count());
    } else {
      counts_.commit_failures.Increment();
      outcomes.assign(batch_.units.size(), commit_outcome::unavailable);
    }
    count_keys(outcomes);
    answer(outcomes);
    session_.maintain();
  }

  /// The actors that wait for a small batch run on this thread if no begins or finishes wait: most of what a payment
  /// does next is to send its finish here.
  void answer(const std::vector<commit_outcome>& outcomes) {
    auto* const scheduled = self_.context();
    if (outcomes.size() <= few_units && !queues_.writes_wait()) self_.context(&here_);
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      outcomes_[static_cast<std::size_t>(outcomes[i])]->Increment();
      batch_.answers[i].deliver(outcomes[i]);
    }
    self_.context(scheduled);
    here_.run();
  }

  void count_keys(const std::vector<commit_outcome>& outcomes) {
    std::uint64_t taken = 0;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      const auto kind = batch_.units[i].kind;
      const bool takes_key = kind == unit_kind::begin || kind == unit_kind::conclude;
      if (takes_key && outcomes[i] == commit_outcome::committed) ++taken;
    }
    taken_->fetch_add(taken);
    counts_.taken_keys.Increment(static_cast<double>(taken));
  }

  /// One small transaction, if one is due. Redeliveries pause after each step, so that the purge keeps up beside them.
  void do_maintenance() {
    if (clock_type::now() < redeliveries_rest_until_ || !redeliver_next()) purge_some();
  }

  bool redeliver_next() {
    auto next = queues_.take_redelivery();
    if (!next) return false;
    redeliver_rows_result made;
    const auto began = clock_type::now();
    const bool known = session_.run([&](db_connection& db) { made = run(db, next->what); });
    const auto ended = clock_type::now();
    queues_.maintained();
    redeliveries_rest_until_ = ended + redelivery_rest * (ended - began);
    if (known) {
      next->answer.deliver(std::move(made));
    } else {
      next->answer.deliver(make_error(actor_errc::store_unavailable));
    }
    session_.maintain();
    return true;
  }

  void purge_some() {
    if (!purge_) return;
    const auto began = clock_type::now();
    const auto most =
        std::min<std::uint64_t>(purge_->left(), pace_.next_step(taken_->load(), queues_.writes_wait(), began));
    if (most == 0) return;
    purge_result made;
    auto step = purge_->what;
    step.limit = static_cast<std::uint32_t>(most);
    step.deliveries_behind = deliveries_purged_to_;
    step.payments_behind = payments_purged_to_;
    const bool known = session_.run([&](db_connection& db) { made = run(db, step); });
    queues_.maintained();
    if (!known) return end_purge(make_error(actor_errc::store_unavailable));
    const auto ended = clock_type::now();
    deliveries_purged_to_ = made.deliveries_behind;
    pace_.stepped(made.most(), taken_->load(), began, ended);
    counts_.purged_keys.Increment(static_cast<double>(made.deleted));
    counts_.purge_step_seconds.Observe(std::chrono::duration<double>(ended - began).count());
    purge_->made.deleted += made.deleted;
    purge_->made.notifications += made.notifications;
    purge_->made.events += made.events;
    purge_->made.deliveries += made.deliveries;
    count_retention(made);
    purge_has_more_ = made.has_more(most);
    if (!purge_has_more_ || purge_->left() == 0) {
      show_overdue();
      end_purge(purge_->made);
    }
    session_.maintain();
  }

  /// Adds up what the step has purged. This purge does not look again for a kind of which nothing is left.
  void count_retention(const purge_result& step) {
    payments_purged_to_ = step.payments_behind;
    auto& made = purge_->made;
    made.payments += step.payments;
    made.payments_left = step.payments_left;
    made.purged_payments.insert(made.purged_payments.end(), step.purged_payments.begin(), step.purged_payments.end());
    made.audit += step.audit;
    if (!step.payments_left) purge_->what.payments.reset();
    if (step.audit == 0) purge_->what.audit.reset();
  }

  template <class Answer>
  void end_purge(Answer answer) {
    auto ended = std::move(*purge_);
    purge_.reset();
    ended.answer.deliver(std::move(answer));
  }

  void show_overdue() {
    std::optional<time_point> oldest;
    if (!session_.run([&](db_connection& db) { oldest = oldest_command(db); })) return;
    const auto overdue = oldest ? purge_->what.before - *oldest : duration_ms{0};
    counts_.purge_overdue_seconds.Set(std::max(0.0, std::chrono::duration<double>(overdue).count()));
  }

  caf::local_actor& self_;
  local_scheduler here_;
  database_session session_;
  metrics& counts_;
  writer_limits limits_;
  writer_queues queues_;
  event_lane events_;
  unit_batch batch_;  // the one that was committed last
  clock_type::time_point recorded_at_{};  // when the last batch with records began
  clock_type::time_point wrote_at_{};  // when the last one with begins or finishes began
  clock_type::time_point redeliveries_rest_until_{};
  std::shared_ptr<keys_taken> taken_;
  purge_pace pace_;
  std::optional<purge_job> purge_;
  /// Deliveries up to this number have been examined. Those that were pending are examined again only after a restart.
  std::int64_t deliveries_purged_to_ = 0;
  payment_purge_position payments_purged_to_;
  bool purge_has_more_ = false;  // whether the last step deleted as many as it was allowed to
  std::array<prometheus::Counter*, commit_outcome_count> outcomes_{};
};

struct writer_state {
  static inline const char* name = "store_writer";
  std::optional<writer> work;
  bool work_scheduled = false;
  bool pause_scheduled = false;
  bool wake_scheduled = false;
};

using writer_pointer = writer_actor::stateful_pointer<writer_state>;

void wake_while_away(writer_pointer self) {
  auto& state = self->state;
  if (!state.work->link().away() || state.wake_scheduled) return;
  state.wake_scheduled = true;
  self->delayed_send(self, state.work->link().pause(), wake_atom{});
}

void schedule_work(writer_pointer self) {
  auto& state = self->state;
  if (state.work_scheduled || state.work->idle()) return;
  if (const auto pause = state.work->pause(); pause <= pause.zero()) {
    state.work_scheduled = true;
    self->send(self, work_atom{});
  } else if (!state.pause_scheduled) {
    state.pause_scheduled = true;
    self->delayed_send(self, pause, caf::tick_atom{});
  }
}

caf::result<commit_outcome> take_unit(writer_pointer self, unit_of_work& unit) {
  auto& work = *self->state.work;
  const auto queue = writer_queues::queue_of(unit.kind);
  if (work.queues().is_full(queue)) {
    work.count_rejected();
    return commit_outcome::rejected;
  }
  auto answer = self->make_response_promise<commit_outcome>();
  work.queues().add(answer, std::move(unit), queue);
  schedule_work(self);
  return answer;
}

caf::result<redeliver_rows_result> take_redelivery(writer_pointer self, redeliver_rows& what) {
  auto& work = *self->state.work;
  if (work.queues().is_full_of_redeliveries()) return make_error(actor_errc::overloaded);
  auto answer = self->make_response_promise<redeliver_rows_result>();
  work.queues().add({answer, std::move(what)});
  schedule_work(self);
  return answer;
}

caf::result<purge_result> take_purge(writer_pointer self, const purge_commands& what) {
  auto& work = *self->state.work;
  if (what.limit == 0) return purge_result{};
  if (work.purges()) return make_error(actor_errc::overloaded);
  auto answer = self->make_response_promise<purge_result>();
  work.purge(answer, what);
  schedule_work(self);
  return answer;
}

caf::result<clear_free_pages_result> clear_free_pages_now(writer_pointer self) {
  const auto made = self->state.work->clear_files();
  wake_while_away(self);
  if (!made) return make_error(actor_errc::store_unavailable);
  return *made;
}

writer_actor::behavior_type writer_behavior(writer_pointer self, const store_location& where,
                                            const std::shared_ptr<store_health>& health, metrics* counts,
                                            const writer_limits& limits, const std::shared_ptr<keys_taken>& taken,
                                            const std::shared_ptr<event_log>& events, const connection_box& first) {
  pthread_setname_np(pthread_self(), limits.awaited ? "store-writer" : "store-recorder");
  if (limits.awaited) use_normal_scheduling();
  self->state.work.emplace(*self, where, health, *counts, limits, taken, events, std::move(*first));
  events->add_lane([address = self->address()] {
    if (const auto writer = caf::actor_cast<caf::actor>(address)) caf::anon_send(writer, work_atom::value);
  });
  self->set_exit_handler([self](caf::exit_msg& message) {
    self->state.work->finish();
    self->quit(std::move(message.reason));
  });
  if (!where.process.empty() && where.language == dialect::mysql) self->send(self, keep_atom::value);
  if (where.node) self->send(self, load_atom::value);
  return {
      [self](unit_of_work& unit) { return take_unit(self, unit); },
      [self](const purge_commands& what) { return take_purge(self, what); },
      [self](redeliver_rows& what) { return take_redelivery(self, what); },
      [self](const clear_free_pages&) { return clear_free_pages_now(self); },
      [self](work_atom) {
        self->state.work_scheduled = false;
        self->state.work->work();
        schedule_work(self);
        wake_while_away(self);
      },
      [self](wake_atom) {
        self->state.wake_scheduled = false;
        self->state.work->link().try_to_reconnect();
        wake_while_away(self);
      },
      [self](caf::tick_atom) {
        self->state.pause_scheduled = false;
        schedule_work(self);
      },
      [self](keep_atom) {
        self->state.work->link().confirm_lock();
        wake_while_away(self);
        self->delayed_send(self, database_session::lock_interval, keep_atom::value);
      },
      [self](load_atom) {
        self->state.work->watch_other_lanes();
        wake_while_away(self);
        self->delayed_send(self, lanes_interval, load_atom::value);
      },
  };
}

}  // namespace

store_writer spawn_store_writer(caf::actor_system& system, const store_location& where,
                                std::shared_ptr<store_health> health, metrics& counts, writer_limits limits,
                                std::shared_ptr<keys_taken> taken, std::shared_ptr<event_log> events,
                                std::unique_ptr<db_connection> first) {
  return system.spawn<caf::detached>(writer_behavior, where, std::move(health), &counts, std::move(limits),
                                     std::move(taken), std::move(events),
                                     std::make_shared<std::unique_ptr<db_connection>>(std::move(first)));
}

}  // namespace gateway::persistence
