#include "persistence/nodes/node_table.hpp"

#include <algorithm>
#include <stdexcept>
#include <thread>

#include "gateway/base/boot_clock.hpp"
#include "gateway/base/crypto.hpp"
#include "gateway/base/log.hpp"
#include "persistence/connection/transaction.hpp"
#include "persistence/tables/columns.hpp"
#include "persistence/tables/queries.hpp"

namespace gateway::persistence {

// MySQL only: the embedded store has one node. Times are the database's.
namespace statements {

const statement read_nodes = sql(R"sql(
  SELECT name, incarnation, address, status, asked_to_drain, beats, published, yielded, payments, last_seen FROM nodes
  ORDER BY name
)sql");
const statement insert_node = sql(R"sql(
  INSERT INTO nodes (name, incarnation, address, status, asked_to_drain, beats, published, yielded, payments, last_seen)
  VALUES (?, ?, ?, 'joining', 0, 1, -1, -1, 0, CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED))
)sql");
const statement take_name = sql(R"sql(
  UPDATE nodes SET incarnation = ?, address = ?, status = 'joining', asked_to_drain = 0, beats = beats + 1,
  published = -1, yielded = -1, payments = 0, last_seen = CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)
  WHERE name = ? AND incarnation = ? AND beats = ?
)sql");
const statement renew_lease = sql(R"sql(
  UPDATE nodes SET status = ?, beats = beats + 1, published = ?, yielded = ?, payments = ?,
  last_seen = CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED) WHERE name = ? AND incarnation = ?
)sql");
const statement give_up_node =
    sql("UPDATE nodes SET status = 'gone' WHERE name = ? AND incarnation = ? AND beats = ? AND status <> 'gone'");
const statement leave = sql("UPDATE nodes SET status = 'gone', beats = beats + 1 WHERE name = ? AND incarnation = ?");
const statement ask_to_drain = sql("UPDATE nodes SET asked_to_drain = 1 WHERE name = ? AND status <> 'gone'");
// On TiDB the lock has two names, of which one is taken. The first is asked about twice, because the holder may change
// from one to the other meanwhile.
const statement is_locked_by_one = sql(R"sql(
  SELECT IS_FREE_LOCK(CONCAT('gateway-database:', MD5(DATABASE())))
    AND IS_FREE_LOCK(CONCAT('gateway-database:', MD5(DATABASE()), ':2'))
    AND IS_FREE_LOCK(CONCAT('gateway-database:', MD5(DATABASE())))
)sql");

}  // namespace statements

namespace {

constexpr std::chrono::milliseconds between_looks{100};

node_row node_from(const result_row& row) {
  cursor in{row};
  node_row n;
  n.name = in.text();
  n.incarnation = in.text();
  n.address = in.text();
  get(in, n.status, "status");
  n.asked_to_drain = in.flag("asked_to_drain");
  n.beats = in.number("beats");
  n.published = in.number("published", -1);
  n.yielded = in.number("yielded", -1);
  n.payments = in.number("payments");
  n.last_seen = in.time();
  return n;
}

std::vector<node_row> read_rows(db_connection& db) {
  std::vector<node_row> rows;
  db.read(statements::read_nodes, {}, [&](const result_row& row) { rows.push_back(node_from(row)); });
  return rows;
}

/// Runs the transaction again if it was busy: another member of a Galera cluster may have committed a change of the
/// same row, and then nothing has happened here.
template <class Work>
auto in_repeated_transaction(db_connection& db, Work work) {
  constexpr int most_attempts = 5;
  for (int attempt = 1;; ++attempt) {
    try {
      return in_transaction(db, work);
    } catch (const database_error& error) {
      if (error.what_kind != database_error::kind::busy || attempt == most_attempts) throw;
    }
  }
}

std::uint64_t update(db_connection& db, const node_row& mine) {
  const cell parameters[] = {to_string(mine.status),
                             mine.published,
                             mine.yielded,
                             mine.payments,
                             std::string_view{mine.name},
                             std::string_view{mine.incarnation}};
  return db.change(statements::renew_lease, parameters);
}

std::string live_elsewhere(const node_row& row) {
  return "node '" + row.name + "' is live, at " + row.address + ": another name is needed, or that node's end";
}

/// Reads the rows repeatedly until `judge` returns true: for at most a lease, because a node whose row has not changed
/// for that long counts as dead.
template <class Judge>
void watch(db_connection& db, Judge judge) {
  node_watch seen;
  for (;; std::this_thread::sleep_for(between_looks)) {
    const auto rows = in_transaction(db, [&] { return read_rows(db); });
    const auto now = since_boot();
    seen.look(rows, now);
    if (judge(rows, [&](const node_row& row) { return seen.lives(row, now); })) return;
  }
}

}  // namespace

