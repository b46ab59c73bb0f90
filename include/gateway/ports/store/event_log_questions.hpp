// Questions to the log of events (docs/decisions/0057-the-log-of-events.md). A position stands for a place in the log:
// who goes on behind the last position that an answer covers misses no event and sees none twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gateway/domain/webhook.hpp"
#include "gateway/ports/store/reader_kind.hpp"

namespace gateway {

/// The events behind a position, in the order of the log. A merchant's, or those that a platform may read: of each
/// merchant that granted it payments:read in this environment, from the start of each grant to its end.
struct find_logged_events {
  using answer = struct logged_events_lookup;
  static constexpr auto reader = store_reader_kind::archive;

  environment env = environment::test;
  merchant_id merchant{};  ///< empty: of all merchants of the platform
  platform_id platform{};  ///< empty: the merchant itself reads
  std::int64_t after = 0;
  std::optional<time_point> from{};  ///< only events that happened then or later
  std::vector<event_type> types{};   ///< empty: all
  std::string id{};                  ///< not empty: only the event with this id, wherever it stands in the log
  std::uint32_t limit = 20;
  std::size_t most_bytes = 4 * 1024 * 1024;  ///< of data: an answer ends behind the event that exceeds it
  /// Up to where the log should be complete, as a first answer said; 0: to all that has been committed.
  std::int64_t complete_to = 0;
};

struct logged_event {
  event_record event;
  entity_id merchants_entity;
  std::int64_t position = 0;
  bool partial = false;  ///< the platform did not make the payment: the event's private fields are left out
};

struct logged_events_lookup {
  std::vector<logged_event> events;
  std::int64_t read_to = 0;      ///< where to go on: everything up to there is in the answer, or does not match
  bool more = false;             ///< there may be further ones that could be read at once
  bool expired = false;          ///< events behind the position have left the log; nothing was read
  std::int64_t complete = 0;     ///< what was committed before this position could be read
  std::int64_t furthest = 0;     ///< no commit has reached this position
  std::int64_t complete_to = 0;  ///< if `complete` is less, ask again a moment later with this
};

/// Whose log has grown behind a position.
struct find_event_news {
  using answer = struct event_news_lookup;
  static constexpr auto reader = store_reader_kind::archive;

  std::int64_t after = 0;  ///< 0: only the position is asked for
  std::uint32_t limit = 1'000;  ///< most events that are looked at
};

struct event_news_lookup {
  struct owner {
    merchant_id merchant;
    environment env = environment::test;
  };
  std::vector<owner> owners;  ///< each once
  std::int64_t read_to = 0;
  bool more = false;
  std::int64_t complete = 0;
  std::int64_t furthest = 0;
};

}  // namespace gateway
