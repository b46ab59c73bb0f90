// Questions to the log of events (docs/decisions/0057-the-log-of-events.md). A position is a place in the log. A reader
// that continues after the last position of an answer misses no event and gets none twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gateway/domain/webhook.hpp"
#include "gateway/ports/store/reader_kind.hpp"

namespace gateway {

/// The events after a position, in the order of the log: a merchant's own, or those that a platform may read. A
/// platform may read the events of each merchant that granted it payments:read in this environment, from the start of
/// each grant to its end.
struct find_logged_events {
  using answer = struct logged_events_lookup;
  static constexpr auto reader = store_reader_kind::archive;

  environment env = environment::test;
  merchant_id merchant{};  ///< empty: of all merchants of the platform
  platform_id platform{};  ///< empty: the merchant itself reads
  std::int64_t after = 0;
  std::optional<time_point> from{};  ///< only events that happened then or later
  std::vector<event_type> types{};  ///< empty: all
  std::string id{};  ///< not empty: only the event with this id, at any position
  std::uint32_t limit = 20;
  std::size_t most_bytes = 4 * 1024 * 1024;  ///< of data: an answer ends after the event that exceeds it
  /// The position up to which the log must be complete, from a first answer's complete_to; 0: all that has been
  /// committed.
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
  std::int64_t read_to = 0;  ///< where to continue: all matching events up to there are in the answer
  bool more = false;  ///< further events may be readable at once
  bool expired = false;  ///< events after the position have left the log; nothing was read
  std::int64_t complete = 0;  ///< all commits up to this position were readable
  std::int64_t furthest = 0;  ///< no commit has reached this position
  std::int64_t complete_to = 0;  ///< if `complete` is less, ask again a moment later with this
};

/// The owners with new events after a position.
struct find_event_news {
  using answer = struct event_news_lookup;
  static constexpr auto reader = store_reader_kind::archive;

  std::int64_t after = 0;  ///< 0: only the present position is requested
  std::uint32_t limit = 1'000;  ///< most events that are read
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
