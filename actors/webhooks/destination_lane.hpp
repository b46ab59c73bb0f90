// One destination's deliveries in the dispatcher: a few in memory, the others in the table.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>

#include "attempt_window.hpp"
#include "gateway/directory/directory.hpp"
#include "gateway/ports/store/delivery_questions.hpp"
#include "gone_streak.hpp"
#include "lane_health.hpp"
#include "providers/breaker.hpp"

namespace gateway::actors {

/// Whether the destination may be posted to. Deliveries to a disabled destination, or to one of a suspended platform,
/// wait.
inline bool may_be_sent(const webhook_endpoint& to) {
  return to.what.status == destination_status::enabled && !to.held;
}

struct lane_owner;

/// The memory that a delivery takes, including its event's data. Data shared between deliveries counts for each of
/// them.
inline std::size_t bytes_of(const delivery_job& waiting) {
  constexpr std::size_t without_data = 1'024;
  constexpr std::size_t of_earlier_attempt = 256;
  return without_data + of_earlier_attempt * waiting.row.earlier.size() + waiting.event.data.size();
}

struct destination_lane {
  /// Limit for the deliveries in memory, including those with workers.
  static constexpr std::size_t most_bytes = 1024 * 1024;
  /// How many windows' worth of workers a lane may occupy while it waits for the store.
  static constexpr std::size_t windows_of_workers = 4;

  destination_lane(destination_id of, std::size_t window) : id(std::move(of)), allowed(window) {}

  const destination_id id;
  std::string url;                        ///< when the lane was last served; empty until then
  lane_owner* owner = nullptr;            ///< null until its endpoint is known; until then the lane holds nothing
  breaker trust;
  attempt_window allowed;

  std::deque<delivery_job> ready;         ///< due, in the order in which they will be attempted
  std::size_t bytes = 0;                  ///< of the deliveries in `ready` or with a worker
  std::set<std::int64_t> held;            ///< numbers of those in `ready` or with a worker, oldest first
  std::size_t under_way = 0;              ///< attempts whose answer is awaited
  std::size_t with_workers = 0;           ///< attempts under way, and attempts whose result is being recorded

  time_point had_room_at{};               ///< when its window last had room for one more attempt
  bool well = true;                       ///< at the last sample: only the gateway delays its deliveries

  std::optional<time_point> table_due;    ///< from when on the table may hold a due delivery that is not in memory
  bool reading = false;
  bool waits_to_read = false;             ///< until another lane has finished reading
  std::size_t unreadable = 0;             ///< rows that the last read could not decode
  gone_streak gone_answers;
  lane_health health;
  /// The endpoint that has answered 410 often enough. No attempt is made until a new version of it is published.
  std::shared_ptr<const webhook_endpoint> gone;
  std::unordered_set<std::int64_t> released_while_reading;  ///< for these, a read in progress returns outdated rows
  std::optional<time_point> reminder;     ///< the lane's earliest time in the dispatcher's agenda
  bool dropping = false;                  ///< its destination is deleted, and its pending deliveries are being ended
  bool being_disabled = false;            ///< the directory was asked to disable it, and has not answered yet
  std::optional<time_point> idle_since;   ///< as last seen
  bool queued = false;                   ///< is in the dispatcher's queue of lanes that have something to do

  std::uint64_t pending = 0;              ///< rows; exact after each read of the backlog
  std::int64_t oldest_number = 0;  ///< of the pending rows; exact after each such read, otherwise from memory; 0: none

  /// Whether its window lets one more attempt begin.
  bool has_room() const { return under_way < allowed.size(); }
  /// Whether it may occupy another worker. Workers whose results are being recorded count, so that a slow store does
  /// not make it occupy more workers than its window justifies.
  bool has_workers_left() const { return with_workers < allowed.size() * windows_of_workers; }

  /// Nothing is pending or in progress. Removing the lane loses only the results of the last attempts.
  bool is_idle() const {
    return pending == 0 && held.empty() && with_workers == 0 && !reading && !waits_to_read && !queued && !table_due &&
           !reminder && !being_disabled && !dropping && trust.current() == breaker::state::closed;
  }

  bool holds(std::int64_t number) const { return held.contains(number); }

  void take(delivery_job due) {
    held.insert(due.row.id);
    ready.push_back(std::move(due));
  }
  /// Returns a delivery that was handed out and not attempted, in front of all younger ones.
  void take_back(delivery_job due) {
    const auto younger = [&](const delivery_job& other) { return other.row.id > due.row.id; };
    ready.insert(std::ranges::find_if(ready, younger), std::move(due));
  }
  void release(std::int64_t number) {
    held.erase(number);
    if (reading) released_while_reading.insert(number);
  }
  /// Call when the delivery needs no more attempts.
  void done_with(std::int64_t number) {
    if (pending > 0) pending -= 1;
    if (number == oldest_number) oldest_number = held.empty() ? 0 : *held.begin();
  }
  /// Records that something becomes due in the table at `at`.
  void expect(time_point at) {
    if (!table_due || at < *table_due) table_due = at;
  }
};

}  // namespace gateway::actors
