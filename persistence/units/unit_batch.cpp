#include "persistence/units/unit_batch.hpp"

#include <algorithm>
#include <memory>
#include <unordered_set>
#include <variant>

#include "gateway/base/log.hpp"
#include "persistence/tables/queries.hpp"
#include "persistence/tables/row_kinds.hpp"
#include "persistence/tables/unit_rows.hpp"

namespace gateway::persistence {

namespace {

using units_view = std::span<const unit_of_work>;

/// The outcome of a unit whose write had this result. A broken constraint is a defect of the gateway or a value too
/// large for the schema. Nothing was stored then, and `unavailable` makes the unit's owner read the stored state again.
commit_outcome meaning(write_result result, commit_outcome of_duplicate) {
  switch (result) {
    case write_result::done: return commit_outcome::committed;
    case write_result::duplicate: return of_duplicate;
    case write_result::missed: return commit_outcome::lost_claim;
    case write_result::rejected: break;
  }
  return commit_outcome::unavailable;
}

commit_outcome write_rows(db_connection& db, row_kind kind, const row_buffer& rows) {
  const auto& how = writing_of(kind);
  if (how.shape) return meaning(db.write(*how.shape, rows.cells()), how.of_duplicate);
  const auto width = how.each_width;
  if (width == 0) db.change(*how.each, {});
  for (std::span<const cell> left = rows.cells(); !left.empty(); left = left.subspan(width))
    if (db.change(*how.each, left.first(width)) == 0 && how.must_change) return commit_outcome::lost_claim;
  return commit_outcome::committed;
}

/// The lanes of one connection.
struct lanes {
  std::int64_t totals = 0;
  event_lane& events;
  purged_ids purged = purged_ids::unknown;
};

/// Whether a unit takes the id of a payment that was purged. To be called once the new payments are written: a purge
/// that deletes a payment of that id has committed by then.
bool takes_purged_id(db_connection& db, units_view units) {
  std::vector<const entity_key*> fresh;
  for (const auto& unit : units)
    for (const auto& row : unit.inserts)
      if (const auto* made = std::get_if<payment_ptr>(&row)) fresh.push_back(&(*made)->key);
  return any_purged(db, fresh);
}

bool has_events(const unit_of_work& unit) {
  return std::ranges::any_of(unit.inserts, [](const auto& row) {
    const auto* entry = std::get_if<timeline_entry>(&row);
    return entry && entry->kind == timeline_kind::event;
  });
}

/// Writes all units, or stops at the first statement that fails. The failure is the outcome if there is one unit.
commit_outcome apply(db_connection& db, units_view units, const lanes& in) {
  gathered_rows gathered;
  for (const auto& unit : units) gathered.gather(unit);
  gathered.add_up(in.totals);
  if (!gathered.audits().empty()) link_audits(db, gathered, in.totals);
  for (std::size_t i = 0; i < row_kind_count; ++i) {
    const auto kind = static_cast<row_kind>(i);
    // The rows that the events belong to have been claimed by now.
    if (kind == row_kind::event && gathered.has_events()) {
      in.events.meet_others(db);
      gathered.add_events([&](time_point occurred_at) { return in.events.draw(occurred_at); });
    }
    const auto* rows = gathered.of(kind);
    if (!rows) continue;
    const auto outcome = write_rows(db, kind, *rows);
    if (outcome == commit_outcome::unavailable && units.size() == 1 && writing_of(kind).shape)
      log::error("store.row_rejected", {{"table", writing_of(kind).shape->table}});
    if (outcome != commit_outcome::committed) return outcome;
    if (kind == row_kind::payment && in.purged == purged_ids::refused && takes_purged_id(db, units))
      return commit_outcome::entity_exists;
  }
  return commit_outcome::committed;
}

/// Splits a batch into parts that are written one after the other. No part writes a row twice, so the order of the
/// units within it does not matter. Equal hashes of different keys only cause further splits.
std::vector<units_view> independent_parts(units_view units) {
  if (units.size() == 1) return {units};
  std::vector<units_view> parts;
  std::unordered_set<std::size_t> written;
  written.reserve(units.size() * 2);
  std::size_t start = 0;
  std::vector<std::size_t> hashes;
  for (std::size_t i = 0; i < units.size(); ++i) {
    hashes.clear();
    append_row_hashes(hashes, units[i]);
    if (std::ranges::any_of(hashes, [&](std::size_t hash) { return written.contains(hash); })) {
      parts.push_back(units.subspan(start, i - start));
      start = i;
      written.clear();
    }
    written.insert(hashes.begin(), hashes.end());
  }
  if (start < units.size()) parts.push_back(units.subspan(start));
  return parts;
}

/// Finds the units that cannot commit by bisection, so that one such unit among n costs some 2·log n passes, not n.
void bisect(db_connection& db, units_view units, const lanes& in, commit_outcome* outcomes) {
  db.execute("SAVEPOINT part");
  const auto outcome = apply(db, units, in);
  if (outcome != commit_outcome::committed) db.execute("ROLLBACK TO SAVEPOINT part");
  db.execute("RELEASE SAVEPOINT part");
  if (outcome == commit_outcome::committed || units.size() == 1) {
    std::fill_n(outcomes, units.size(), outcome);
    return;
  }
  const auto half = units.size() / 2;
  bisect(db, units.first(half), in, outcomes);
  bisect(db, units.subspan(half), in, outcomes + half);
}

std::vector<commit_outcome> commit_in_one(db_connection& db, units_view units, const lanes& in) {
  std::vector<commit_outcome> outcomes(units.size(), commit_outcome::committed);
  const auto parts = independent_parts(units);
  db.begin();
  const bool all_apply = std::ranges::all_of(parts, [&](units_view part) {
    const auto outcome = apply(db, part, in);
    if (units.size() == 1) outcomes.front() = outcome;
    return outcome == commit_outcome::committed;
  });
  if (!all_apply) {
    db.rollback();
    if (units.size() == 1) return outcomes;
    db.begin();
    for (const auto part : parts) bisect(db, part, in, outcomes.data() + (part.data() - units.data()));
  }
  const bool logs = std::ranges::any_of(units, has_events);
  if (logs) in.events.close(db);
  db.commit();
  if (logs) in.events.closed();
  return outcomes;
}

}  // namespace

std::vector<commit_outcome> commit_units(db_connection& db, units_view units, std::int64_t lane, event_lane& events,
                                         purged_ids purged) {
  try {
    if (std::ranges::any_of(units, has_events)) events.open(db);
    return commit_in_one(db, units, {lane, events, purged});
  } catch (const database_error&) {
    db.rollback();
    throw;
  }
}

std::vector<commit_outcome> commit_units(db_connection& db, units_view units, std::int64_t lane, purged_ids purged) {
  event_lane events{std::make_shared<event_log>(), {}};
  auto outcomes = commit_units(db, units, lane, events, purged);
  events.end(db);
  return outcomes;
}

}  // namespace gateway::persistence
