// What the actors of all entities use.
#pragma once

#include "commit_doubt.hpp"
#include "gateway/base/metrics.hpp"
#include "gateway/base/tracing.hpp"
#include "gateway/directory/directory.hpp"
#include "gateway/messages/actors.hpp"
#include "gateway/ports/membership.hpp"
#include "gateway/ports/store/delivery_numbers.hpp"
#include "gateway/settings.hpp"
#include "link_table.hpp"
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
  const link_table* others = nullptr;  ///< null: this gateway has no links to other nodes
};

}  // namespace gateway::actors
