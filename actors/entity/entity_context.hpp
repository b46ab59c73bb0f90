// What the actors of all entities use.
#pragma once

#include "commit_doubt.hpp"
#include "gateway/actors.hpp"
#include "gateway/base/metrics.hpp"
#include "gateway/delivery_numbers.hpp"
#include "gateway/directory.hpp"
#include "gateway/membership.hpp"
#include "gateway/settings.hpp"
#include "gateway/tracing.hpp"
#include "process/clock_watch.hpp"

namespace gateway::actors {

/// Made once by the composition root; outlives the actors.
struct entity_context {
  store_handles store;
  const directory& merchants;
  const wall_clock& clock;
  clock_watch& watch;
  const settings& config;
  metrics& meters;
  dispatcher_actor dispatcher;
  delivery_numbers& numbers;
  commit_doubt doubt{};
  const membership& nodes = membership::alone();
  directory_actor operators{};  ///< reads merchants that `merchants` lacks; makes them chargeable in test
  tracing& traces = tracing::off();
};

}  // namespace gateway::actors
