// Reads of the table of deliveries, and redelivery.

#include <algorithm>
#include <iterator>
#include <utility>

#include "dispatcher_state.hpp"
#include "gateway/messages/ask_store.hpp"
#include "gateway/ports/store/delivery_numbers.hpp"

namespace gateway::actors {

namespace {

constexpr std::size_t low_ready = 64;
/// Beyond the limit for all lanes, a lane with an empty queue still reads this many, even if its owner's share of the
/// memory is used up.
constexpr std::size_t few_ready = 16;
/// How many lanes read at once: more would only wait for each other in the reader's mailbox.
constexpr std::size_t most_reading = 4;
/// The interval if there are other nodes, through which an operator may have made deliveries due.
constexpr std::chrono::seconds shared_backlog_interval{5};
constexpr std::chrono::minutes longest_backlog_interval{10};
/// If there are other nodes: how far back recent deliveries are looked for. The span allows for a slow commit and for
/// clocks that differ.
constexpr duration_ms fresh_span{5'000};
/// The size of one transaction of the writer; payments may wait behind it.
constexpr std::uint32_t redeliver_chunk = 200;

}  // namespace

/// Reads deliveries of the last seconds that other nodes may have committed. read_backlog() finds any that this misses.
void dispatcher_state::read_fresh(time_point now) {
  reading_backlog_ = true;
  fresh_due_at_ = now + fresh_interval;
  const auto from = delivery_numbers::first_at(now - fresh_span);
  ask_store(self_, context_->store.outbox, answer_timeout, find_backlog{from})
      .then(
          [this, from](const backlog_lookup& found) {
            reading_backlog_ = false;
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
            reading_backlog_ = false;
            schedule(context_->clock.now());
          });
}

void dispatcher_state::read_if_low(destination_lane& to, time_point now) {
  if (!to.table_due || to.reading || to.ready.size() >= low_ready) return;
  if (*to.table_due > now) return remind(to, *to.table_due);
  if (to.trust.current() != breaker::state::closed && !to.ready.empty()) return;
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
  ask_store(self_, context_->store.outbox, answer_timeout, find_due_deliveries{to.id, now, limit, most_data_read})
      .then([this, &to, limit](due_deliveries_lookup& found) { adopt(to, found, limit); },
            [this, &to](const caf::error&) {
              has_read(to);
              to.expect(context_->clock.now() + pause_after_failure);
              enqueue(to);
              work();
            });
}

void dispatcher_state::adopt(destination_lane& to, due_deliveries_lookup& found, std::uint32_t limit) {
  bool more = found.jobs.size() + found.unreadable >= limit;
  to.unreadable = found.unreadable;
  for (auto& job : found.jobs) {
    const auto number = job.row.id;
    if (to.holds(number) || to.released_while_reading.contains(number) || is_set_aside(job.row)) continue;
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
void dispatcher_state::has_read(destination_lane& to) {
  to.reading = false;
  to.released_while_reading.clear();
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

void dispatcher_state::read_backlog(time_point now) {
  reading_backlog_ = true;
  backlog_due_at_ = now + backlog_interval;
  const auto asked_at = self_->system().clock().now();
  ask_store(self_, context_->store.outbox, answer_timeout, find_backlog{})
      .then(
          [this, asked_at](backlog_lookup& found) {
            reading_backlog_ = false;
            // Counting a long table takes long, so it may take only a small part of the time (1/20).
            const auto took = std::chrono::ceil<duration_ms>(self_->system().clock().now() - asked_at);
            const auto least = context_->nodes.has_other_nodes() ? shared_backlog_interval : backlog_interval;
            backlog_every_ = std::clamp<duration_ms>(took * 20, least, longest_backlog_interval);
            backlog_due_at_ = context_->clock.now() + backlog_every_;
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
          [this, asked_at](const caf::error&) {
            reading_backlog_ = false;
            const bool at_once = self_->system().clock().now() - asked_at < answer_timeout / 2;
            backlog_due_at_ = context_->clock.now() + (at_once ? pause_after_failure : backlog_interval);
            schedule(context_->clock.now());
          });
}

/// Ends the pending deliveries of a deleted destination, a part at a time. A worker that still has one of its
/// deliveries loses the claim on it.
void dispatcher_state::drop_pending(destination_lane& of) {
  if (of.dropping || (of.pending == 0 && !of.table_due)) return;
  of.dropping = true;
  const auto now = context_->clock.now();
  self_
      ->request(context_->store.recorder, answer_timeout,
                redeliver_rows{.to = of.id, .now = now, .limit = redeliver_chunk, .drop = true})
      .then(
          [this, &of](const redeliver_rows_result& made) {
            of.dropping = false;
            of.pending -= std::min(of.pending, made.changed);
            if (made.changed >= redeliver_chunk) return drop_pending(of);
            of.pending = 0;
            of.oldest_number = 0;
            of.table_due.reset();
          },
          [this, &of](const caf::error&) {
            of.dropping = false;
            remind(of, context_->clock.now() + pause_after_failure);
            schedule(context_->clock.now());
          });
}

void dispatcher_state::redeliver_some(const redeliver& wanted, std::uint64_t before,
                                      caf::typed_response_promise<redeliver_result> promise) {
  const auto now = context_->clock.now();
  self_
      ->request(context_->store.recorder, answer_timeout,
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

}  // namespace gateway::actors
