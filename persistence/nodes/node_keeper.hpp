// The actor behind a node's lease.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <caf/actor_system.hpp>

#include "gateway/base/metrics.hpp"
#include "gateway/messages/actors.hpp"
#include "gateway/ports/membership.hpp"
#include "persistence/connection/store_location.hpp"
#include "persistence/nodes/node_rows.hpp"

namespace gateway::persistence {

/// How the keeper ends its process.
struct node_ending {
  std::function<void()> drain;                ///< an operator has asked for this node's orderly shutdown
  std::function<void(std::string)> give_up;   ///< another process has this node's name: this one must end
};

/// Detached: it has its own thread and its own connection, so that the lease is renewed while all other actors wait.
/// prepared_store::take_name() has already inserted this node's row. `others` and `counts` must outlive the actor.
node_keeper spawn_node_keeper(caf::actor_system& system, store_location where, std::string address, membership& others,
                              metrics& counts, node_ending ending);

/// How often a keeper reads the table of nodes: usually, and while a request or another node waits for the result.
struct keeper_pace {
  ticks_ms usual{100};
  ticks_ms quick{10};
};

/// For tests: the same actor on the scheduler, over the given rows. It uses the clock of `others`.
node_keeper spawn_node_keeper_over(caf::actor_system& system, std::unique_ptr<node_rows> rows, std::string address,
                                   membership& others, metrics& counts, node_ending ending, keeper_pace pace = {});

}  // namespace gateway::persistence
