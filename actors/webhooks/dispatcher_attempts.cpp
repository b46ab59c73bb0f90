// The attempts of the dispatcher: which lane is next, handing out, and the outcome of each attempt.

#include <algorithm>
#include <utility>

#include "dispatcher_state.hpp"
#include "gateway/base/log.hpp"

namespace gateway::actors {

namespace {

/// The body, and the request that contains it.
constexpr std::size_t copies_of_attempt = 2;
/// Most look-ups at once. After a start no destination is loaded, and the directory must also serve other look-ups.
constexpr std::size_t most_lookups = 64;

std::size_t bytes_of_attempt(const delivery_job& job) {
  return copies_of_attempt * (job.event.data.size() + job.left_out);
}

}  // namespace

void dispatcher_state::answered(const attempt_answered& report) {
  auto& worker = workers_[report.worker];
  auto& to = lane_of(worker.order.to->what.id);
  const auto now = context_->clock.now();
  worker.answered = true;
  end_attempt(worker, to);
  to.allowed.ended(report.result, report.status, report.took_ms);
  if (report.result == attempt_result::delivered) {
    if (to.trust.current() != breaker::state::closed) log::info("destination_is_back", {{"destination", to.id.value}});
    to.trust.succeeded();
  } else {
    const bool was_closed = to.trust.current() == breaker::state::closed;
    to.trust.failed(now);
    if (was_closed && to.trust.current() != breaker::state::closed)
      log::warn("destination_is_failing", {{"destination", to.id.value}});
  }
  note_health(to, report, worker.order.to->what, now);
  const bool is_gone = to.gone_answers.ended(report.result, worker.order.job.row.id, now);
  if (is_gone && to.gone != worker.order.to) {
    to.gone = worker.order.to;
    log::warn("destination_gone", {{"destination", to.id.value}});
    disable(to, worker.order.to->what, "It answered 410 Gone to three deliveries in a row.");
  }
  enqueue(to);
  work();
}

void dispatcher_state::withheld(const attempt_withheld& report) {
  auto& worker = workers_[report.worker];
  auto& to = lane_of(worker.order.to->what.id);
  end_without_answer(worker, to);
  if (report.moved_on) {
    release(to, worker.order.job);
    to.expect(context_->clock.now());
  } else {
    give_back(worker, to);
  }
  worker.order.job = {};
  set_free(report.worker);
  enqueue(to);
  work();
  if (draining_ && free_.size() == workers_.size()) drained();
}

void dispatcher_state::recorded(attempt_recorded& report) {
  auto& worker = workers_[report.worker];
  auto& to = lane_of(worker.order.to->what.id);
  const auto number = worker.order.job.row.id;
  release(to, worker.order.job);
  worker.order.job = {};
  end_work(to);
  if (!report.row) {
    to.expect(context_->clock.now());
  } else if (report.row->next_attempt_at) {
    to.expect(*report.row->next_attempt_at);
  } else {
    to.done_with(number);
  }
  deaths_by_delivery_.erase(number);
  set_free(report.worker);
  enqueue(to);
  work();
  if (draining_ && free_.size() == workers_.size()) drained();
}

/// Hands out one delivery of each queued lane in turn, until no worker is free or no lane may send.
void dispatcher_state::work() {
  if (draining_) return;
  const auto now = context_->clock.now();
  const auto ticks = self_->system().clock().now();
  if (lag_->is_due(ticks)) {
    if (sampled_at_ != timer_time{}) owners_->sample(std::chrono::duration<double>(ticks - sampled_at_).count());
    sampled_at_ = ticks;
    lag_->sample(lanes_, ticks, now);
  }
  pace_.refill(ticks, {context_->meters.requests_in_flight.Value() > 0, lag_->fresh_per_second(), lag_->longest()});
  while (worker_is_free() && pace_.permits()) {
    auto* to = owners_->next();
    if (!to) break;
    to->queued = false;
    if (serve(*to, now)) enqueue(*to);
  }
  schedule(now);
}

/// Hands out one delivery of the lane, if permitted; true if another may follow.
bool dispatcher_state::serve(destination_lane& to, time_point now) {
  const auto endpoint = find_open(to, now);
  if (!endpoint) return false;
  if (!to.owner) {
    join(to, *endpoint);
    return true;  // wait for its owner's turn
  }
  read_if_low(to, now);
  if (to.ready.empty()) return false;
  if (!to.trust.permits(now)) {
    // The probe needs only one delivery. The memory is kept for destinations that are well.
    forget_ready(to, now, 1);
    if (const auto at = to.trust.probe_at()) remind(to, *at);
    return false;
  }
  const bool probing = to.trust.current() != breaker::state::closed;
  if ((probing ? to.under_way >= 1 : !to.has_room()) || !to.has_workers_left()) return false;
  const auto bytes = bytes_of_attempt(to.ready.front());
  if (!owners_->may_hold_for_attempt(*to.owner, bytes)) {
    to.queued = true;
    owners_->wait_for_bytes(to, bytes);
    return false;
  }
  hand_out(to, endpoint);
  return !to.ready.empty();
}

/// The lane's endpoint, if this node may send there now.
std::shared_ptr<const webhook_endpoint> dispatcher_state::find_open(destination_lane& to, time_point now) {
  if (!may_serve(to)) {
    forget_ready(to, now);
    return nullptr;
  }
  auto endpoint = context_->merchants.find_destination(to.id);
  if (!endpoint || !may_be_sent(*endpoint)) {
    // The deliveries are also in the table, so they need not stay in memory.
    forget_ready(to, now);
    if (!endpoint && to.pending > 0) look_up_endpoint(to, now);
    if (endpoint && endpoint->what.status == destination_status::deleted) drop_pending(to);
    return nullptr;
  }
  note_url(to, *endpoint);
  if (to.gone == endpoint) return nullptr;
  to.gone.reset();
  return endpoint;
}

/// Resets the lane's measurements if the URL has changed, because they concern the old URL.
void dispatcher_state::note_url(destination_lane& to, const webhook_endpoint& now) {
  if (to.url == now.what.url) return;
  if (!to.url.empty()) {
    to.trust = {};
    to.allowed = attempt_window{context_->config.webhook_window};
    to.gone_answers = {};
  }
  to.url = now.what.url;
}

/// The directory reports the endpoint by destination_changed. If it fails, has too many requests already, or finds no
/// such destination, the lane asks again.
void dispatcher_state::look_up_endpoint(destination_lane& to, time_point now) {
  remind(to, now + pause_after_failure);
  if (lookups_ >= most_lookups) return;
  ++lookups_;
  self_->request(context_->operators, answer_timeout, look_up{{directory_name::kind::destination, to.id.value}})
      .then([this](bool) { --lookups_; }, [this](const caf::error&) { --lookups_; });
}

void dispatcher_state::hand_out(destination_lane& to, std::shared_ptr<const webhook_endpoint> endpoint) {
  const auto number = free_worker();
  auto& worker = workers_[number];
  worker.order = {std::move(to.ready.front()), std::move(endpoint)};
  worker.bytes = bytes_of_attempt(worker.order.job);
  worker.answered = false;
  owners_->take_worker(*to.owner, worker.bytes);
  to.ready.pop_front();
  ready_in_all_ -= 1;
  pace_.on_sent();
  lag_->on_sent(to);
  to.trust.on_sent();
  to.under_way += 1;
  to.with_workers += 1;
  self_->send(worker.actor, worker.order);
}

/// The worker has ended. If it made its attempt, the outcome is unknown.
void dispatcher_state::end_without_answer(pool_worker& worker, destination_lane& to) {
  if (!worker.answered) {
    end_attempt(worker, to);
    to.trust.abandoned(context_->clock.now());
  }
  end_work(to);
}

/// Returns the attempt's share of memory, because its body is no longer needed.
void dispatcher_state::end_attempt(pool_worker& worker, destination_lane& to) {
  to.under_way -= 1;
  owners_->end_attempt(*to.owner, std::exchange(worker.bytes, 0));
}

void dispatcher_state::end_work(destination_lane& to) {
  to.with_workers -= 1;
  owners_->give_back_worker(*to.owner);
}

}  // namespace gateway::actors
