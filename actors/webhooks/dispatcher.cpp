#include "dispatcher.hpp"

#include <algorithm>
#include <utility>

#include <caf/stateful_actor.hpp>

#include "dispatcher_state.hpp"

namespace gateway::actors {

namespace {

constexpr std::chrono::seconds gauge_interval{5};

}  // namespace

void dispatcher_state::start(pool_pointer self, std::shared_ptr<const webhook_context> context) {
  self_ = self;
  context_ = std::move(context);
  pace_ = pace{context_->config.webhook_rate};
  owners_.emplace(std::max<std::size_t>(1, context_->config.webhook_workers));
  lag_.emplace(*context_, *owners_);
  self_->set_down_handler([this](caf::down_msg& down) { worker_died(down); });
  self_->set_exit_handler([this](caf::exit_msg& message) {
    for (auto& each : workers_) self_->send_exit(each.actor, caf::exit_reason::user_shutdown);
    self_->quit(std::move(message.reason));
  });
  self_->send(context_->operators, join_atom::value, dispatcher_actor{delivery_pool{self_}});
  wake();
}

void dispatcher_state::accept(fresh_deliveries& fresh) {
  const auto now = context_->clock.now();
  for (auto& job : fresh.jobs) {
    if (!context_->nodes.owns(job.row.to.value)) continue;
    auto& to = lane_of(job.row.to);
    if (job.row.version > 1) {
      replace_ready(to, job, now);
      continue;
    }
    if (to.holds(job.row.id)) continue;
    lag_->on_due(to);
    to.pending += 1;
    if (to.oldest_number == 0) to.oldest_number = job.row.id;
    // The table's deliveries come first.
    const bool behind = to.table_due && *to.table_due <= now;
    if (behind || to.ready.size() >= most_ready || ready_in_all_ >= most_ready_in_all || !may_take(to, job)) {
      to.expect(now);
    } else {
      take(to, std::move(job));
    }
    enqueue(to);
  }
  work();
}

/// The delivery or its event has changed in the table, so its copy is dropped and read again later. A worker's attempt
/// for the old version loses its claim, and that delivery is also read again.
void dispatcher_state::replace_ready(destination_lane& to, const delivery_job& changed, time_point now) {
  const auto held = std::ranges::find(to.ready, changed.row.id, [](const delivery_job& each) { return each.row.id; });
  if (held == to.ready.end()) return;
  release(to, *held);
  to.ready.erase(held);
  ready_in_all_ -= 1;
  to.expect(now);
  enqueue(to);
}

void dispatcher_state::changed(const destination_id& id) {
  if (const auto at = lanes_.find(id); at != lanes_.end()) {
    enqueue(at->second);
    work();
  }
}

caf::result<redeliver_result> dispatcher_state::again(const redeliver& wanted) {
  auto promise = self_->make_response_promise<redeliver_result>();
  redeliver_some(wanted, 0, promise);
  return promise;
}

caf::result<bool> dispatcher_state::drain() {
  draining_ = true;
  keep_health(context_->clock.now(), true);
  drain_ = self_->make_response_promise<bool>();
  auto promise = *drain_;
  if (free_.size() == workers_.size()) drained();
  return promise;
}

void dispatcher_state::wake() {
  const auto now = context_->clock.now();
  if (wake_at_ <= self_->system().clock().now()) wake_at_ = timer_time::max();
  // Neither time is further away than its interval, unless the clock was set back.
  backlog_due_at_ = std::min(backlog_due_at_, now + backlog_every_);
  gauges_at_ = std::min(gauges_at_, now + gauge_interval);
  if (context_->nodes.clustered()) share(now);
  if (!reading_backlog_ && now >= backlog_due_at_) read_backlog(now);
  if (now >= gauges_at_) {
    gauges_at_ = now + gauge_interval;
    show_lanes(now);
  }
  for (auto at = agenda_.begin(); at != agenda_.end() && at->first <= now; at = agenda_.erase(at))
    if (const auto due = lanes_.find(at->second); due != lanes_.end()) {
      if (due->second.reminder == at->first) due->second.reminder.reset();
      enqueue(due->second);
    }
  work();
}

/// If lanes have just moved to this node, their deliveries are read from the table.
void dispatcher_state::share(time_point now) {
  const auto owners = context_->nodes.shared_by();
  if (owners && owners != shared_by_) {
    const bool moved = !shared_by_ || shared_by_->names != owners->names;
    shared_by_ = owners;
    if (moved) backlog_due_at_ = now;
    for (auto& [id, each] : lanes_) enqueue(each);
  }
  report_yielded();
  if (!reading_backlog_ && now >= fresh_due_at_ && context_->nodes.has_other_nodes()) read_fresh(now);
}

void dispatcher_state::report_yielded() {
  if (!shared_by_ || yielded_ >= shared_by_->number) return;
  for (const auto& [id, each] : lanes_)
    if (each.with_workers > 0 && !context_->nodes.owns(id.value)) return;
  yielded_ = shared_by_->number;
  if (context_->keeper) self_->send(context_->keeper, yielded_up_to{yielded_});
}

void dispatcher_state::remind(destination_lane& of, time_point at) {
  // A lane calls this each time that it is queued. The earliest reminder suffices, because the lane then calls again.
  if (of.reminder && *of.reminder <= at) return;
  of.reminder = at;
  agenda_.emplace(at, of.id);
}

void dispatcher_state::schedule(time_point now) {
  auto at = reading_backlog_ ? gauges_at_ : std::min(backlog_due_at_, gauges_at_);
  if (!agenda_.empty()) at = std::min(at, agenda_.begin()->first);
  auto delay = std::clamp<duration_ms>(at - now, duration_ms{1}, gauge_interval);
  if (context_->nodes.clustered()) delay = std::min(delay, fresh_interval);
  if (owners_->has_queued() && !pace_.permits()) delay = std::min(delay, pace::grain);
  if (lag_->brakes()) delay = std::min<duration_ms>(delay, delivery_balance::interval);
  const auto rings = self_->system().clock().now() + delay;
  if (wake_at_ <= rings + duration_ms{1}) return;
  wake_at_ = rings;
  self_->delayed_send(self_, delay, wake_atom::value);
}

namespace {

delivery_pool::behavior_type dispatcher_behavior(delivery_pool::stateful_pointer<dispatcher_state> self,
                                                 std::shared_ptr<const webhook_context> context) {
  self->state.start(self, std::move(context));
  return {
      [self](fresh_deliveries& fresh) { self->state.accept(fresh); },
      [self](const destination_changed& change) { self->state.changed(change.id); },
      [self](const redeliver& wanted) { return self->state.again(wanted); },
      [self](drain_atom) { return self->state.drain(); },
      [self](wake_atom) { self->state.wake(); },
      [self](const attempt_answered& report) { self->state.answered(report); },
      [self](const attempt_withheld& report) { self->state.withheld(report); },
      [self](attempt_recorded& report) { self->state.recorded(report); },
  };
}

}  // namespace

dispatcher_actor spawn_dispatcher(caf::actor_system& system, std::shared_ptr<const webhook_context> context) {
  return system.spawn(dispatcher_behavior, std::move(context));
}

}  // namespace gateway::actors
