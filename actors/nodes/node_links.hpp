// Connects this node with the others, and passes requests to those that own what they are for.
#pragma once

#include <chrono>

#include <caf/actor.hpp>
#include <caf/actor_system.hpp>

#include "entity/router.hpp"
#include "gateway/base/metrics.hpp"
#include "gateway/membership.hpp"
#include "link_table.hpp"

namespace gateway::actors {

/// How often the links look after new nodes, and ask each other node whether it answers.
struct link_pace {
  std::chrono::milliseconds between_looks{200};
  std::chrono::milliseconds between_pings{300};
};

/// What the links work with. What it refers to outlives them.
struct links_context {
  node_keeper keeper;     ///< knows the others' addresses
  router_of_node router;  ///< serves what cannot be passed
  caf::actor gate;        ///< serves what others pass
  const membership& nodes;
  link_table& table;
  metrics& meters;
  /// How actors of other processes are reached: answers (connect_atom, host, port) as CAF's middleman does.
  caf::actor connector;
  link_pace pace{};
};

/// What other nodes ask: (keep_atom) is answered with whether this one reaches its database, (work_atom, bytes) with
/// the bytes of the reply. `nodes`
/// outlives it.
caf::actor spawn_node_gate(caf::actor_system& system, router_of_node router, const membership& nodes);

/// Keeps a link to every other live node that speaks the same version, and the table up to date. It is what other nodes
/// find at this node's address: one that connects introduces itself with its name, its incarnation, its message version
/// and its gate, and is answered with this node's three last.
caf::actor spawn_node_links(caf::actor_system& system, const links_context& context);

}  // namespace gateway::actors
