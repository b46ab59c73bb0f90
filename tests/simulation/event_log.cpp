#include "event_log.hpp"

#include <algorithm>

#include "text_of.hpp"

namespace gateway::simulation {

using namespace std::chrono_literals;

namespace {

constexpr std::int64_t lane_slots = 256;
constexpr std::size_t lanes_at_start = 2;  ///< of each process; it adds one while all are busy

}  // namespace

// ---- transactions -----------------------------------------------------------------------------------

event_log::drawn event_log::draw(const std::string& node, const testing::unit_parts& unit, bool holds_row) {
  drawn made;
  const auto is_event = [](const auto& entry) { return entry.kind == timeline_kind::event; };
  if (!unit.subject() || std::ranges::none_of(unit.entries, is_event)) return made;
  made.lane = lane_for(node);
  made.holds_row = holds_row;
  auto& mine = lanes_.at(made.lane);
  auto& tick = ticks_[node];
  // The rows of the unit are claimed: a later position is behind those of what others wrote about them.
  if (has_other_nodes_ && missing_ != guard::meet_others) tick = std::max(tick, furthest() / lane_slots);
  for (const auto& entry : unit.entries) {
    if (!is_event(entry)) continue;
    tick = std::max(tick + 1, std::max<std::int64_t>(0, to_unix_ms(entry.occurred_at)) * 1'000);
    made.positions.push_back(tick * lane_slots + mine.slot);
  }
  made.raises_to = (tick + 1) * lane_slots;
  mine.is_busy = true;
  mine.is_locked = holds_row;
  return made;
}

event_log::drawn event_log::draw_late(std::string_view node, const testing::unit_parts& unit) {
  return draw(std::string{node}, unit, random_.chance(0.5));
}

void event_log::committed(std::string_view node, const testing::unit_parts& unit, drawn what) {
  if (what.lane == 0) return;
  if (!what.holds_row && !lanes_.contains(what.lane) && missing_ != guard::lane_check) {
    // Another node has ended the lane: the transaction rolls back, and runs again in a new one.
    log_.occurs("a transaction finds its lane ended");
    what = draw(std::string{node}, unit, true);
  }
  std::size_t which = 0;
  for (const auto& each : unit.entries) {
    if (each.kind != timeline_kind::event) continue;
    const auto position = what.positions.at(which++);
    if (!entries_.empty() && position < entries_.rbegin()->first)
      log_.occurs("an event is committed after one that stands behind it");
    entries_[position] = {{testing::memory_store::id(*unit.subject()), each.seq}, each.operation, unit.subject()->id};
    for (const auto& who : followers_)
      if (who.reads(each.operation) && position <= who.after)
        promises_.break_(text_of(each.operation, " of ", unit.subject()->id, " is committed at ", position, ", where ",
                                 who.name, " has been already"));
  }
  if (const auto mine = lanes_.find(what.lane); mine != lanes_.end())
    mine->second.closed = std::max(mine->second.closed, what.raises_to);
  rolled_back(what);
}

void event_log::rolled_back(const drawn& what) {
  const auto mine = lanes_.find(what.lane);
  if (mine == lanes_.end()) return;
  mine->second.is_busy = mine->second.is_locked = false;
  if (mine->second.ends_next) end(mine);
}

// ---- lanes ------------------------------------------------------------------------------------------

std::uint64_t event_log::lane_for(const std::string& node) {
  std::size_t count = 0;
  std::vector<std::uint64_t> idle;
  std::set<std::int64_t> taken;
  for (const auto& [number, each] : lanes_) {
    taken.insert(each.slot);
    if (each.node != node || each.ends_next) continue;
    ++count;
    if (!each.is_busy) idle.push_back(number);
  }
  if (count >= lanes_at_start && !idle.empty()) return random_.pick(idle);
  std::int64_t slot = 0;
  while (taken.contains(slot)) ++slot;
  // Readers may have read up to the furthest lane.
  auto& tick = ticks_[node];
  tick = std::max(tick, furthest() / lane_slots);
  lanes_[++last_lane_] = {.node = node, .slot = slot, .closed = (tick + 1) * lane_slots};
  return last_lane_;
}

void event_log::started(std::string_view node) {
  ticks_.erase(std::string{node});
  for (auto at = lanes_.begin(); at != lanes_.end();) {
    auto& each = at->second;
    const bool is_old = !has_other_nodes_ || each.node == node;
    if (is_old && each.is_locked) each.ends_next = true;
    if (!is_old || each.is_locked)
      ++at;
    else
      at = end(at);
  }
}

event_log::lane_table::iterator event_log::end(lane_table::iterator which) {
  furthest_ended_ = std::max(furthest_ended_, which->second.closed);
  return lanes_.erase(which);
}

std::int64_t event_log::furthest() const {
  auto most = furthest_ended_;
  for (const auto& [number, each] : lanes_) most = std::max(most, each.closed);
  return most;
}

/// Up to where the log is complete.
std::int64_t event_log::readable() const {
  auto least = furthest();
  if (missing_ == guard::log_bound) return least;
  for (const auto& [number, each] : lanes_) least = std::min(least, each.closed);
  return least;
}

/// The node's idle writers raise their lanes to the furthest.
void event_log::catch_up(const std::string& node) {
  const auto most = furthest();
  auto& tick = ticks_[node];
  tick = std::max(tick, most / lane_slots);
  for (auto& [number, each] : lanes_)
    if (each.node == node && !each.is_busy) each.closed = most;
}

/// Ends the lanes that have not moved for too long.
void event_log::give_up_lagging() {
  const auto most = furthest();
  for (auto at = lanes_.begin(); at != lanes_.end();) {
    auto& each = at->second;
    if (each.closed >= most || each.lagged_at != each.closed) {
      each.lagged_at = each.closed;
      each.lags_since = time_.now();
    }
    if (each.closed >= most || each.is_locked || time_.now() - each.lags_since < patience_) {
      ++at;
      continue;
    }
    log_.occurs("a lane is given up");
    at = end(at);
  }
}

// ---- followers --------------------------------------------------------------------------------------

void event_log::read(const std::vector<std::string>& running) {
  next_ = time_.now() + duration_ms{random_.between(20, 800)};
  if (running.empty()) return;
  for (const auto& node : running)
    if (random_.chance(0.4)) catch_up(node);
  if (has_other_nodes_) give_up_lagging();
  for (auto& who : followers_)
    if (random_.chance(0.6)) follow(who);
}

/// One page behind the position.
void event_log::follow(follower& who) {
  std::vector<std::pair<std::int64_t, const entry*>> page;
  const auto end = readable();
  for (auto at = entries_.upper_bound(who.after); at != entries_.end() && at->first < end; ++at) {
    if (!who.reads(at->second.type)) continue;
    page.emplace_back(at->first, &at->second);
    if (page.size() == who.limit) break;
  }
  // What stands before the end of the log never changes.
  for (std::size_t i = 0; i < who.lost.size(); ++i)
    if (i >= page.size() || page[i].second->id != who.lost[i])
      return promises_.break_(text_of(who.name, " asks again behind ", who.after, ", and gets another page"));
  who.lost.clear();
  if (random_.chance(0.1)) {
    for (const auto& [position, event] : page) who.lost.push_back(event->id);
    return log_.occurs("a page of the log is lost");
  }
  for (const auto& [position, event] : page) take(who, position, *event);
  who.after = page.size() == who.limit ? page.back().first : std::max(who.after, end - 1);
}

void event_log::take(follower& who, std::int64_t position, const entry& event) {
  if (!who.seen.insert(event.id).second)
    promises_.break_(text_of(who.name, " reads ", event.type, " of ", event.subject, " twice, now at ", position));
  auto& last = who.last[event.id.first];
  if (last >= event.id.second)
    promises_.break_(text_of(who.name, " reads event ", event.id.second, " of ", event.subject, " after event ", last));
  last = event.id.second;
}

void event_log::at_rest(const std::vector<std::string>& running) {
  for (const auto& node : running) catch_up(node);
  if (readable() < furthest()) promises_.break_("the log of events stays incomplete");
  for (auto& who : followers_) {
    for (std::int64_t before = -1; before != who.after || !who.lost.empty();) {
      before = who.after;
      follow(who);
      if (promises_.broken()) return;
    }
    for (const auto& [subject, seq] : rows_.event_log) {
      const auto key = testing::memory_store::id(subject);
      const auto& type = rows_.timelines.at(key).at(seq).operation;
      if (who.reads(type) && !who.seen.contains({key, seq}))
        promises_.break_(text_of(who.name, " never reads ", type, " of ", subject.id));
    }
  }
}

}  // namespace gateway::simulation
