// The link to one other node: passes requests to it, and fails those that it does not answer.
#pragma once

#include <chrono>
#include <string>

#include <caf/actor.hpp>
#include <caf/actor_system.hpp>

#include "entity/link_table.hpp"

namespace gateway::actors {

/// For a connection and the first question on it.
inline constexpr std::chrono::seconds node_connect_timeout{3};
/// A node that has not answered for this long is treated as gone, and requests passed to it fail. Their entities then
/// serve them on this node, which is always safe, so the time may be short.
inline constexpr std::chrono::milliseconds node_patience{1'500};

using pinging_link = node_link::extend<caf::reacts_to<wake_atom>,
                                       // from the node links: this link ends
                                       caf::reacts_to<passivate_atom>>;

/// What a link works with.
struct link_context {
  caf::actor far;  ///< the other node's gate
  std::string node;  ///< the other node's name
  std::chrono::milliseconds between_pings{};
  caf::actor keeper;  ///< receives whether the other node can be reached, and when the link has ended
};

pinging_link spawn_node_link(caf::actor_system& system, link_context context);

}  // namespace gateway::actors
