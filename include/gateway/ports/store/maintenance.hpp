// Maintenance requests, which a writer of the store answers. They delay its units by at most one small transaction.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gateway/domain/webhook.hpp"

namespace gateway {

/// Where a purge of payments continues: after this payment, in the order of merchants, environments and times. It
/// starts over once it has examined all payments that are old enough.
struct payment_purge_position {
  merchant_id merchant{};  ///< empty: before the first
  environment env = environment::live;
  time_point created_at = time_point::min();
  std::string payment_id{};
};

/// Deletes the rows that are older than the time of their kind, oldest first, at most `limit` of each kind;
/// purge_result::has_more() shows whether there may be more. A writer deletes in many small transactions.
struct purge_commands {
  time_point before{};  ///< finished commands that were created before
  std::uint32_t limit = 0;
  std::optional<time_point> notifications{};  ///< those settled before; nullopt: before `before`
  /// Events that happened before leave the log. Their rows stay in their entities' timelines, without data unless there
  /// are deliveries of them.
  std::optional<time_point> events{};
  std::optional<time_point> deliveries{};  ///< settled ones that were made before
  std::int64_t deliveries_behind = 0;  ///< only those with a greater number
  /// Payments that have ended (gateway/domain/payment_end.hpp) and did not change since then, with what belongs to
  /// them. Entries of the ledger, daily totals and idempotency keys stay, and so does a payment with a pending
  /// delivery.
  std::optional<time_point> payments{};
  payment_purge_position payments_behind{};
  /// Entries of the audit log, from the beginning of each chain. A chain is purged only up to the first entry that was
  /// changed.
  std::optional<time_point> audit{};
};

struct purge_result {
  std::uint64_t deleted = 0;  ///< commands
  std::uint64_t notifications = 0;
  std::uint64_t events = 0;
  std::uint64_t deliveries = 0;  ///< that were looked at
  std::int64_t deliveries_behind = 0;  ///< for the next step
  std::uint64_t payments = 0;  ///< that were looked at
  std::vector<entity_key> purged_payments{};
  bool payments_left = false;  ///< the purge of payments has not come to its end
  payment_purge_position payments_behind{};  ///< for the next step
  std::uint64_t audit = 0;

  std::uint64_t most() const noexcept {
    return std::max({deleted, notifications, events, deliveries, payments, audit});
  }
  /// `limit`: of the request.
  bool has_more(std::uint64_t limit) const noexcept { return payments_left || most() >= limit; }
};

/// Makes deliveries due at `now`, each with a full retry schedule: the one with this number, whatever its status, or
/// the failed ones of a destination that were created in [from, until). At most `limit`, in one transaction; answers
/// how many. With `drop` it ends the pending deliveries of a deleted destination instead: they become failed.
struct redeliver_rows {
  std::int64_t id = 0;  ///< not 0: this one only
  destination_id to{};
  std::optional<time_point> from{};
  std::optional<time_point> until{};
  time_point now{};
  std::uint32_t limit = 0;
  bool drop = false;
};

/// Removes the remains of replaced and deleted rows from the database's files. The embedded store is rewritten, and no
/// unit is committed meanwhile.
struct clear_free_pages {};

struct clear_free_pages_result {
  bool cleared = false;  ///< false: the database does it by its own means, or a long read prevented it
  bool embedded = false;  ///< whether it is the embedded store
};

struct redeliver_rows_result {
  std::uint64_t changed = 0;
  destination_id to;  ///< the destination of the delivery, if one was named
};

}  // namespace gateway
