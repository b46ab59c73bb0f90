// The log of the directory's changes, which the nodes of a cluster read, and the counter of its turns (directory_turn).
#include <set>

#include "persistence/tables/queries.hpp"
#include "persistence/tables/unit_rows.hpp"

namespace gateway::persistence {

namespace statements {

// A transaction makes its other changes first, because it holds the lock on this row until its end.
const statement take_turn = sql("UPDATE directory_head SET turn = turn + 1 WHERE id = 1 AND turn = ?");
const statement raise_number = sql("UPDATE directory_head SET number = number + 1 WHERE id = 1");
const statement log_change =
    sql("INSERT INTO directory_log (number, kind, id) SELECT number, ?, ? FROM directory_head");
const statement trim_log = sql("DELETE FROM directory_log WHERE number < ?");

}  // namespace statements

namespace {

const statement read_head_row = sql("SELECT number, turn FROM directory_head");
const statement read_log = sql("SELECT number, kind, id FROM directory_log WHERE number > ? ORDER BY number LIMIT ?");

directory_change directory_change_from(const result_row& row) {
  cursor in{row};
  in.number("number");
  directory_change c;
  get(in, c.what, "kind");
  c.id = in.text();
  return c;
}

}  // namespace

/// All changes of a unit share one number.
void insert_row(gathered_rows& rows, const directory_change& c) {
  rows.add_to(row_kind::directory_number);
  rows.add_to(row_kind::directory_change).add(to_string(c.what)).add(c.id);
}

void claim_row(gathered_rows& rows, const directory_turn& t) {
  rows.add_to(row_kind::directory_turn).add(t.planned_in);
}

std::size_t row_hash(const directory_change&) { return hash_of_texts({"directory_head"}); }
std::size_t row_hash(const directory_turn&) { return hash_of_texts({"directory_head"}); }

directory_head read_head(db_connection& db) {
  directory_head head;
  db.read(read_head_row, {}, [&](const result_row& row) { head = {row.integer(0), row.integer(1)}; });
  return head;
}

directory_updates run(db_connection& db, const find_directory_updates& what) {
  directory_updates updates;
  updates.head = read_head(db);
  updates.complete_to = updates.head.number;
  if (what.since < 0 || updates.head.number <= what.since) return updates;
  constexpr std::int64_t most = 500;
  const cell parameters[] = {what.since, most};
  std::vector<std::pair<std::int64_t, directory_change>> rows;
  db.read(read_log, parameters,
          [&](const result_row& row) { rows.emplace_back(row.integer(0), directory_change_from(row)); });
  updates.any = rows.empty() || rows.front().first != what.since + 1;
  if (updates.any) return updates;
  if (std::ssize(rows) >= most) {
    // Some changes of the last number may be missing.
    const auto last = rows.back().first;
    std::erase_if(rows, [&](const auto& row) { return row.first == last; });
    updates.any = rows.empty();
    updates.complete_to = last - 1;
  } else {
    // The log may have grown since the head was read.
    updates.complete_to = rows.back().first;
  }
  std::set<directory_change> changed;
  for (auto& [number, change] : rows) changed.insert(std::move(change));
  updates.changed.assign(changed.begin(), changed.end());
  return updates;
}

}  // namespace gateway::persistence
