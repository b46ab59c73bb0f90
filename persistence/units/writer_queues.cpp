#include "persistence/units/writer_queues.hpp"

#include <algorithm>
#include <utility>

#include "persistence/tables/row_kinds.hpp"

namespace gateway::persistence {

writer_queues::queue writer_queues::queue_of(unit_kind kind) noexcept {
  switch (kind) {
    case unit_kind::finish: return queue::finishes;
    case unit_kind::record: return queue::records;
    case unit_kind::begin:
    case unit_kind::conclude:
    case unit_kind::change: break;
  }
  return queue::begins;
}

bool writer_queues::is_full(queue which) const noexcept {
  if (which == queue::records) return records_.size() >= limits_.recordings;
  return which == queue::begins && finishes_.size() + begins_.size() >= limits_.queue;
}

void writer_queues::add(caf::typed_response_promise<commit_outcome> answer, unit_of_work&& unit, queue to) {
  const auto bytes = estimated_bytes(unit);
  auto& entries = to == queue::finishes ? finishes_ : to == queue::begins ? begins_ : records_;
  entries.push_back({std::move(answer), std::move(unit), bytes});
}

void writer_queues::add(waiting_redelivery next) {
  redeliveries_.push_back({std::move(next), records_taken_ + records_.size()});
}

std::size_t writer_queues::records_wait() const noexcept {
  if (redeliveries_.empty()) return records_.size();
  return static_cast<std::size_t>(redeliveries_.front().after - records_taken_);
}

void writer_queues::take_batch(unit_batch& into, bool records_are_due) {
  into.units.clear();
  into.answers.clear();
  into.begins = false;
  into.writes = writes_wait();
  if (!writes_wait()) {
    record_quarters_ = 0;
    take_records(records_are_due ? limits_.batch_units : 0, limits_.batch_bytes, into);
    return;
  }
  // Counted in quarters of a unit, so that records get a quarter of the room even if batches have fewer than four
  // units.
  const auto ready = records_wait();
  record_quarters_ = ready == 0 ? 0 : std::min(record_quarters_, std::size_t{3}) + limits_.batch_units;
  const auto kept = std::min(ready, record_quarters_ / 4);
  last_was_finishes_ = !finishes_.empty() && (!last_was_finishes_ || begins_.empty());
  take(last_was_finishes_ ? finishes_ : begins_, limits_.batch_units - kept, limits_.batch_bytes, into);
  into.begins = !last_was_finishes_ && !into.units.empty();
  take_records(kept, limits_.batch_bytes / 4, into);
  record_quarters_ -= 4 * kept;
}

std::optional<waiting_redelivery> writer_queues::take_redelivery() {
  if (!redelivery_is_next()) return std::nullopt;
  auto next = std::move(redeliveries_.front().what);
  redeliveries_.pop_front();
  return next;
}

/// Moves up to `most` units from a queue to the batch, and stops once they have `most_bytes`.
void writer_queues::take(std::deque<entry>& from, std::size_t most, std::size_t most_bytes, unit_batch& into) {
  std::size_t bytes = 0;
  for (; !from.empty() && most > 0 && bytes < most_bytes; --most) {
    auto& next = from.front();
    bytes += next.bytes;
    into.units.push_back(std::move(next.unit));
    into.answers.push_back(std::move(next.answer));
    from.pop_front();
  }
}

void writer_queues::take_records(std::size_t most, std::size_t most_bytes, unit_batch& into) {
  const auto before = into.units.size();
  take(records_, std::min(most, records_wait()), most_bytes, into);
  records_taken_ += into.units.size() - before;
  into.records = into.units.size() > before;
}

}  // namespace gateway::persistence
