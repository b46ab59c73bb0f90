// The queues of units that wait for a writer, and the choice of the next batch. Uses no clock and no database.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include <caf/typed_response_promise.hpp>

#include "gateway/ports/store/store.hpp"
#include "persistence/units/store_writer.hpp"

namespace gateway::persistence {

/// A transaction's units, and the promise that each outcome fulfils.
struct unit_batch {
  std::vector<unit_of_work> units;
  std::vector<caf::typed_response_promise<commit_outcome>> answers;
  bool writes = false;   ///< whether it has begins or finishes
  bool begins = false;   ///< whether it has begins
  bool records = false;  ///< whether it has records
};

struct waiting_redelivery {
  caf::typed_response_promise<redeliver_rows_result> answer;
  redeliver_rows what;
};

/// Batches of finishes and batches of begins alternate. An operation that one batch begins is ready to be finished
/// while the next batch commits, and is in the batch after that (docs/decisions/0014-begins-and-finishes-alternate.md).
/// No client waits for a record of a webhook's attempt. While begins or finishes wait, exactly a quarter of each batch
/// is reserved for records, so that neither delays the other. A redelivery changes the same rows as records do, so it
/// keeps its place among them.
///
/// Maintenance follows a batch of begins, or runs when neither begins nor finishes wait. So each batch of begins leaves
/// time for one step of maintenance, and a unit in the next batch of its kind waits for at most one step.
class writer_queues {
 public:
  enum class queue : unsigned char { finishes, begins, records };

  explicit writer_queues(const writer_limits& limits) : limits_(limits) {}

  static queue queue_of(unit_kind kind) noexcept;

  /// Always false for finishes: rejecting one would lose the provider's answer, and there are no more finishes than
  /// operations in flight.
  bool is_full(queue which) const noexcept;
  void add(caf::typed_response_promise<commit_outcome> answer, unit_of_work&& unit, queue to);

  bool is_full_of_redeliveries() const noexcept { return redeliveries_.size() >= limits_.redeliveries; }
  void add(waiting_redelivery next);

  bool empty() const noexcept { return !writes_wait() && records_.empty() && redeliveries_.empty(); }
  bool writes_wait() const noexcept { return !finishes_.empty() || !begins_.empty(); }
  /// How many records wait ahead of the first redelivery.
  std::size_t records_wait() const noexcept;
  bool redelivery_is_next() const noexcept { return !redeliveries_.empty() && records_wait() == 0; }
  bool maintenance_may_follow(const unit_batch& last) const noexcept { return !writes_wait() || last.begins; }
  /// To be called after a step of maintenance. Finishes are next, so that the batch of begins after them leaves time
  /// for another step.
  void maintained() noexcept { last_was_finishes_ = false; }

  /// Empties `into` and moves the next units to it. If neither begins nor finishes wait, it gets records, provided they
  /// are due.
  void take_batch(unit_batch& into, bool records_are_due);
  std::optional<waiting_redelivery> take_redelivery();

 private:
  struct entry {
    caf::typed_response_promise<commit_outcome> answer;
    unit_of_work unit;
    std::size_t bytes;
  };
  struct redelivery_entry {
    waiting_redelivery what;
    std::uint64_t after;  // the number of records, counted from the start, that come before it
  };

  void take(std::deque<entry>& from, std::size_t most, std::size_t most_bytes, unit_batch& into);
  void take_records(std::size_t most, std::size_t most_bytes, unit_batch& into);

  writer_limits limits_;
  std::deque<entry> finishes_;
  std::deque<entry> begins_;
  std::deque<entry> records_;
  std::deque<redelivery_entry> redeliveries_;
  std::uint64_t records_taken_ = 0;
  bool last_was_finishes_ = false;  // whether the last batch of begins or finishes was one of finishes
  std::size_t record_quarters_ = 0;  // the room reserved for records, in quarters of a unit
};

}  // namespace gateway::persistence