node_sight look_at_nodes(db_connection& db) {
  return in_transaction(db, [&] {
    node_sight found;
    found.head = read_head(db);
    found.rows = read_rows(db);
    return found;
  });
}

std::string take_name(db_connection& db, const settings& s) {
  const auto incarnation = crypto::random_hex(16);
  const std::string_view name = s.node, address = s.cluster_address, fresh = incarnation;
  std::optional<node_row> first;
  bool reported = false;
  watch(db, [&](const std::vector<node_row>& rows, const auto& lives) {
    const auto row = std::ranges::find(rows, s.node, &node_row::name);
    if (row == rows.end()) {
      const cell parameters[] = {name, fresh, address};
      try {
        return in_repeated_transaction(db, [&] { return db.change(statements::insert_node, parameters) == 1; });
      } catch (const database_error& error) {
        if (!db.is_already_there(error)) throw;
        return false;
      }
    }
    if (!first) first = *row;
    if (lives(*row)) {
      if (row->incarnation != first->incarnation || row->beats != first->beats)
        throw std::runtime_error{live_elsewhere(*row)};
      if (!std::exchange(reported, true)) log::info("node.waits_for_name", {{"at_most_ms", lease_lasts.count()}});
      return false;
    }
    const cell parameters[] = {fresh, address, name, std::string_view{row->incarnation}, row->beats};
    const bool taken = in_repeated_transaction(db, [&] { return db.change(statements::take_name, parameters) == 1; });
    if (!taken) first.reset();
    return taken;
  });
  // A gateway that serves alone reads the nodes after it has taken its lock, so one of the two notices the other.
  try {
    require_not_held_by_one(db);
  } catch (const std::runtime_error&) {
    node_row mine;
    mine.name = s.node;
    mine.incarnation = incarnation;
    leave(db, mine);
    throw;
  }
  return incarnation;
}

bool renew(db_connection& db, const node_row& mine) {
  return in_repeated_transaction(db, [&] { return update(db, mine) == 1; });
}

bool renew_and_announce(db_connection& db, const node_row& mine) {
  return in_repeated_transaction(db, [&] {
    if (update(db, mine) != 1) return false;
    const cell changes[] = {to_string(directory_change::kind::node), std::string_view{mine.name}};
    db.change(statements::raise_number, {});
    db.change(statements::log_change, changes);
    return true;
  });
}

void leave(db_connection& db, const node_row& mine) {
  const cell parameters[] = {std::string_view{mine.name}, std::string_view{mine.incarnation}};
  in_repeated_transaction(db, [&] { return db.change(statements::leave, parameters); });
}

void give_up(db_connection& db, const node_row& dead) {
  const cell parameters[] = {std::string_view{dead.name}, std::string_view{dead.incarnation}, dead.beats};
  in_repeated_transaction(db, [&] { return db.change(statements::give_up_node, parameters); });
}

bool ask_to_drain(db_connection& db, const std::string& name) {
  const cell parameters[] = {std::string_view{name}};
  in_repeated_transaction(db, [&] { return db.change(statements::ask_to_drain, parameters); });
  const auto rows = in_transaction(db, [&] { return read_rows(db); });
  const auto row = std::ranges::find(rows, name, &node_row::name);
  return row != rows.end() && row->asked_to_drain && row->status != node_status::gone;
}

void trim_log(db_connection& db, std::int64_t before) {
  const cell parameters[] = {before};
  in_repeated_transaction(db, [&] { return db.change(statements::trim_log, parameters); });
}

bool is_held_by_one(db_connection& db) {
  return in_transaction(db, [&] {
    bool held = false;
    db.read(statements::is_locked_by_one, {}, [&](const result_row& row) { held = row.integer(0) == 0; });
    return held;
  });
}

void require_not_held_by_one(db_connection& db) {
  const auto deadline = since_boot() + lease_lasts;
  for (; is_held_by_one(db); std::this_thread::sleep_for(between_looks))
    if (since_boot() > deadline)
      throw std::runtime_error{"a gateway without cluster options uses this database: end it, or give it such options"};
}

void require_no_nodes(db_connection& db) {
  std::optional<std::vector<node_row>> first;
  watch(db, [&](const std::vector<node_row>& rows, const auto& lives) {
    if (!first) first = rows;
    bool all_gone = true;
    for (const auto& row : rows) {
      if (row.status == node_status::gone) continue;
      const auto before = std::ranges::find(*first, row.name, &node_row::name);
      if (before == first->end() || before->beats != row.beats || before->incarnation != row.incarnation)
        throw std::runtime_error{"node '" + row.name + "', at " + row.address +
                                 ", uses this database: a gateway beside it needs cluster options"};
      if (lives(row))
        all_gone = false;
      else
        give_up(db, row);
    }
    return all_gone;
  });
}

}  // namespace gateway::persistence
