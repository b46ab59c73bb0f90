// Connects this node with the others, so that a request can be passed to the node that runs an operation on its entity.
#pragma once

#include <chrono>

#include <caf/actor.hpp>
#include <caf/actor_system.hpp>

#include "entity/link_table.hpp"
#include "gateway/base/write_gate.hpp"
#include "gateway/ports/membership.hpp"

namespace gateway::actors {

/// How often the links look for new nodes, and ping each other node.
struct link_pace {
  std::chrono::milliseconds between_reads{200};
  std::chrono::milliseconds between_pings{300};
};

/// What the links work with. Everything referred to must outlive them.
struct links_context {
  node_keeper keeper;  ///< has the other nodes' addresses
  caf::actor gate;  ///< serves requests that other nodes pass
  const membership& nodes;
  link_table& table;
  /// Connects to actors of other processes: answers (connect_atom, host, port) as CAF's middleman does.
  caf::actor connector;
  link_pace pace{};
};

/// Serves other nodes: (keep_atom) is answered with whether this node reaches its database, (work_atom, bytes) with the
/// bytes of the reply. While `writes` is closed a client's write is answered with problem::overloaded. `nodes` and
/// `writes` must outlive the gate. After (drain_atom) it takes no more requests; that is answered once all that it has
/// taken are answered.
caf::actor spawn_node_gate(caf::actor_system& system, router_actor router, const membership& nodes,
                           const write_gate& writes = write_gate::always_open());

/// Keeps a link to every other live node with the same message version, and updates the table. Other nodes find this
/// actor at this node's address: a connecting node sends its name, its incarnation, its message version and its gate,
/// and is answered with the last three of this node.
caf::actor spawn_node_links(caf::actor_system& system, const links_context& context);

}  // namespace gateway::actors
