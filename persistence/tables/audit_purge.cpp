// The purge of the audit log: the oldest entries of each chain. The chain's head names the last purged one
// (docs/decisions/0059-the-audit-log-is-chained.md).
#include "gateway/base/log.hpp"
#include "gateway/ports/store/audit_check.hpp"
#include "persistence/tables/queries.hpp"
#include "persistence/tables/unit_rows.hpp"

namespace gateway::persistence {

namespace {

const statement read_oldest_entry = sql("SELECT MIN(occurred_at) FROM audit_log {by audit_by_age}");
const statement move_beginning =
    sql("UPDATE audit_heads SET purged_to = ?, purged_hash = ? WHERE chain_id = ? AND purged_to = ?");
const statement delete_beginning =
    sql("DELETE FROM audit_log WHERE chain_id = ? AND chain_number > ? AND chain_number <= ?");
const statement delete_unlinked = sql(R"sql(
  DELETE FROM audit_log WHERE (user_id, occurred_at, audit_id) IN (
    SELECT user_id, occurred_at, audit_id FROM audit_log {by audit_by_age}
    WHERE occurred_at < ? AND chain_id IS NULL ORDER BY occurred_at, audit_id LIMIT ?)
)sql",
                                      R"sql(
  DELETE a FROM (
    SELECT user_id, occurred_at, audit_id FROM audit_log {by audit_by_age}
    WHERE occurred_at < ? AND chain_id IS NULL ORDER BY occurred_at, audit_id LIMIT ?) AS old
  STRAIGHT_JOIN audit_log AS a ON a.user_id = old.user_id AND a.occurred_at = old.occurred_at
    AND a.audit_id = old.audit_id
)sql");
/// Greater than every id of an entry.
constexpr std::string_view behind_every_entry = "~";

bool has_older_entries(db_connection& db, time_point before) {
  bool has = false;
  db.read(read_oldest_entry, {},
          [&](const result_row& row) { has = !row.is_null(0) && row.integer(0) < to_unix_ms(before); });
  return has;
}

/// The head with the position up to which the chain may be purged: its entries there are old enough, in their places
/// and unchanged. A changed entry stays, and so do all after it, so that the check still finds it.
audit_head beginning_behind(const audit_head& head, const std::vector<audit_entry>& entries, time_point before,
                            std::uint32_t most) {
  auto next = head;
  for (std::size_t i = 0; i < entries.size() && i < most; ++i) {
    const auto& entry = entries[i];
    const auto& link = *entry.link;
    if (entry.what.at >= before) break;
    const bool shares_number = i + 1 < entries.size() && entries[i + 1].link->number == link.number;
    if (link.number != next.purged_to + 1 || shares_number || link.previous_hash != next.purged_hash ||
        entry.has_foreign_values || !matches(link, fields_of(entry.what))) {
      log::error("audit_purge_stopped",
                 {{"chain", head.chain}, {"number", link.number}, {"why", "the entry is not as it was written"}});
      break;
    }
    next.purged_to = link.number;
    next.purged_hash = link.hash;
  }
  return next;
}

}  // namespace

std::vector<audit_head> purge_audit(db_connection& db, time_point before, std::uint32_t limit, std::uint64_t& deleted) {
  std::vector<audit_head> moved;
  if (!has_older_entries(db, before)) return moved;
  for (const auto& head : run(db, find_audit_heads{}).heads) {
    if (deleted >= limit) break;
    const auto most = static_cast<std::uint32_t>(limit - deleted);
    find_audit_chain part;
    part.chain = head.chain;
    part.after = head.purged_to;
    part.after_id = behind_every_entry;
    part.limit = most + 1;
    const auto next = beginning_behind(head, run(db, part).entries, before, most);
    if (next.purged_to == head.purged_to) continue;
    const cell mark[] = {next.purged_to, std::string_view{next.purged_hash}, head.chain, head.purged_to};
    if (db.change(move_beginning, mark) != 1) continue;
    const cell gone[] = {head.chain, head.purged_to, next.purged_to};
    deleted += db.change(delete_beginning, gone);
    moved.push_back(next);
  }
  // Entries without a chain are from before chains were written.
  const cell unlinked[] = {to_unix_ms(before), static_cast<std::int64_t>(limit)};
  if (moved.empty()) deleted += db.change(delete_unlinked, unlinked);
  return moved;
}

}  // namespace gateway::persistence
