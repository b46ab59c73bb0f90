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

namespace gateway::actors {

/// Passes a request to another node, and answers with that node's answer. An error means that there is no answer: the
/// other node may have executed the request, or may still do so.
using node_link = caf::typed_actor<caf::replies_to<entity_request>::with<entity_reply>>;

class link_table {
 public:
  /// By the incarnation of the other node's process.
  using links = std::map<std::string, node_link, std::less<>>;

  /// Empty if the process cannot be reached.
  node_link to(std::string_view process) const {
    const auto now = links_.load(std::memory_order_acquire);
    if (!now) return {};
    const auto at = now->find(process);
    return at == now->end() ? node_link{} : at->second;
  }

  /// Called by the actor that makes the links.
  void publish(links now) { links_.store(std::make_shared<const links>(std::move(now)), std::memory_order_release); }

 private:
  std::atomic<std::shared_ptr<const links>> links_;
};

}  // namespace gateway::actors
