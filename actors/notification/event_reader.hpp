// The actor that reads the providers' lists of events, so that an event whose notification was lost is applied, too.
#pragma once

#include <array>

#include "gateway/directory/provider_board.hpp"
#include "gateway/messages/actors.hpp"
#include "gateway/ports/membership.hpp"
#include "process/clock_watch.hpp"

namespace gateway::actors {

/// What the reader uses. Everything referred to must outlive it.
struct event_reader_context {
  store_handles store;
  router_actor router;
  const wall_clock& clock;
  clock_watch& watch;
  const provider_board& board;
  std::array<provider_actor, provider_catalogue.size()> providers;  ///< gates, by provider_kind
  std::array<bool, provider_catalogue.size()> lists{};  ///< which providers have a list, besides the sandboxes
  const membership& nodes = membership::alone();
};

/// The node that owns the maintenance reads each list at the start and then once an hour, from the last position. Any
/// node reads a list when an operator requests it. A position is stored once all events before it are durable. A list
/// that could not be read to its end is tried again after a minute, then after twice as long each time, up to an hour.
/// Nothing is read while the clock is not trusted, or while the provider is unavailable.
event_reader_actor spawn_event_reader(caf::actor_system& system, event_reader_context context);

}  // namespace gateway::actors
