// The composition root spawns the dispatcher, which spawns workers as needed. It owns no delivery: each is a row, and
// the dispatcher holds copies of those that are due and the time when others will be. Commits send it fresh deliveries.
// It reads the table for deliveries that memory has no room for, for those that become due later, after a start, and
// from time to time for those that another process left.
//
// Each destination has a lane with its own window and breaker, so that one that hangs holds few workers and does not
// delay others. Owners of lanes with something to do take turns, and so do the lanes of one owner; owners share the
// workers and the memory (lane_owners.hpp).
//
// Of several nodes each serves the lanes that it owns (gateway/membership.hpp). It finds deliveries that other nodes
// commit for these lanes in the table, which it then reads twice a second. A lane that has moved to this node waits
// until its previous node has no attempt under way any more, or is gone.
//
// A worker that dies is replaced, and its delivery is attempted again. Too many deaths end the dispatcher and with it
// the process: a fresh start reads the table.

#include "dispatcher.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "delivery_lag.hpp"
#include "destination_lane.hpp"
#include "gateway/ask_store.hpp"
#include "gateway/base/log.hpp"
#include "gateway/delivery_numbers.hpp"
#include "lane_owners.hpp"
#include "pace.hpp"

namespace gateway::actors {

namespace {

/// The queue of a lane in memory: refilled when it runs low.
constexpr std::size_t most_ready = 256;
constexpr std::size_t low_ready = 64;
/// Limit for all lanes together. Past it fresh deliveries wait in the table.
constexpr std::size_t most_ready_in_all = 50'000;
/// Past that limit a lane with an empty queue still reads this many, whatever its owner's share of the memory.
constexpr std::size_t few_ready = 16;
/// The data of larger events is read when they are sent, if it does not fit into memory before.
constexpr std::uint32_t most_data_read = find_due_deliveries{}.most_data_bytes;
/// The body, and the request that contains it.
constexpr std::size_t copies_of_attempt = 2;
/// How many lanes read at once: more would only wait for each other in the reader's mailbox.
constexpr std::size_t most_reading = 4;
/// After a start, the directory has loaded no destination. The limit lets requests for merchants in between.
constexpr std::size_t most_looking_up = 64;
constexpr std::chrono::seconds backlog_interval{30};
/// If there are other nodes, through which an operator may have made deliveries due.
constexpr std::chrono::seconds shared_backlog_interval{5};
constexpr std::chrono::minutes longest_backlog_interval{10};
constexpr std::chrono::seconds gauge_interval{5};
/// A lane that was idle for this long is removed, with its destination's metrics.
constexpr std::chrono::minutes idle_lanes_kept{10};
constexpr std::chrono::seconds look_timeout{30};
constexpr std::chrono::seconds look_again{1};
/// If there are other nodes: how often recent deliveries are looked for, and how far back. The span allows for a slow
/// commit and for clocks that differ.
constexpr duration_ms fresh_interval{500};
constexpr duration_ms fresh_span{5'000};
/// The size of one transaction of the writer; payments may wait behind it.
constexpr std::uint32_t redeliver_chunk = 200;
/// How many workers may die within `deaths_span`, and how many on one delivery before it is set aside.
constexpr std::size_t most_deaths = 100;
constexpr std::chrono::seconds deaths_span{60};
constexpr unsigned most_deaths_by_one = 3;

using pool_pointer = delivery_pool::pointer;
using timer_time = caf::actor_clock::time_point;

class dispatcher_state {
 public:
  static inline const char* name = "dispatcher";

  void start(pool_pointer self, std::shared_ptr<const webhook_context> context) {
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

  // ---- incoming messages ------------------------------------------------------------------------

  void accept(fresh_deliveries& fresh) {
    const auto now = context_->clock.now();
    for (auto& job : fresh.jobs) {
      if (!context_->nodes.owns(job.row.to.value)) continue;
      auto& to = lane_of(job.row.to);
      if (to.holds(job.row.id)) continue;
      lag_->came(to);
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

  void changed(const destination_id& id) {
    if (const auto at = lanes_.find(id); at != lanes_.end()) {
      enqueue(at->second);
      work();
    }
  }

  void answered(const attempt_answered& told) {
    auto& worker = workers_[told.worker];
    auto& to = lane_of(worker.order.to->what.id);
    const auto now = context_->clock.now();
    worker.answered = true;
    end_attempt(worker, to);
    to.allowed.ended(told.result, told.status, told.took_ms);
    if (told.result == attempt_result::delivered) {
      if (to.trust.now_is() != breaker::state::closed) log::info("destination_is_back", {{"destination", to.id.value}});
      to.trust.succeeded();
    } else {
      const bool was_closed = to.trust.now_is() == breaker::state::closed;
      to.trust.failed(now);
      if (was_closed && to.trust.now_is() != breaker::state::closed)
        log::warn("destination_is_failing", {{"destination", to.id.value}});
    }
    const bool wants_no_more = to.gone_answers.ended(told.result, worker.order.job.row.id, now);
    if (wants_no_more && to.gone != worker.order.to) {
      to.gone = worker.order.to;
      disable(to);
    }
    enqueue(to);
    work();
  }

  void withheld(const attempt_withheld& told) {
    auto& worker = workers_[told.worker];
    auto& to = lane_of(worker.order.to->what.id);
    end_without_answer(worker, to);
    if (told.moved_on) {
      let_go(to, worker.order.job);
      to.expect(context_->clock.now());
    } else {
      give_back(worker, to);
    }
    worker.order.job = {};
    set_free(told.worker);
    enqueue(to);
    work();
    if (draining_ && free_.size() == workers_.size()) drained();
  }

  void recorded(attempt_recorded& told) {
    auto& worker = workers_[told.worker];
    auto& to = lane_of(worker.order.to->what.id);
    const auto number = worker.order.job.row.id;
    let_go(to, worker.order.job);
    worker.order.job = {};
    end_work(to);
    if (!told.row) {
      to.expect(context_->clock.now());
    } else if (told.row->next_attempt_at) {
      to.expect(*told.row->next_attempt_at);
    } else {
      to.done_with(number);
    }
    deaths_by_delivery_.erase(number);
    set_free(told.worker);
    enqueue(to);
    work();
    if (draining_ && free_.size() == workers_.size()) drained();
  }

  caf::result<redeliver_result> again(const redeliver& wanted) {
    auto promise = self_->make_response_promise<redeliver_result>();
    redeliver_some(wanted, 0, promise);
    return promise;
  }

  /// Stops handing out; answers once every worker is idle.
  caf::result<bool> drain() {
    draining_ = true;
    drain_ = self_->make_response_promise<bool>();
    auto promise = *drain_;
    if (free_.size() == workers_.size()) drained();
    return promise;
  }

  void wake() {
    const auto now = context_->clock.now();
    if (wake_at_ <= self_->system().clock().now()) wake_at_ = timer_time::max();
    // Neither time is further away than its interval, unless the clock was set back.
    look_at_ = std::min(look_at_, now + look_every_);
    gauges_at_ = std::min(gauges_at_, now + gauge_interval);
    if (context_->nodes.clustered()) share(now);
    if (!looking_ && now >= look_at_) look_at_backlog(now);
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

 private:
  struct pool_worker {
    delivery_worker actor;
    delivery_order order;
    std::size_t bytes = 0;  ///< of its attempt, beside the delivery's own
    bool answered = false;
  };

  // ---- other nodes ------------------------------------------------------------------------------

  /// The table holds the deliveries of lanes that have just moved to this node.
  void share(time_point now) {
    const auto owners = context_->nodes.shared_by();
    if (owners && owners != shared_by_) {
      const bool moved = !shared_by_ || shared_by_->names != owners->names;
      shared_by_ = owners;
      if (moved) look_at_ = now;
      for (auto& [id, each] : lanes_) enqueue(each);
    }
    tell_what_is_yielded();
    if (!looking_ && now >= look_at_fresh_ && context_->nodes.has_company()) look_at_fresh(now);
  }

  void tell_what_is_yielded() {
    if (!shared_by_ || yielded_ >= shared_by_->number) return;
    for (const auto& [id, each] : lanes_)
      if (each.with_workers > 0 && !context_->nodes.owns(id.value)) return;
    yielded_ = shared_by_->number;
    if (context_->keeper) self_->send(context_->keeper, yielded_up_to{yielded_});
  }

  /// Looks for deliveries of the last seconds that other nodes may have committed. look_at_backlog() finds those that
  /// this misses.
  void look_at_fresh(time_point now) {
    looking_ = true;
    look_at_fresh_ = now + fresh_interval;
    const auto from = delivery_numbers::first_at(now - fresh_span);
    ask_store(self_, context_->store.outbox, look_timeout, find_backlog{from})
        .then(
            [this, from](const backlog_lookup& found) {
              looking_ = false;
              for (const auto& row : found.destinations) {
                if (!context_->nodes.owns(row.to.value)) continue;
                auto& to = lane_of(row.to);
                const auto known = std::distance(to.held.lower_bound(from), to.held.end());
                if (row.pending <= static_cast<std::uint64_t>(known)) continue;
                to.expect(row.next_attempt_at);
                enqueue(to);
              }
              work();
            },
            [this](const caf::error&) {
              looking_ = false;
              schedule(context_->clock.now());
            });
  }

  /// Whether this node may serve the lane now.
  bool may_attend(const destination_lane& to) const {
    const auto& nodes = context_->nodes;
    return !nodes.clustered() || (nodes.serves() && nodes.owns(to.id.value) && shared_by_ && shared_by_->yielded);
  }

  // ---- lanes ------------------------------------------------------------------------------------

  destination_lane& lane_of(const destination_id& id) {
    auto& lane = lanes_.try_emplace(id, id, context_->config.webhook_window).first->second;
    lane.idle_since.reset();
    if (!lane.owner)
      if (const auto endpoint = context_->merchants.find_destination(id)) join(lane, *endpoint);
    return lane;
  }

  void show_lanes(time_point now) {
    for (auto at = lanes_.begin(); at != lanes_.end();) {
      auto& lane = at->second;
      if (!lane.is_idle()) lane.idle_since.reset();
      // The clock may have been set back.
      else if (!lane.idle_since || *lane.idle_since > now)
        lane.idle_since = now;
      else if (now - *lane.idle_since >= idle_lanes_kept) {
        context_->meters.forget_destination(at->first.value);
        if (lane.owner) owners_->leave(*lane.owner);
        at = lanes_.erase(at);
        continue;
      }
      show(lane, now);
      ++at;
    }
  }

  void join(destination_lane& lane, const webhook_endpoint& of) {
    lane.owner = &owners_->join(of.what.owner, of.what.env);
  }

  /// Whether the delivery fits into the memory limits of its lane, of the owner and of all lanes. Large data may have
  /// to stay in the store.
  bool may_take(const destination_lane& to, delivery_job& job) const {
    if (!to.owner) return false;
    if (has_room(to, bytes_of(job))) return true;
    if (job.event.data.size() <= most_data_read) return false;
    job.left_out = job.event.data.size();
    job.event.data = {};
    return has_room(to, bytes_of(job));
  }
  bool has_room(const destination_lane& to, std::size_t bytes) const {
    return to.bytes + bytes <= destination_lane::most_bytes && owners_->may_hold(*to.owner, bytes);
  }

  void take(destination_lane& to, delivery_job job) {
    const auto bytes = bytes_of(job);
    to.bytes += bytes;
    owners_->hold(*to.owner, bytes);
    to.take(std::move(job));
    ready_in_all_ += 1;
  }
  void let_go(destination_lane& to, const delivery_job& job) {
    const auto bytes = bytes_of(job);
    to.bytes -= bytes;
    owners_->let_go(*to.owner, bytes);
    to.let_go(job.row.id);
  }

  void enqueue(destination_lane& to) {
    if (to.queued) return owners_->reconsider(to);
    to.queued = true;
    owners_->enqueue(to);
  }

  /// Hands out one delivery of each queued lane in turn, until no worker is free or no lane may send.
  void work() {
    if (draining_) return;
    const auto now = context_->clock.now();
    const auto ticks = self_->system().clock().now();
    if (lag_->is_due(ticks)) {
      if (looked_at_ != timer_time{}) owners_->look(std::chrono::duration<double>(ticks - looked_at_).count());
      looked_at_ = ticks;
      lag_->look(lanes_, ticks, now);
    }
    pace_.refill(ticks, {context_->meters.requests_in_flight.Value() > 0, lag_->fresh_per_second(), lag_->longest()});
    while (worker_is_free() && pace_.permits()) {
      auto* to = owners_->next();
      if (!to) break;
      to->queued = false;
      if (attend(*to, now)) enqueue(*to);
    }
    schedule(now);
  }

  bool worker_is_free() const {
    return !free_.empty() || workers_.size() < std::max<std::size_t>(1, context_->config.webhook_workers);
  }

  /// Hands out one delivery of the lane, if permitted; true if another may follow.
  bool attend(destination_lane& to, time_point now) {
    const auto endpoint = find_open(to, now);
    if (!endpoint) return false;
    if (!to.owner) {
      join(to, *endpoint);
      return true;  // wait for its owner's turn
    }
    read_if_low(to, now);
    if (to.ready.empty()) return false;
    if (!to.trust.permits(now)) {
      // The probe needs one delivery: memory is for destinations that are well.
      forget_ready(to, now, 1);
      if (const auto at = to.trust.probe_at()) remind(to, *at);
      return false;
    }
    const bool probing = to.trust.now_is() != breaker::state::closed;
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
  std::shared_ptr<const webhook_endpoint> find_open(destination_lane& to, time_point now) {
    if (!may_attend(to)) {
      forget_ready(to, now);
      return nullptr;
    }
    auto endpoint = context_->merchants.find_destination(to.id);
    if (!endpoint || !may_be_sent(*endpoint)) {
      // The deliveries are in the table, too, so memory need not hold them.
      forget_ready(to, now);
      if (!endpoint && to.pending > 0) look_up_endpoint(to, now);
      return nullptr;
    }
    if (to.gone == endpoint) return nullptr;
    to.gone.reset();
    return endpoint;
  }

  static std::size_t bytes_of_attempt(const delivery_job& job) {
    return copies_of_attempt * (job.event.data.size() + job.left_out);
  }

  /// The directory reports the endpoint by destination_changed. If it fails, has too many requests already, or finds no
  /// such destination, the lane asks again.
  void look_up_endpoint(destination_lane& to, time_point now) {
    remind(to, now + look_again);
    if (looking_up_ >= most_looking_up) return;
    ++looking_up_;
    self_->request(context_->operators, look_timeout, look_up{{directory_name::kind::destination, to.id.value}})
        .then([this](bool) { --looking_up_; }, [this](const caf::error&) { --looking_up_; });
  }

  void hand_out(destination_lane& to, std::shared_ptr<const webhook_endpoint> endpoint) {
    const auto number = free_worker();
    auto& worker = workers_[number];
    worker.order = {std::move(to.ready.front()), std::move(endpoint)};
    worker.bytes = bytes_of_attempt(worker.order.job);
    worker.answered = false;
    owners_->take_worker(*to.owner, worker.bytes);
    to.ready.pop_front();
    ready_in_all_ -= 1;
    pace_.began();
    lag_->began(to);
    to.trust.began();
    to.under_way += 1;
    to.with_workers += 1;
    self_->send(worker.actor, worker.order);
  }

  void forget_ready(destination_lane& to, time_point now, std::size_t but = 0) {
    if (to.ready.size() <= but) return;
    for (; to.ready.size() > but; to.ready.pop_back(), ready_in_all_ -= 1) let_go(to, to.ready.back());
    to.expect(now);
  }

  void disable(destination_lane& to) {
    log::warn("destination_gone", {{"destination", to.id.value}});
    to.being_disabled = true;
    const auto not_disabled = [this, &to](std::string_view why) {
      log::error("destination_not_disabled", {{"destination", to.id.value}, {"why", why}});
      to.being_disabled = false;
      to.gone.reset();  // its next answer shows whether it still is
      enqueue(to);
      work();
    };
    self_
        ->request(context_->operators, look_timeout,
                  operator_command{disable_destination{to.id, "It answered 410 Gone to three deliveries in a row."}})
        .then(
            [&to, not_disabled](const operator_result& made) {
              to.being_disabled = false;
              if (const auto* why = std::get_if<operator_problem>(&made)) not_disabled(why->words);
            },
            [not_disabled](const caf::error&) { not_disabled("the directory did not answer"); });
  }

  // ---- the table --------------------------------------------------------------------------------

  void read_if_low(destination_lane& to, time_point now) {
    if (!to.table_due || to.reading || to.ready.size() >= low_ready) return;
    if (*to.table_due > now) return remind(to, *to.table_due);
    if (to.trust.now_is() != breaker::state::closed && !to.ready.empty()) return;
    const bool has_memory = has_room(to, bytes_of(delivery_job{}) + most_data_read);
    if (!has_memory) owners_->note_shortage(*to.owner);
    const bool short_of_memory = ready_in_all_ >= most_ready_in_all || !has_memory;
    if (short_of_memory && !to.ready.empty()) return;
    if (reading_ >= most_reading) {
      if (!std::exchange(to.waits_to_read, true)) waiting_to_read_.push_back(&to);
      return;
    }
    to.reading = true;
    reading_ += 1;
    to.table_due.reset();
    // Deliveries that are with workers, set aside, or unreadable are still due in the table: the limit allows for them,
    // so that they do not displace unknown ones.
    const auto wanted = short_of_memory ? few_ready : most_ready - to.ready.size();
    const auto limit = static_cast<std::uint32_t>(wanted + to.held.size() + set_aside_.size() + to.unreadable);
    ask_store(self_, context_->store.outbox, look_timeout, find_due_deliveries{to.id, now, limit, most_data_read})
        .then([this, &to, limit](due_deliveries_lookup& found) { adopt(to, found, limit); },
              [this, &to](const caf::error&) {
                has_read(to);
                to.expect(context_->clock.now() + look_again);
                enqueue(to);
                work();
              });
  }

  void adopt(destination_lane& to, due_deliveries_lookup& found, std::uint32_t limit) {
    bool more = found.jobs.size() + found.unreadable >= limit;
    to.unreadable = found.unreadable;
    for (auto& job : found.jobs) {
      const auto number = job.row.id;
      if (to.holds(number) || to.let_go_while_reading.contains(number) || is_set_aside(job.row)) continue;
      if (to.ready.size() >= few_ready && !may_take(to, job)) {
        more = true;
        break;
      }
      take(to, std::move(job));
    }
    has_read(to);
    if (more) to.expect(context_->clock.now());
    if (found.next_due) to.expect(*found.next_due);
    enqueue(to);
    work();
  }

  /// Lets the lanes that have waited longest read now, without waiting for their owners' turns: a held-up owner gets no
  /// turn, and its waiting lanes would keep those of other owners from reading.
  void has_read(destination_lane& to) {
    to.reading = false;
    to.let_go_while_reading.clear();
    reading_ -= 1;
    if (draining_) return;
    const auto now = context_->clock.now();
    while (reading_ < most_reading && !waiting_to_read_.empty()) {
      auto& next = *waiting_to_read_.front();
      waiting_to_read_.pop_front();
      next.waits_to_read = false;
      if (find_open(next, now)) read_if_low(next, now);
    }
  }

  void look_at_backlog(time_point now) {
    looking_ = true;
    look_at_ = now + backlog_interval;
    const auto began = self_->system().clock().now();
    ask_store(self_, context_->store.outbox, look_timeout, find_backlog{})
        .then(
            [this, began](backlog_lookup& found) {
              looking_ = false;
              // Counting a long table takes long, so it may take only a small part of the time (1/20).
              const auto took = std::chrono::ceil<duration_ms>(self_->system().clock().now() - began);
              const auto least = context_->nodes.has_company() ? shared_backlog_interval : backlog_interval;
              look_every_ = std::clamp<duration_ms>(took * 20, least, longest_backlog_interval);
              look_at_ = context_->clock.now() + look_every_;
              for (auto& [id, each] : lanes_) {
                each.pending = each.held.size();
                each.oldest_number = 0;
              }
              for (const auto& row : found.destinations) {
                if (!context_->nodes.owns(row.to.value)) continue;
                auto& to = lane_of(row.to);
                to.pending = row.pending;
                to.oldest_number = row.oldest_number;
                if (row.pending > to.held.size() || !to.holds(row.oldest_number)) to.expect(row.next_attempt_at);
                enqueue(to);
              }
              work();
            },
            [this, began](const caf::error&) {
              looking_ = false;
              const bool at_once = self_->system().clock().now() - began < look_timeout / 2;
              look_at_ = context_->clock.now() + (at_once ? look_again : backlog_interval);
              schedule(context_->clock.now());
            });
  }

  void redeliver_some(const redeliver& wanted, std::uint64_t before,
                      caf::typed_response_promise<redeliver_result> promise) {
    const auto now = context_->clock.now();
    self_
        ->request(context_->store.recorder, look_timeout,
                  redeliver_rows{wanted.id, wanted.to, wanted.from, wanted.until, now, redeliver_chunk})
        .then(
            [this, wanted, before, now, promise](const redeliver_rows_result& made) mutable {
              const auto count = before + made.changed;
              if (made.changed > 0) {
                auto& to = lane_of(made.to.empty() ? wanted.to : made.to);
                to.pending += made.changed;
                to.expect(now);
                enqueue(to);
                work();
              }
              if (wanted.id == 0 && made.changed >= redeliver_chunk) return redeliver_some(wanted, count, promise);
              promise.deliver(redeliver_result{count});
            },
            [promise](caf::error& why) mutable { promise.deliver(std::move(why)); });
  }

  // ---- time -------------------------------------------------------------------------------------

  void remind(destination_lane& of, time_point at) {
    // A lane calls this each time that it is queued. The earliest reminder suffices, because the lane then calls again.
    if (of.reminder && *of.reminder <= at) return;
    of.reminder = at;
    agenda_.emplace(at, of.id);
  }

  void schedule(time_point now) {
    auto at = looking_ ? gauges_at_ : std::min(look_at_, gauges_at_);
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

  void show(const destination_lane& of, time_point now) const {
    auto& meters = context_->meters;
    const auto& id = of.id.value;
    const auto age = of.pending == 0 || of.oldest_number == 0
                         ? duration_ms{0}
                         : duration_ms{now - delivery_numbers::drawn_at(of.oldest_number)};
    meters.webhook_pending(id).Set(static_cast<double>(of.pending));
    meters.webhook_in_flight(id).Set(static_cast<double>(of.under_way));
    meters.webhook_oldest_seconds(id).Set(std::chrono::duration<double>(std::max(age, duration_ms{0})).count());
    meters.webhook_breaker(id).Set(static_cast<double>(of.trust.now_is()));
  }

  // ---- workers ----------------------------------------------------------------------------------

  std::size_t free_worker() {
    if (free_.empty()) {
      workers_.push_back({});
      spawn_worker(workers_.size() - 1);
    }
    const auto number = free_.back();  // the one that worked last: its memory is still in the caches
    free_.pop_back();
    context_->meters.webhook_workers_busy.Set(static_cast<double>(workers_.size() - free_.size()));
    return number;
  }

  void set_free(std::size_t number) {
    free_.push_back(number);
    context_->meters.webhook_workers_busy.Set(static_cast<double>(workers_.size() - free_.size()));
  }

  void spawn_worker(std::size_t number) {
    workers_[number].actor = spawn_delivery_worker(self_->system(), context_, delivery_pool{self_}, number);
    self_->monitor(workers_[number].actor);
    free_.push_back(number);
  }

  void worker_died(const caf::down_msg& down) {
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
      return self_->quit(caf::exit_reason::unhandled_exception);  // its workers then end, too
    if (std::erase(free_, number) == 0) survive(*dead);
    spawn_worker(number);
    work();
    if (draining_ && free_.size() == workers_.size()) drained();
  }

  /// The worker is finished with the lane; if it made its attempt, the outcome is unknown.
  void end_without_answer(pool_worker& worker, destination_lane& to) {
    if (!worker.answered) {
      end_attempt(worker, to);
      to.trust.abandoned(context_->clock.now());
    }
    end_work(to);
  }

  /// Frees the attempt's share: its body is not needed any more.
  void end_attempt(pool_worker& worker, destination_lane& to) {
    to.under_way -= 1;
    owners_->end_attempt(*to.owner, std::exchange(worker.bytes, 0));
  }
  void end_work(destination_lane& to) {
    to.with_workers -= 1;
    owners_->give_back_worker(*to.owner);
  }

  void give_back(pool_worker& worker, destination_lane& to) {
    to.take_back(std::move(worker.order.job));
    ready_in_all_ += 1;
  }

  /// Returns the delivery of a dead worker to its lane, or sets it aside if it has killed too many workers.
  void survive(pool_worker& dead) {
    auto& to = lane_of(dead.order.to->what.id);
    end_without_answer(dead, to);
    auto& killed = deaths_by_delivery_[dead.order.job.row.id];
    if (++killed >= most_deaths_by_one) {
      log::error("delivery_set_aside", {{"delivery", dead.order.job.row.id}, {"destination", to.id.value}});
      deaths_by_delivery_.erase(dead.order.job.row.id);
      set_aside_[dead.order.job.row.id] = dead.order.job.row.version;
      let_go(to, dead.order.job);
    } else {
      give_back(dead, to);
    }
    enqueue(to);
  }

  bool is_set_aside(const delivery& row) const {
    const auto at = set_aside_.find(row.id);
    return at != set_aside_.end() && at->second == row.version;
  }

  void drained() {
    if (drain_) drain_->deliver(true);
    drain_.reset();
  }

  pool_pointer self_ = nullptr;
  std::shared_ptr<const webhook_context> context_;

  std::unordered_map<destination_id, destination_lane> lanes_;  ///< handlers refer only to lanes that are not idle
  std::optional<lane_owners> owners_;
  timer_time looked_at_{};
  std::multimap<time_point, destination_id> agenda_;
  std::size_t ready_in_all_ = 0;
  std::size_t reading_ = 0;
  std::size_t looking_up_ = 0;  ///< destinations that the directory is looking up
  std::deque<destination_lane*> waiting_to_read_;
  pace pace_{0};
  std::optional<delivery_lag> lag_;

  std::vector<pool_worker> workers_;
  std::vector<std::size_t> free_;
  std::deque<time_point> deaths_;
  std::unordered_map<std::int64_t, unsigned> deaths_by_delivery_;
  /// Row versions that are not attempted again. Redelivery by an operator, through any node, gives the row another
  /// version.
  std::unordered_map<std::int64_t, std::int64_t> set_aside_;

  time_point look_at_{};
  duration_ms look_every_ = backlog_interval;
  time_point gauges_at_{};
  std::shared_ptr<const membership::owners> shared_by_;  ///< as of the last call of share()
  std::int64_t yielded_ = -1;
  time_point look_at_fresh_{};
  timer_time wake_at_ = timer_time::max();  ///< when the next timer fires
  bool looking_ = false;
  bool draining_ = false;
  std::optional<caf::typed_response_promise<bool>> drain_;
};

delivery_pool::behavior_type dispatcher_behavior(delivery_pool::stateful_pointer<dispatcher_state> self,
                                                 std::shared_ptr<const webhook_context> context) {
  self->state.start(self, std::move(context));
  return {
      [self](fresh_deliveries& fresh) { self->state.accept(fresh); },
      [self](const destination_changed& change) { self->state.changed(change.id); },
      [self](const redeliver& wanted) { return self->state.again(wanted); },
      [self](drain_atom) { return self->state.drain(); },
      [self](wake_atom) { self->state.wake(); },
      [self](const attempt_answered& told) { self->state.answered(told); },
      [self](const attempt_withheld& told) { self->state.withheld(told); },
      [self](attempt_recorded& told) { self->state.recorded(told); },
  };
}

}  // namespace

dispatcher_actor spawn_dispatcher(caf::actor_system& system, std::shared_ptr<const webhook_context> context) {
  return system.spawn(dispatcher_behavior, std::move(context));
}

}  // namespace gateway::actors
