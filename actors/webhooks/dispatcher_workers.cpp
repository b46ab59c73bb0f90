// The workers of the dispatcher: those that are free, and those that die.

#include <algorithm>
#include <utility>

#include "dispatcher_state.hpp"
#include "gateway/base/log.hpp"

namespace gateway::actors {

namespace {

/// How many workers may die within `deaths_span`, and how many on one delivery before it is set aside.
constexpr std::size_t most_deaths = 100;
constexpr std::chrono::seconds deaths_span{60};
constexpr unsigned most_deaths_by_one = 3;

}  // namespace

bool dispatcher_state::worker_is_free() const {
  return !free_.empty() || workers_.size() < std::max<std::size_t>(1, context_->config.webhook_workers);
}

std::size_t dispatcher_state::free_worker() {
  if (free_.empty()) {
    workers_.push_back({});
    spawn_worker(workers_.size() - 1);
  }
  const auto number = free_.back();  // the worker that was used last, whose memory is still in the caches
  free_.pop_back();
  context_->meters.webhook_workers_busy.Set(static_cast<double>(workers_.size() - free_.size()));
  return number;
}

void dispatcher_state::set_free(std::size_t number) {
  free_.push_back(number);
  context_->meters.webhook_workers_busy.Set(static_cast<double>(workers_.size() - free_.size()));
}

void dispatcher_state::spawn_worker(std::size_t number) {
  workers_[number].actor = spawn_delivery_worker(self_->system(), context_, delivery_pool{self_}, number);
  self_->monitor(workers_[number].actor);
  free_.push_back(number);
}

void dispatcher_state::worker_died(const caf::down_msg& down) {
  const auto dead =
      std::ranges::find_if(workers_, [&](const pool_worker& s) { return s.actor.address() == down.source; });
  if (dead == workers_.end()) return;
  const auto now = context_->clock.now();
  const auto number = static_cast<std::size_t>(dead - workers_.begin());
  log::error("delivery_worker_died", {{"delivery", dead->order.job.row.id}});
  context_->meters.webhook_worker_restarts.Increment();
  deaths_.push_back(now);
  while (deaths_.front() + deaths_span < now) deaths_.pop_front();
  if (deaths_.size() > most_deaths)
    return self_->quit(caf::exit_reason::unhandled_exception);  // its workers then also end
  if (std::erase(free_, number) == 0) recover(*dead);
  spawn_worker(number);
  work();
  if (draining_ && free_.size() == workers_.size()) drained();
}

void dispatcher_state::give_back(pool_worker& worker, destination_lane& to) {
  to.take_back(std::move(worker.order.job));
  ready_in_all_ += 1;
}

/// Returns the delivery of a dead worker to its lane, or sets it aside if it has killed too many workers.
void dispatcher_state::recover(pool_worker& dead) {
  auto& to = lane_of(dead.order.to->what.id);
  end_without_answer(dead, to);
  auto& killed = deaths_by_delivery_[dead.order.job.row.id];
  if (++killed >= most_deaths_by_one) {
    log::error("delivery_set_aside", {{"delivery", dead.order.job.row.id}, {"destination", to.id.value}});
    deaths_by_delivery_.erase(dead.order.job.row.id);
    set_aside_[dead.order.job.row.id] = dead.order.job.row.version;
    release(to, dead.order.job);
  } else {
    give_back(dead, to);
  }
  enqueue(to);
}

bool dispatcher_state::is_set_aside(const delivery& row) const {
  const auto at = set_aside_.find(row.id);
  return at != set_aside_.end() && at->second == row.version;
}

void dispatcher_state::drained() {
  if (drain_) drain_->deliver(true);
  drain_.reset();
}

}  // namespace gateway::actors
