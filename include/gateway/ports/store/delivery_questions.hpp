// Questions about deliveries of webhooks, and about events.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gateway/base/trace_context.hpp"
#include "gateway/domain/destination_health.hpp"
#include "gateway/domain/webhook.hpp"
#include "gateway/ports/store/reader_kind.hpp"

namespace gateway {

/// A delivery and its event: what an attempt needs, besides the destination.
struct delivery_job {
  delivery row;
  event_record event;
  std::size_t left_out = 0;  ///< size in bytes of the event's data, if the query left the data out
  /// The trace of the request that caused the event. It is not stored, so it is absent after a read from the store.
  trace_context trace{};

  bool operator==(const delivery_job&) const = default;
};

/// Pending deliveries to `to` that are due, most overdue first, at most `limit`.
struct find_due_deliveries {
  using answer = struct due_deliveries_lookup;
  static constexpr auto reader = store_reader_kind::outbox;

  destination_id to;
  time_point now{};
  std::uint32_t limit = 0;
  /// Larger event data is left out, so that `limit` also bounds the bytes.
  std::uint32_t most_data_bytes = 4 * 1024;
};

struct due_deliveries_lookup {
  std::vector<delivery_job> jobs;
  std::size_t unreadable = 0;  ///< malformed rows among the `limit`, which are left out
  std::optional<time_point> next_due;  ///< the earliest time after `now` at which one is due
};

/// Pending deliveries by destination: read at start, and at intervals to find deliveries that another process left.
struct find_backlog {
  using answer = struct backlog_lookup;
  static constexpr auto reader = store_reader_kind::archive;

  std::int64_t from_number = 0;  ///< only deliveries with this number or a higher one
};

struct destination_backlog {
  destination_id to;
  std::uint64_t pending = 0;
  time_point next_attempt_at{};  ///< the earliest
  std::int64_t oldest_number = 0;  ///< the smallest delivery number, which gives the age
};

struct backlog_lookup {
  std::vector<destination_backlog> destinations;
};

/// Newest first, at most `limit`. The event's data is read only for a single delivery (`id`).
struct find_deliveries {
  using answer = struct deliveries_lookup;
  static constexpr auto reader = store_reader_kind::archive;

  /// Only deliveries of this entity's events; then neither `to` nor `status` is given.
  std::optional<entity_key> subject{};
  destination_id to{};  ///< empty: any
  /// With `to`: the merchant that it belongs to. The page is then read from the index in order, however many deliveries
  /// there are. If more than 10,000 wait, those with the latest next attempt are read.
  merchant_id owner{};
  std::optional<delivery_status> status{};
  std::int64_t id = 0;  ///< not 0: this one only
  std::int64_t before = 0;  ///< not 0: only numbers below it, to page on
  std::uint32_t limit = 100;
};

struct deliveries_lookup {
  std::vector<delivery_job> jobs;
};

/// The number of deliveries to `to` with this status, counted up to `most`.
struct count_deliveries {
  using answer = struct delivery_count;
  static constexpr auto reader = store_reader_kind::archive;

  destination_id to;
  delivery_status status = delivery_status::failed;
  std::uint32_t most = 0;
};

struct delivery_count {
  std::uint64_t count = 0;
};

/// The deliveries that wait for `to`. Reads at most `most` of them, those that are due first.
struct find_waiting_deliveries {
  using answer = struct waiting_deliveries;
  static constexpr auto reader = store_reader_kind::archive;

  destination_id to;
  std::uint32_t most = 0;
};

struct waiting_deliveries {
  std::uint64_t count = 0;
  std::int64_t oldest_number = 0;  ///< 0: none waits
  std::optional<time_point> next_attempt_at{};  ///< the earliest
};

/// The health of the owner's destinations, at most `limit`; or of the one that `id` names. A destination without
/// attempts has none.
struct find_destination_health {
  using answer = struct destination_health_lookup;
  static constexpr auto reader = store_reader_kind::archive;

  std::string owner;
  destination_id id{};  ///< empty: all of them
  std::uint32_t limit = 1'000;
};

struct destination_health_lookup {
  std::vector<destination_health> of;
};

/// For operators: a merchant's events, newest first, at most `limit`.
struct find_events {
  using answer = struct events_lookup;
  static constexpr auto reader = store_reader_kind::archive;

  merchant_id merchant;
  std::optional<environment> env{};
  entity_kind kind = entity_kind::payment;  ///< the kind of `subject`
  std::string subject{};  ///< an entity's id; empty: all entities of all kinds
  std::optional<time_point> before{};  ///< only earlier events, to page on
  std::uint32_t limit = 100;
};

struct events_lookup {
  std::vector<event_record> events;
};

}  // namespace gateway

// Compiled in questions.cpp.
extern template class std::vector<gateway::delivery_job>;
