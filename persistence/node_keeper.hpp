// The actor behind a node's lease.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <caf/actor_system.hpp>

#include "gateway/actors.hpp"
#include "gateway/base/metrics.hpp"
#include "gateway/membership.hpp"
#include "persistence/node_rows.hpp"
#include "persistence/store_location.hpp"

namespace gateway::persistence {

/// What the keeper cannot do itself.
struct node_ending {
  std::function<void()> drain;                ///< an operator wishes that this node ends in order
  std::function<void(std::string)> give_up;   ///< another process has this node's name: this one must end
};

/// Detached: it has its own thread and its own connection, so that a lease is renewed while all others wait. The row
/// of this name and incarnation is taken. `told` and `counts` outlive it.
node_keeper spawn_node_keeper(caf::actor_system& system, store_location where, std::string address, membership& told,
                              metrics& counts, node_ending ending);

/// How often a keeper looks at the table of nodes, and how often while somebody waits for what it will find.
struct keeper_pace {
  ticks_ms usual{100};
  ticks_ms quick{10};
};

/// On the scheduler, for tests: the same over other rows. Its time is the one of `told`.
node_keeper spawn_node_keeper_over(caf::actor_system& system, std::unique_ptr<node_rows> rows, std::string address,
                                   membership& told, metrics& counts, node_ending ending, keeper_pace pace = {});

}  // namespace gateway::persistence
