// Which of the other nodes can be reached at the moment.
// Concurrency: any thread; a reader copies one shared_ptr.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "gateway/messages/actors.hpp"
#include "gateway/ports/membership.hpp"

namespace gateway::actors {

/// Passes requests to another node. If that node cannot be reached, serves them on this node.
using node_link = caf::typed_actor<caf::replies_to<entity_request>::with<entity_reply>>;

class link_table {
 public:
  using links = std::map<std::string, node_link, std::less<>>;

  /// The link to the entity's owner; empty if this node is the owner, or the owner cannot be reached.
  node_link to_owner(const entity_key& key, const membership& nodes) const {
    const auto now = links_.load(std::memory_order_acquire);
    if (!now || now->empty()) return {};
    const auto owners = nodes.shared_by();
    if (!owners || !nodes.serves()) return {};
    const auto owner = owner_of(ownership_hash(key), owners->names);
    if (owner == nodes.name()) return {};
    const auto at = now->find(owner);
    return at == now->end() ? node_link{} : at->second;
  }

  /// Called by the actor that makes the links.
  void publish(links now) { links_.store(std::make_shared<const links>(std::move(now)), std::memory_order_release); }

 private:
  std::atomic<std::shared_ptr<const links>> links_;
};

}  // namespace gateway::actors
