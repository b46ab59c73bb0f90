// The link to one other node: passes requests to it, and serves here those that it cannot answer.
#pragma once

#include <chrono>
#include <string>

#include <caf/actor.hpp>
#include <caf/actor_system.hpp>

#include "entity/link_table.hpp"
#include "entity/router.hpp"
#include "gateway/base/metrics.hpp"

namespace gateway::actors {

/// For a connection and the first question on it.
inline constexpr std::chrono::seconds node_connect_timeout{3};
/// A node that has not answered for this long is treated as gone: requests passed to it are served here. Serving them
/// here is always safe, so the time may be short.
inline constexpr std::chrono::milliseconds node_patience{1'500};

/// Counts of requests whose owner is another node.
struct node_traffic {
  prometheus::Counter* passed = nullptr;
  prometheus::Counter* served_here = nullptr;

  static node_traffic of(metrics& in) { return {&in.node_requests("passed"), &in.node_requests("served_for_owner")}; }
};

using pinging_link = node_link::extend<caf::reacts_to<wake_atom>,
                                       // from the node links: this link ends
                                       caf::reacts_to<passivate_atom>>;

/// What a link works with.
struct link_context {
  caf::actor far;  ///< the other node's gate
  router_of_node router;  ///< serves requests that cannot be passed
  std::string node;  ///< the other node's name
  node_traffic counts;
  std::chrono::milliseconds between_pings{};
  caf::actor keeper;  ///< receives whether the other node can be reached, and when the link has ended
};

pinging_link spawn_node_link(caf::actor_system& system, link_context context);

}  // namespace gateway::actors
