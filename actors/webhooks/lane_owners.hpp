// The joint limits of one owner's destinations, in one environment, on the dispatcher's workers and on its memory for
// waiting deliveries. A single owner may use most of both while its attempts are quick. An owner whose destinations are
// slow may use at most half, and less the more owners compete (shared_amount.hpp). All test destinations together get
// no more than one owner, so that live deliveries always find room.
// Concurrency: used by the dispatcher only.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "destination_lane.hpp"
#include "gateway/base/shared_amount.hpp"
#include "gateway/domain/ids.hpp"

namespace gateway::actors {

struct lane_owner {
  static constexpr unsigned samples_remembered = 5;  ///< half a second

  std::string key{};
  environment env = environment::live;
  amount_share workers{};
  amount_share bytes{};
  amount_share attempt_bytes{};
  std::size_t lanes = 0;
  std::size_t awaiting = 0;  ///< attempts whose answer is awaited
  std::size_t answered = 0;  ///< since the last sample()
  double answers_per_second = 0;  ///< moving average, like the next
  double awaiting_on_average = 0;
  unsigned samples_without_answer = 0;  ///< in a row, with answers awaited
  bool quick = false;  ///< as last seen: its attempts are short
  std::deque<destination_lane*> queued{};  ///< its lanes that have something to do
  bool in_line = false;
  bool held_up = false;  ///< at its last turn it had used up its share
  unsigned samples_since_held_up = samples_remembered;
  std::size_t wanted_bytes = 0;  ///< the memory that the next attempt of its first queued lane waits for; 0: none
};

class lane_owners {
 public:
  /// Limit for all deliveries in memory, and again for the bodies and requests of attempts.
  static constexpr std::size_t most_bytes = 32 * 1024 * 1024;
  /// A quick owner may hold this multiple of the workers that are free.
  static constexpr std::size_t share_of_quick = 4;
  /// Attempts that take no longer than this on average are quick.
  static constexpr double quick_seconds = 0.5;
  /// Window of the moving averages: 3 s.
  static constexpr double samples_averaged = 30;
  /// While both live and test owners wait, one turn in this many goes to test.
  static constexpr unsigned turns_of_live = 4;

  explicit lane_owners(std::size_t workers, std::size_t bytes = most_bytes)
      : workers_(workers), bytes_(bytes), attempt_bytes_(bytes) {}

  /// Adds a lane to its owner, until leave() removes it.
  lane_owner& join(const std::string& owner, environment env) {
    auto key = owner + (env == environment::live ? " live" : " test");
    auto& found = all_[key];
    found.key = std::move(key);
    found.env = env;
    found.lanes += 1;
    return found;
  }
  /// Call for lanes that hold nothing. The owner is removed with its last lane.
  void leave(lane_owner& owner) {
    if (--owner.lanes > 0) return;
    std::erase(held_up_, &owner);
    all_.erase(std::string{owner.key});
  }

  // ---- queued lanes, in turn by owner ---------------------------------------------------------------

  void enqueue(destination_lane& lane) {
    auto& by = lane.owner ? *lane.owner : unassigned_;
    by.queued.push_back(&lane);
    if (!by.in_line && !by.held_up) line_up(by);
  }
  bool has_queued() const { return !lines_[0].empty() || !lines_[1].empty(); }

  /// The next lane in turn, of an owner that may have a worker; null if there is none.
  destination_lane* next() {
    while (has_queued()) {
      auto& line = next_line();
      auto& by = *line.front();
      line.pop_front();
      by.in_line = false;
      if (!permits(by)) {
        hold_up(by);
        continue;
      }
      auto* lane = by.queued.front();
      by.queued.pop_front();
      by.wanted_bytes = 0;
      if (!by.queued.empty()) line_up(by);
      // The lane's owner became known while the lane was queued: it takes its owner's turn.
      if (lane->owner && lane->owner != &by) {
        enqueue(*lane);
        continue;
      }
      return lane;
    }
    return nullptr;
  }
  /// The lane's next attempt needs more memory than its owner may have now. The lane becomes its owner's next:
  /// otherwise small attempts of the owner's other lanes would repeatedly take the memory that becomes free.
  void wait_for_bytes(destination_lane& lane, std::size_t bytes) {
    auto& by = *lane.owner;
    by.wanted_bytes = bytes;
    by.queued.push_front(&lane);
    if (!by.in_line && !by.held_up) line_up(by);
  }
  /// The lane may not need the memory any more, for instance because it was disabled: gives its owner a turn to check.
  void reconsider(const destination_lane& lane) {
    if (!lane.owner || lane.owner->wanted_bytes == 0 || lane.owner->queued.front() != &lane) return;
    lane.owner->wanted_bytes = 0;
    resume_held_up();
  }
  /// Records that the owner's share has kept a delivery out of memory.
  void note_shortage(lane_owner& by) { by.samples_since_held_up = 0; }
  /// Whether the owner's lanes wait, or did a moment ago, because of its own slow destinations.
  bool is_held_up_by_itself(const lane_owner& by) const {
    return !by.quick && by.awaiting > 0 && by.samples_since_held_up < lane_owner::samples_remembered;
  }

