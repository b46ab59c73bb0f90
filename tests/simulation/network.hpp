// The connections between the nodes: they delay messages, deliver them twice, stall and break. A connection that has
// lost a message loses all later ones until it breaks. Both ends are the production actors; only the socket between two
// processes is simulated.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <caf/all.hpp>

#include "fault_rates.hpp"
#include "journal.hpp"
#include "random_source.hpp"
#include "virtual_time.hpp"

namespace gateway::simulation {

/// A node as the network sees it.
struct node_side {
  caf::actor_system* system = nullptr;
  caf::actor links;  ///< what other nodes find at its address
  caf::actor gate;
  unsigned version = 0;  ///< nodes of different versions cannot read each other's messages
  std::function<bool()> runs;  ///< false while it is paused
  /// Lets an actor of that node send a request on behalf of another node.
  std::function<void(const std::function<void(caf::event_based_actor&)>&)> act;
};

class network {
 public:
  using connection_id = std::uint64_t;  ///< 0: none

  network(virtual_time& time, random_source& random, const fault_rates& faults, journal& log)
      : time_{time}, random_{random}, faults_{faults}, log_{log} {}

  /// From now on other nodes reach it by that name.
  void join(const std::string& name, node_side side) { nodes_.insert_or_assign(name, std::move(side)); }
  /// The process has ended: its connections break.
  void leave(const std::string& name);
  /// Their connection stalls, and they make no other one meanwhile.
  void cut(const std::string& one, const std::string& other, duration_ms lasts);

  // ---- for the actors at the ends of a connection -------------------------------------------------

  /// The connection to that node; makes one if there is none.
  connection_id connect(const std::string& from, const std::string& to);
  /// Whether a message from that end would arrive and be answered.
  bool passes(connection_id which, const std::string& from);
  bool speak_alike(connection_id which) const;
  std::string far_from(connection_id which, const std::string& here) const;
  /// Carries a message from one end to the other, where `arrives` runs: late, never, or twice if it may. `what` names
  /// the message in the counts.
  void carry(connection_id which, const std::string& from, std::string_view what,
             const std::function<void(node_side&)>& arrives);
  /// The actor at `here` that represents the gate of the node at the far end.
  caf::actor far_gate(connection_id which, const std::string& here);
  /// Adds an actor at `here` that represents something else of that node.
  void add(connection_id which, const std::string& here, caf::actor end) {
    connections_.at(which).others.emplace_back(here, std::move(end));
  }

 private:
  struct connection {
    std::string one, other;
    std::map<std::string, caf::actor> gates;  ///< by the node at which they are
    std::vector<std::pair<std::string, caf::actor>> others;  ///< likewise
    bool stalled = false;
  };
  using pair_of_nodes = std::pair<std::string, std::string>;

  connection_id between(const std::string& one, const std::string& other) const;
  void stall(connection_id which);
  void break_(connection_id which);
  bool is_cut(const std::string& one, const std::string& other) const;

  virtual_time& time_;
  random_source& random_;
  const fault_rates& faults_;
  journal& log_;
  std::map<std::string, node_side> nodes_;
  std::map<connection_id, connection> connections_;
  std::map<pair_of_nodes, time_point> cut_until_;
  connection_id last_ = 0;
};

/// The actor through which a node's links reach another node: answers (connect_atom, host, port) as CAF's middleman
/// does.
caf::actor spawn_connector(caf::actor_system& system, network& by, std::string node);

}  // namespace gateway::simulation
