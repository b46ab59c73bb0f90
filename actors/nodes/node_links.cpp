#include "node_links.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <caf/all.hpp>

#include "gateway/base/log.hpp"
#include "gateway/domain/text.hpp"
#include "node_link.hpp"
#include "wire.hpp"

namespace gateway::actors {

namespace {

/// Whether this node has renewed its lease recently. If not, requests to it would wait for its database.
bool reaches_its_database(const membership& nodes) {
  return nodes.lease_left() > lease_lasts - lease_in_hand - node_patience;
}

struct endpoint {
  std::string host;
  std::uint16_t port = 0;
};

std::optional<endpoint> parse_endpoint(std::string_view address) {
  const auto colon = address.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto port = parse_whole(address.substr(colon + 1), 1, most_port);
  if (!port) return std::nullopt;
  auto host = address.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return endpoint{std::string{host}, static_cast<std::uint16_t>(*port)};
}

class link_keeper {
 public:
  static inline const char* name = "node_links";

  void start(caf::event_based_actor* self, links_context context) {
    self_ = self;
    context_.emplace(std::move(context));
    self_->set_down_handler([this](const caf::down_msg& down) { ended(down.source); });
    self_->set_exit_handler([this](caf::exit_msg& message) {
      context_->table.publish({});
      for (auto& [node, known] : others_)
        if (known.to) self_->send_exit(known.to, caf::exit_reason::user_shutdown);
      self_->quit(std::move(message.reason));
    });
    read_nodes();
  }

  void read_nodes() {
    self_->request(context_->keeper, node_connect_timeout, list_nodes{})
        .then(
            [this](const node_list& seen) {
              adopt(seen.nodes);
              self_->delayed_send(self_, context_->pace.between_reads, wake_atom::value);
            },
            [this](const caf::error&) { self_->delayed_send(self_, context_->pace.between_reads, wake_atom::value); });
  }

  /// Another node has connected.
  caf::result<std::string, std::uint64_t, caf::actor> meet(const std::string& node, const std::string& incarnation,
                                                           std::uint64_t version, const caf::actor& gate) {
    // This node may not have read its row yet; the other node tries again.
    auto* known = find(node, incarnation);
    if (!known) return caf::make_error(caf::sec::runtime_error);
    begin(node, *known, version, gate);
    return {context_->nodes.incarnation(), message_version(), context_->gate};
  }

  /// The link has ended.
  void ended(const caf::actor_addr& link) {
    for (auto& [node, known] : others_)
      if (known.to && known.to.address() == link) {
        known.to = nullptr;
        known.reachable = false;
      }
    publish();
  }

  void set_reachable(const caf::actor_addr& link, bool now) {
    for (auto& [node, known] : others_)
      if (known.to && known.to.address() == link) known.reachable = now;
    publish();
  }

 private:
  struct other {
    std::string incarnation;
    pinging_link to;
    bool connecting = false;
    bool ignored = false;  ///< it has another message version
    bool reachable = false;

    void retire() const {
      if (to) caf::anon_send(to, passivate_atom::value);
    }
  };

  void adopt(const std::vector<node_row>& rows) {
    for (const auto& row : rows) {
      if (row.name == context_->nodes.name()) continue;
      auto at = others_.find(row.name);
      const bool is_other_now = at != others_.end() && at->second.incarnation != row.incarnation;
      if (at != others_.end() && (is_other_now || !may_serve(row.status))) {
        at->second.retire();
        others_.erase(at);
        publish();
        at = others_.end();
      }
      if (!may_serve(row.status)) continue;
      if (at == others_.end()) {
        at = others_.emplace(row.name, other{}).first;
        at->second.incarnation = row.incarnation;
      }
      // Only the node with the lesser name connects. Both nodes pass requests over that connection.
      if (auto& known = at->second;
          context_->nodes.name() < row.name && !known.to && !known.connecting && !known.ignored)
        connect(row, known);
    }
  }

  void connect(const node_row& row, other& known) {
    const auto where = parse_endpoint(row.address);
    if (!where) return;
    known.connecting = true;
    self_->request(context_->connector, node_connect_timeout, caf::connect_atom::value, where->host, where->port)
        .then(
            [this, node = row.name, incarnation = row.incarnation](
                const caf::node_id&, const caf::strong_actor_ptr& far, const std::set<std::string>&) {
              if (far)
                introduce_itself(node, incarnation, caf::actor_cast<caf::actor>(far));
              else
                give_up(node, incarnation);
            },
            [this, node = row.name, incarnation = row.incarnation](const caf::error&) { give_up(node, incarnation); });
  }

  void introduce_itself(const std::string& node, const std::string& incarnation, const caf::actor& far) {
    const auto& nodes = context_->nodes;
    self_
        ->request(far, node_connect_timeout, join_atom::value, nodes.name(), nodes.incarnation(), message_version(),
                  context_->gate)
        .then(
            [this, node, incarnation](const std::string& process, std::uint64_t version, const caf::actor& gate) {
              auto* known = find(node, incarnation);
              if (!known) return;
              known->connecting = false;
              // Another process may have this address now.
              if (process == incarnation) begin(node, *known, version, gate);
            },
            [this, node, incarnation](const caf::error&) { give_up(node, incarnation); });
  }

