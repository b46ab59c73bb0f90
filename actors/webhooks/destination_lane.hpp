// One destination's deliveries as the dispatcher holds them: a few in memory, the others in the table.
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
#include "breaker.hpp"
#include "gateway/directory.hpp"
#include "gateway/store.hpp"
#include "gone_streak.hpp"

namespace gateway::actors {

/// Whether anything may be posted there. What is for a disabled destination, or for that of a suspended platform,
/// waits.
inline bool may_be_sent(const webhook_endpoint& to) {
  return to.what.status == destination_status::enabled && !to.held;
}

struct lane_owner;

/// What a delivery in memory takes there, its event's data included. Data that deliveries share counts for each.
inline std::size_t bytes_of(const delivery_job& waiting) {
  constexpr std::size_t without_data = 1'024;
  return without_data + waiting.event.data.size();
}

struct destination_lane {
  /// Of the deliveries that it holds, those with workers included.
  static constexpr std::size_t most_bytes = 1024 * 1024;
  /// Workers that a lane may occupy while it waits for the store, in windows.
  static constexpr std::size_t windows_of_workers = 4;

  destination_lane(destination_id of, std::size_t window) : id(std::move(of)), allowed(window) {}

  const destination_id id;
  lane_owner* owner = nullptr;            ///< null until its endpoint is known; nothing is held before
  breaker trust;
  attempt_window allowed;

  std::deque<delivery_job> ready;         ///< due, in the order in which they will be attempted
  std::size_t bytes = 0;                  ///< of what is in `ready` or with a worker
  std::set<std::int64_t> held;            ///< numbers of what is in `ready` or with a worker; drawn in order of time
  std::size_t under_way = 0;              ///< attempts whose answer is awaited
  std::size_t with_workers = 0;           ///< these, and those whose result is being recorded

  time_point had_room_at{};               ///< when its window was last seen with room for one more
  bool well = true;                       ///< as was last seen, only the gateway keeps its deliveries back

  std::optional<time_point> table_due;    ///< from when on the table may hold something due that is not in memory
  bool reading = false;
  bool waits_to_read = false;             ///< until another lane has read
  std::size_t unreadable = 0;             ///< rows that the last read could make no sense of
  gone_streak gone_answers;
  /// As it was when it had said 410 often enough: until it is published anew, nothing more is sent there.
  std::shared_ptr<const webhook_endpoint> gone;
  std::unordered_set<std::int64_t> let_go_while_reading;  ///< what is read of these is older than what is known
  std::optional<time_point> reminder;     ///< the earliest in the dispatcher's agenda
  bool being_disabled = false;            ///< the directory has been asked, and has not answered
  std::optional<time_point> idle_since;   ///< as was last seen
  bool queued = false;                   ///< stands among the dispatcher's lanes that have something to do

  std::uint64_t pending = 0;              ///< rows; exact after each look at the backlog
  std::int64_t oldest_number = 0;  ///< of these; exact after each look, and else as far as memory knows; 0: none

  /// Whether its window lets one more attempt begin.
  bool has_room() const { return under_way < allowed.size(); }
  /// Or whether, with the store slow to record results, it already has as many workers as its window justifies.
  bool has_workers_left() const { return with_workers < allowed.size() * windows_of_workers; }

  /// Nothing is to be done for it, or under way: all that is lost with it is how its destination did at last.
  bool is_idle() const {
    return pending == 0 && held.empty() && with_workers == 0 && !reading && !waits_to_read && !queued && !table_due &&
           !reminder && !being_disabled && trust.now_is() == breaker::state::closed;
  }

  bool holds(std::int64_t number) const { return held.contains(number); }

  void take(delivery_job due) {
    held.insert(due.row.id);
    ready.push_back(std::move(due));
  }
  /// It was handed out and is to be attempted all the same: in front of all that is younger.
  void take_back(delivery_job due) {
    const auto younger = [&](const delivery_job& other) { return other.row.id > due.row.id; };
    ready.insert(std::ranges::find_if(ready, younger), std::move(due));
  }
  void let_go(std::int64_t number) {
    held.erase(number);
    if (reading) let_go_while_reading.insert(number);
  }
  /// It needs no more attempts.
  void done_with(std::int64_t number) {
    if (pending > 0) pending -= 1;
    if (number == oldest_number) oldest_number = held.empty() ? 0 : *held.begin();
  }
  /// Something became due in the table at `at`.
  void expect(time_point at) {
    if (!table_due || at < *table_due) table_due = at;
  }
};

}  // namespace gateway::actors
