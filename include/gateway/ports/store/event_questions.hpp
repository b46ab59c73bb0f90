// Questions about the lists of events that providers keep.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gateway/ports/store/event_rows.hpp"
#include "gateway/ports/store/reader_kind.hpp"

namespace gateway {

/// The accounts that merchants have connected at a provider, without repeats, ordered by name, at most `limit`.
struct find_event_lists {
  using answer = struct event_lists_lookup;
  static constexpr auto reader = store_reader_kind::archive;

  provider_kind provider = provider_kind::sandbox;
  environment env = environment::test;
  std::string after{};  ///< only accounts behind it, to page on
  std::uint32_t limit = 100;
};

struct event_lists_lookup {
  struct list {
    std::string account;
    std::optional<time_point> read_to{};  ///< as save_event_position has it
  };
  std::vector<list> accounts;
  std::optional<time_point> own_read_to{};  ///< of the operator's own list
};

/// The sandbox's events in [from, until), oldest first, at most `limit`.
struct find_sandbox_events {
  using answer = struct sandbox_events_lookup;
  static constexpr auto reader = store_reader_kind::archive;

  provider_kind provider = provider_kind::sandbox;
  environment env = environment::test;
  time_point from{}, until{};
  std::string after{};  ///< an event's id: of the events at the time `from`, only those after it, to page on
  std::uint32_t limit = 100;
};

struct sandbox_events_lookup {
  std::vector<sandbox_event> events;
};

}  // namespace gateway
