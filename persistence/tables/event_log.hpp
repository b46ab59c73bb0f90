// The positions of events in their log (docs/decisions/0057-the-log-of-events.md).
//
// A position is drawn before the commit that writes the event, so commits do not happen in the order of the positions.
// Each writer therefore has a lane: a row with the position before which it writes no more events. Every commit with
// events raises this position. The log is complete before the least of them, and is read only up to there.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "gateway/domain/time.hpp"
#include "persistence/connection/connection.hpp"

namespace gateway::persistence {

/// Draws the positions of one process: microseconds since 1970, after every one drawn or passed before, with the lane's
/// slot in the low bits.
class event_clock {
 public:
  static constexpr std::int64_t slots = 256;  ///< most writers at once; with 256, positions last until the year 3111

  /// The first position of an event that happened then.
  static std::int64_t first_of(time_point occurred_at) noexcept;

  /// For an event: not before first_of(occurred_at).
  std::int64_t draw(std::int64_t slot, time_point occurred_at) noexcept;
  /// Positions that are drawn later are greater than this one.
  void pass(std::int64_t position) noexcept;
  /// Greater than every position that was drawn or passed.
  std::int64_t behind() const noexcept { return (last_.load() + 1) * slots; }

 private:
  std::atomic<std::int64_t> last_{0};  ///< the last tick
};

/// What the writers and readers of one process share.
class event_log {
 public:
  event_clock& clock() noexcept { return clock_; }

  /// `poke` makes the lane's writer check whether it has to catch up. To be called before the first reader asks.
  void add_lane(std::function<void()> poke);
  /// To be called for a reader that waits until the log is complete up to this position.
  void want(std::int64_t position);
  std::int64_t wanted() const noexcept { return wanted_.load(); }

 private:
  event_clock clock_;
  std::atomic<std::int64_t> wanted_{0};
  std::mutex guard_;
  std::vector<std::function<void()>> pokes_;
};

/// Which process a lane belongs to.
struct lane_owner {
  std::string node;  ///< empty: the only process at its database
};

/// One writer's lane. Used by the writer's thread.
class event_lane {
 public:
  event_lane(std::shared_ptr<event_log> log, lane_owner owner);

  /// Adds the lane's row, in a transaction of its own. No-op while it has one.
  void open(db_connection& db);
  /// Within the transaction that writes the events, once it has claimed the rows that they belong to: a position drawn
  /// later is greater than those of the events that other nodes wrote about the same rows.
  void meet_others(db_connection& db);
  std::int64_t draw(time_point occurred_at) noexcept { return log_->clock().draw(slot_, occurred_at); }
  /// The last statement of a transaction with events. Throws `busy` if another node has ended the lane because its
  /// writer seemed dead: the transaction must not commit, and may run again with another lane.
  void close(db_connection& db);
  /// To be called once that transaction has committed.
  void closed() noexcept { closed_ = raised_to_; }

  /// Ends the lane, in a transaction of its own. No-op without a row.
  void end(db_connection& db);

  /// Whether a reader waits for this lane.
  bool lags() const noexcept { return is_open() && closed_ < log_->wanted(); }
  /// Raises `closed` to what readers wait for, in a transaction of its own.
  void catch_up(db_connection& db);
  /// For one of several nodes, several times a second: catches up with the other lanes, and ends those whose writers
  /// are dead.
  void watch_other_lanes(db_connection& db);

 private:
  struct sighting {
    std::int64_t closed = 0;
    std::chrono::steady_clock::time_point since{};
  };

  bool is_open() const noexcept { return !name_.empty(); }
  bool among_others() const noexcept { return !owner_.node.empty(); }
  void raise(db_connection& db, std::int64_t to);

  std::shared_ptr<event_log> log_;
  lane_owner owner_;
  std::string name_;  ///< empty: it has no row
  std::string tried_;  ///< the name with which it was added last: the answer to that commit may have been lost
  std::int64_t slot_ = 0;
  std::int64_t closed_ = 0;  ///< as far as is certain to be stored
  std::int64_t raised_to_ = 0;
  std::unordered_map<std::string, sighting> others_;  ///< the other lanes that lag behind
};

/// Ends the lanes of processes that are dead: of a node's earlier processes, or of all others if the process is alone.
void end_lanes_of(db_connection& db, const lane_owner& owner);

/// How far the log is complete, and how far its furthest writer is.
struct log_reach {
  std::int64_t complete = 0;  ///< every event before this position has been committed
  std::int64_t furthest = 0;
  std::int64_t kept_from = 0;  ///< events before it have been purged, or are being purged
};
log_reach read_log_reach(db_connection& db);
/// To be called within a transaction. Keeps the stored position if it is greater.
void keep_log_from(db_connection& db, std::int64_t position);

}  // namespace gateway::persistence
