#include "persistence/tables/event_log.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <string_view>
#include <utility>

#include "gateway/base/crypto.hpp"
#include "gateway/base/log.hpp"
#include "gateway/domain/text.hpp"
#include "persistence/tables/columns.hpp"

namespace gateway::persistence {

namespace {

// Changes every row, so that this transaction and a commit with events wait for each other, on one server and between
// the servers of a Galera cluster.
const statement take_turn_of_lanes = sql("UPDATE event_lanes SET turn = turn + 1");
const statement read_lanes = sql("SELECT lane, node, slot, closed, is_open FROM event_lanes");
const statement keep_furthest = sql("UPDATE event_lanes SET closed = ? WHERE lane = ''");
const statement delete_ended_lanes = sql("DELETE FROM event_lanes WHERE is_open = 0 AND lane <> ''");
const statement add_lane =
    sql("INSERT INTO event_lanes (lane, node, slot, closed, is_open, turn) VALUES (?, ?, ?, ?, 1, 0)");
// Raises `turn`, so that the row changes even if `closed` does not: MariaDB counts only rows that it changes.
const statement close_lane = sql("UPDATE event_lanes SET closed = ?, turn = turn + 1 WHERE lane = ? AND is_open = 1");
const statement end_lane = sql("UPDATE event_lanes SET is_open = 0 WHERE lane = ? AND closed = ?");
const statement end_lane_of_name = sql("UPDATE event_lanes SET is_open = 0 WHERE lane = ?");
const statement end_lanes_of_node = sql("UPDATE event_lanes SET is_open = 0 WHERE is_open = 1 AND node = ?");
const statement end_all_lanes = sql("UPDATE event_lanes SET is_open = 0 WHERE is_open = 1");
const statement read_reach = sql(R"sql(
  SELECT MIN(CASE WHEN is_open = 1 THEN closed END), MAX(closed),
    (SELECT value FROM meta WHERE name = 'events_kept_from')
  FROM event_lanes
)sql");

/// A live writer raises its lane several times a second while it lags. A lane that is ended too early costs its writer
/// one more transaction.
constexpr std::chrono::seconds patience{15};

constexpr auto last_position = std::numeric_limits<std::int64_t>::max();

struct lane_row {
  std::string name, node;
  std::int64_t slot = 0, closed = 0;
  bool is_open = false;
};

std::vector<lane_row> all_lanes(db_connection& db) {
  std::vector<lane_row> lanes;
  db.read(read_lanes, {}, [&](const result_row& row) {
    lanes.push_back({row.text(0), row.text(1), row.integer(2), row.integer(3), row.integer(4) != 0});
  });
  return lanes;
}

std::int64_t furthest_of(const std::vector<lane_row>& lanes) {
  std::int64_t furthest = 0;
  for (const auto& each : lanes) furthest = std::max(furthest, each.closed);
  return furthest;
}

std::int64_t free_slot(const std::vector<lane_row>& lanes) {
  std::set<std::int64_t> taken;
  for (const auto& each : lanes)
    if (each.is_open) taken.insert(each.slot);
  std::int64_t slot = 0;
  while (taken.contains(slot)) ++slot;
  if (slot >= event_clock::slots)
    throw database_error(database_error::kind::failed, 0, "too many writers of events at one database");
  return slot;
}

/// Runs `work` in a transaction and commits it.
template <class Work>
void in_own_transaction(db_connection& db, Work work) {
  try {
    db.begin();
    work();
    db.commit();
  } catch (const database_error&) {
    db.rollback();
    throw;
  }
}

}  // namespace

std::int64_t event_clock::first_of(time_point occurred_at) noexcept {
  constexpr auto in_ms = 1'000 * slots;
  constexpr auto greatest_ms = std::numeric_limits<std::int64_t>::max() / in_ms - 1;
  return std::clamp<std::int64_t>(to_unix_ms(occurred_at), 0, greatest_ms) * in_ms;
}

std::int64_t event_clock::draw(std::int64_t slot, time_point occurred_at) noexcept {
  using namespace std::chrono;
  const std::int64_t clock = duration_cast<microseconds>(system_clock::now().time_since_epoch()).count();
  const auto now = std::max(clock, first_of(occurred_at) / slots);
  auto last = last_.load();
  std::int64_t next = 0;
  do {
    next = std::max(now, last + 1);
  } while (!last_.compare_exchange_weak(last, next));
  return next * slots + slot;
}

void event_clock::pass(std::int64_t position) noexcept {
  const auto tick = position / slots;
  auto last = last_.load();
  while (last < tick && !last_.compare_exchange_weak(last, tick)) {}
}

void event_log::add_lane(std::function<void()> poke) {
  const std::lock_guard lock{guard_};
  pokes_.push_back(std::move(poke));
}

void event_log::want(std::int64_t position) {
  auto wanted = wanted_.load();
  while (wanted < position && !wanted_.compare_exchange_weak(wanted, position)) {}
  const std::lock_guard lock{guard_};
  for (const auto& poke : pokes_) poke();
}

event_lane::event_lane(std::shared_ptr<event_log> log, lane_owner owner)
    : log_(std::move(log)), owner_(std::move(owner)) {}

void event_lane::open(db_connection& db) {
  if (is_open()) return;
  const auto before = std::exchange(tried_, crypto::random_hex(16));
  std::int64_t slot = 0, closed = 0;
  in_own_transaction(db, [&] {
    db.change(take_turn_of_lanes, {});
    const cell lost[] = {std::string_view{before}};
    if (!before.empty()) db.change(end_lane_of_name, lost);
    const auto lanes = all_lanes(db);
    const cell furthest[] = {furthest_of(lanes)};
    db.change(keep_furthest, furthest);
    db.change(delete_ended_lanes, {});
    slot = free_slot(lanes);
    // Readers may have read up to the furthest lane, and continue after it.
    log_->clock().pass(furthest_of(lanes));
    closed = log_->clock().behind();
    const cell row[] = {std::string_view{tried_}, std::string_view{owner_.node}, slot, closed};
    db.change(add_lane, row);
  });
  name_ = tried_;
  slot_ = slot;
  closed_ = closed;
}

void event_lane::meet_others(db_connection& db) {
  if (!among_others()) return;
  log_->clock().pass(read_log_reach(db).furthest);
}

void event_lane::close(db_connection& db) { raise(db, log_->clock().behind()); }

void event_lane::raise(db_connection& db, std::int64_t to) {
  const cell parameters[] = {to, std::string_view{name_}};
  raised_to_ = to;
  if (db.change(close_lane, parameters) == 1) return;
  log::warn("store.event_lane_given_up", {{"lane", name_}, {"node", owner_.node}});
  name_.clear();
  throw database_error(database_error::kind::busy, 0, "another node has given this writer's lane up");
}

void event_lane::end(db_connection& db) {
  if (!is_open()) return;
  const cell name[] = {std::string_view{name_}};
  in_own_transaction(db, [&] { db.change(end_lane_of_name, name); });
  name_.clear();
}

void event_lane::catch_up(db_connection& db) {
  if (!lags()) return;
  // After pass() no position before the wanted one is drawn, and this lane's earlier commits have ended or wait for
  // this row.
  log_->clock().pass(log_->wanted());
  const auto to = log_->clock().behind();
  in_own_transaction(db, [&] { raise(db, to); });
  closed();
}

void event_lane::watch_other_lanes(db_connection& db) {
  if (!is_open()) return;
  const auto lanes = all_lanes(db);
  db.rollback();  // on a writing connection a read begins a transaction
  const auto furthest = furthest_of(lanes);
  log_->clock().pass(furthest);
  if (closed_ < furthest) {
    in_own_transaction(db, [&] { raise(db, furthest); });
    closed();
  }
  const auto now = std::chrono::steady_clock::now();
  std::unordered_map<std::string, sighting> lagging;
  for (const auto& each : lanes) {
    if (!each.is_open || each.name == name_ || each.closed >= furthest) continue;
    const auto seen = others_.find(each.name);
    const bool stands = seen != others_.end() && seen->second.closed == each.closed;
    const auto since = stands ? seen->second.since : now;
    if (now - since < patience) {
      lagging.emplace(each.name, sighting{each.closed, since});
      continue;
    }
    log::warn("store.event_lane_ended", {{"lane", each.name}, {"node", each.node}});
    const cell parameters[] = {std::string_view{each.name}, each.closed};
    in_own_transaction(db, [&] { db.change(end_lane, parameters); });
  }
  others_ = std::move(lagging);
}

void end_lanes_of(db_connection& db, const lane_owner& owner) {
  in_own_transaction(db, [&] {
    const cell node[] = {std::string_view{owner.node}};
    owner.node.empty() ? db.change(end_all_lanes, {}) : db.change(end_lanes_of_node, node);
  });
}

log_reach read_log_reach(db_connection& db) {
  log_reach reach;
  db.read(read_reach, {}, [&](const result_row& row) {
    if (!row.is_null(1)) reach.furthest = row.integer(1);
    reach.complete = row.is_null(0) ? reach.furthest : row.integer(0);
    if (!row.is_null(2)) reach.kept_from = parse_whole(row.text(2), 0, last_position).value_or(0);
  });
  return reach;
}

void keep_log_from(db_connection& db, std::int64_t position) {
  if (read_log_reach(db).kept_from >= position) return;
  const auto value = std::to_string(position);
  const cell row[] = {std::string_view{"events_kept_from"}, std::string_view{value}};
  if (db.write(statements::put_meta, row) != write_result::done)
    throw database_error(database_error::kind::failed, 0, "the start of the log of events could not be stored");
}

}  // namespace gateway::persistence