  // ---- workers ------------------------------------------------------------------------------------

  bool permits(const lane_owner& by) const {
    const auto most = (by.quick ? share_of_quick : 1) * workers_.free();
    if (by.workers.held + 1 > most || (by.env == environment::test && with_test_ + 1 > most)) return false;
    return by.wanted_bytes == 0 || may_hold_for_attempt(by, by.wanted_bytes);
  }
  /// `bytes`: the size of the attempt.
  void take_worker(lane_owner& by, std::size_t bytes) {
    workers_.take(by.workers);
    attempt_bytes_.occupy(by.attempt_bytes, bytes);
    if (by.env == environment::test) ++with_test_;
    ++by.awaiting;
  }
  void end_attempt(lane_owner& by, std::size_t bytes) {
    attempt_bytes_.give_back(by.attempt_bytes, bytes);
    --by.awaiting;
    ++by.answered;
    resume_held_up();
  }
  void give_back_worker(lane_owner& by) {
    workers_.give_back(by.workers);
    if (by.env == environment::test) --with_test_;
    resume_held_up();
  }
  /// By Little's law, the average duration of an attempt is the number under way divided by the number that end per
  /// second.
  void sample(double seconds) {
    for (auto& [key, by] : all_) {
      if (!permits(by))
        by.samples_since_held_up = 0;
      else if (by.samples_since_held_up < lane_owner::samples_remembered)
        ++by.samples_since_held_up;
      if (by.awaiting == 0 && by.answered == 0 && by.answers_per_second < 1) continue;
      const auto rate = static_cast<double>(by.answered) / seconds;
      by.answers_per_second += (rate - by.answers_per_second) / samples_averaged;
      by.awaiting_on_average += (static_cast<double>(by.awaiting) - by.awaiting_on_average) / samples_averaged;
      by.samples_without_answer =
          std::exchange(by.answered, 0) > 0 || by.awaiting == 0 ? 0 : by.samples_without_answer + 1;
      by.quick = by.awaiting_on_average <= by.answers_per_second * quick_seconds &&
                 by.samples_without_answer < lane_owner::samples_remembered;
    }
    resume_held_up();
  }

  // ---- memory -------------------------------------------------------------------------------------

  bool may_hold(const lane_owner& by, std::size_t bytes) const { return bytes_.permits(by.bytes, bytes); }
  /// An owner without an attempt under way may make one of any size.
  bool may_hold_for_attempt(const lane_owner& by, std::size_t bytes) const {
    return by.workers.held == 0 || attempt_bytes_.permits(by.attempt_bytes, bytes);
  }
  void hold(lane_owner& by, std::size_t bytes) { bytes_.occupy(by.bytes, bytes); }
  void release(lane_owner& by, std::size_t bytes) { bytes_.give_back(by.bytes, bytes); }

 private:
  std::deque<lane_owner*>& next_line() {
    auto& live = lines_[static_cast<std::size_t>(environment::live)];
    auto& test = lines_[static_cast<std::size_t>(environment::test)];
    if (live.empty()) return test;
    if (test.empty()) return live;
    return ++turns_ % turns_of_live == 0 ? test : live;
  }
  void line_up(lane_owner& by) {
    by.in_line = true;
    lines_[static_cast<std::size_t>(by.env)].push_back(&by);
  }
  void hold_up(lane_owner& by) {
    note_shortage(by);
    by.held_up = true;
    held_up_.push_back(&by);
  }

  /// Gives turns to held-up owners whose share has room again.
  void resume_held_up() {
    std::erase_if(held_up_, [this](lane_owner* by) {
      if (!permits(*by)) return false;
      by->held_up = false;
      if (!by->queued.empty()) line_up(*by);
      return true;
    });
  }

  shared_amount workers_;
  shared_amount bytes_;
  shared_amount attempt_bytes_;
  std::size_t with_test_ = 0;
  std::unordered_map<std::string, lane_owner> all_;
  lane_owner unassigned_;  ///< owns the lanes whose endpoint is not known yet
  std::array<std::deque<lane_owner*>, 2> lines_;
  std::vector<lane_owner*> held_up_;
  unsigned turns_ = 0;
};

}  // namespace gateway::actors
