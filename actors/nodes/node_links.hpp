// Connects this node with the others, and passes each request to the node that owns its entity.
#pragma once

#include <chrono>

#include <caf/actor.hpp>
#include <caf/actor_system.hpp>
#include <caf/sec.hpp>

#include "entity/link_table.hpp"
#include "entity/router.hpp"
#include "gateway/base/metrics.hpp"
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
  node_keeper keeper;     ///< has the other nodes' addresses
  router_of_node router;  ///< serves requests that cannot be passed
  caf::actor gate;        ///< serves requests that other nodes pass
  const membership& nodes;
  link_table& table;
  metrics& meters;
  /// Connects to actors of other processes: answers (connect_atom, host, port) as CAF's middleman does.
  caf::actor connector;
  link_pace pace{};
};

/// A node's gate answers a request with this error if it has not taken it and will not execute it.
inline constexpr caf::sec not_taken = caf::sec::no_actor_published_at_port;

/// Serves other nodes: (keep_atom) is answered with whether this node reaches its database, (work_atom, bytes) with the
/// bytes of the reply. While `writes` is closed a client's write is answered with problem::overloaded. `nodes` and
/// `writes` must outlive the gate. After (drain_atom) it takes no more requests; that is answered once all that it has
/// taken are answered.
caf::actor spawn_node_gate(caf::actor_system& system, router_of_node router, const membership& nodes,
                           const write_gate& writes = write_gate::always_open());

/// Keeps a link to every other live node with the same message version, and updates the table. Other nodes find this
/// actor at this node's address: a connecting node sends its name, its incarnation, its message version and its gate,
/// and is answered with the last three of this node.
caf::actor spawn_node_links(caf::actor_system& system, const links_context& context);

}  // namespace gateway::actors