  void begin(const std::string& node, other& known, std::uint64_t version, const caf::actor& gate) {
    if (version != message_version()) {
      if (!std::exchange(known.ignored, true)) log::info("node.other_version", {{"other", node}});
      return;
    }
    known.retire();
    log::info("node.linked", {{"other", node}});
    known.reachable = false;
    known.to = spawn_node_link(self_->system(), {gate, node, context_->pace.between_pings, caf::actor{self_}});
    self_->monitor(known.to);
    publish();
  }

  other* find(const std::string& node, const std::string& incarnation) {
    const auto at = others_.find(node);
    return at == others_.end() || at->second.incarnation != incarnation ? nullptr : &at->second;
  }

  /// The next read of the nodes tries again.
  void give_up(const std::string& node, const std::string& incarnation) {
    if (auto* known = find(node, incarnation)) known->connecting = false;
  }

  void publish() {
    link_table::links now;
    for (const auto& [node, known] : others_)
      if (known.reachable) now.emplace(known.incarnation, known.to);
    context_->table.publish(std::move(now));
  }

  caf::event_based_actor* self_ = nullptr;
  std::optional<links_context> context_;
  std::map<std::string, other> others_;
};

caf::behavior links_behavior(caf::stateful_actor<link_keeper>* self, const links_context& context) {
  self->state.start(self, context);
  return {
      [self](wake_atom) { self->state.read_nodes(); },
      [self](join_atom, const std::string& node, const std::string& incarnation, std::uint64_t version,
             const caf::actor& gate) { return self->state.meet(node, incarnation, version, gate); },
      [self](keep_atom, const caf::actor_addr& link, bool reachable) { self->state.set_reachable(link, reachable); },
      [self](passivate_atom, const caf::actor_addr& link) { self->state.ended(link); },
  };
}

/// Counts the requests that it has taken, because each of their clients waits for the answer at another node: this node
/// ends only when it has given all answers.
class node_gate {
 public:
  static inline const char* name = "node_gate";

  void start(caf::event_based_actor* self, router_actor router, const membership& nodes, const write_gate& writes) {
    self_ = self;
    router_ = std::move(router);
    nodes_ = &nodes;
    writes_ = &writes;
  }

  bool reaches_database() const { return reaches_its_database(*nodes_); }

  caf::result<std::string> serve(const std::string& bytes) {
    auto request = unpacked_request(bytes);
    if (!request) return caf::make_error(caf::sec::invalid_argument);
    if (drains_ || !nodes_->serves()) return caf::make_error(caf::sec::no_actor_published_at_port);
    // An answer and not an error, because after an error the other node would serve the request.
    if (request->write && writes_->is_closed()) return packed(entity_reply{problem::overloaded});
    log::info("node.request_taken", {{"request_id", request->request_id},
                                     {"trace_id", request->trace.trace},
                                     {"merchant", request->key.merchant.value},
                                     {"kind", to_string(request->key.kind)},
                                     {"id", request->key.id}});
    auto promise = self_->make_response_promise<std::string>();
    ++taken_;
    self_->request(router_, caf::infinite, std::move(*request))
        .then(
            [this, promise](const entity_reply& reply) mutable {
              promise.deliver(packed(reply));
              ended();
            },
            [this, promise](caf::error& why) mutable {
              promise.deliver(std::move(why));
              ended();
            });
    return promise;
  }

  caf::result<bool> drain() {
    drains_ = true;
    if (taken_ == 0) return true;
    return waiting_.emplace_back(self_->make_response_promise<bool>());
  }

 private:
  void ended() {
    if (--taken_ > 0) return;
    for (auto& each : std::exchange(waiting_, {})) each.deliver(true);
  }

  caf::event_based_actor* self_ = nullptr;
  router_actor router_;
  const membership* nodes_ = nullptr;
  const write_gate* writes_ = nullptr;
  std::size_t taken_ = 0;  ///< and not answered yet
  bool drains_ = false;
  std::vector<caf::typed_response_promise<bool>> waiting_;
};

caf::behavior node_gate_behavior(caf::stateful_actor<node_gate>* self, const router_actor& router,
                                 const membership* nodes, const write_gate* writes) {
  self->state.start(self, router, *nodes, *writes);
  return {
      [self](keep_atom) { return self->state.reaches_database(); },
      [self](work_atom, const std::string& bytes) { return self->state.serve(bytes); },
      [self](drain_atom) { return self->state.drain(); },
  };
}

}  // namespace

caf::actor spawn_node_gate(caf::actor_system& system, router_actor router, const membership& nodes,
                           const write_gate& writes) {
  return system.spawn(node_gate_behavior, std::move(router), &nodes, &writes);
}

caf::actor spawn_node_links(caf::actor_system& system, const links_context& context) {
  return system.spawn(links_behavior, context);
}

}  // namespace gateway::actors
