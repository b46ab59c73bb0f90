#include "node_links.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include <caf/all.hpp>

#include "gateway/base/log.hpp"
#include "gateway/domain/text.hpp"
#include "wire.hpp"

namespace gateway::actors {

namespace {

/// For a connection and the first question on it.
constexpr std::chrono::seconds connect_timeout{3};
/// A node that has not answered for this long is treated as gone: requests passed to it are served here. That is safe
/// at any time, so the time may be short.
constexpr std::chrono::milliseconds patience{1'500};
/// A router that has looked up a link just before the link retired still sends it requests.
constexpr std::chrono::milliseconds outlives_its_end_by{500};

/// Whether this node has renewed its lease recently. If not, requests to it would wait for its database.
bool reaches_its_database(const membership& nodes) {
  return nodes.lease_left() > lease_lasts - lease_in_hand - patience;
}

/// Counts of requests whose owner is another node.
struct traffic {
  prometheus::Counter* passed = nullptr;
  prometheus::Counter* served_here = nullptr;

  static traffic of(metrics& in) { return {&in.node_requests("passed"), &in.node_requests("served_for_owner")}; }
};

// ---- the link to one node -------------------------------------------------------------------------

using pinging_link = node_link::extend<caf::reacts_to<wake_atom>,
                                       // from the actor that keeps the links: this link retires
                                       caf::reacts_to<passivate_atom>>;

/// Requests are sent as they arrive and kept until they are answered, so that unanswered ones can be served here.
class link {
 public:
  static inline const char* name = "node_link";

  void start(pinging_link::stateful_pointer<link> self, caf::actor far, router_of_node router, std::string node,
             traffic counts, std::chrono::milliseconds between_pings, caf::actor keeper) {
    self_ = self;
    between_pings_ = between_pings;
    keeper_ = std::move(keeper);
    far_ = std::move(far);
    router_ = std::move(router);
    node_ = std::move(node);
    counts_ = counts;
    heard_at_ = self_->clock().now();
    self_->monitor(far_);
    self_->set_down_handler([this](const caf::down_msg&) { retire(); });
    self_->set_exit_handler([this](const caf::exit_msg&) {
      retire();
      self_->quit();
    });
    ping();
  }

  caf::result<entity_reply> pass(entity_request& request) {
    auto promise = self_->make_response_promise<entity_reply>();
    request.admission.reset();  // from here on it waits for its entity, not for this node
    if (!is_reachable_) {
      serve_here(std::move(request), promise);
      return promise;
    }
    const auto number = ++passed_;
    auto bytes = packed(request);
    waiting_.emplace(number, waiter{std::move(request), promise});
    counts_.passed->Increment();
    self_->request(far_, caf::infinite, work_atom::value, std::move(bytes))
        .then([this, number](const std::string& answer) { answered(number, answer); },
              [this, number](caf::error& why) { failed(number, why); });
    return promise;
  }

  /// From now on requests are served here; the link still accepts them for a while.
  void retire() {
    if (over_at_) return;
    over_at_ = self_->clock().now();
    lose();
    serve_all_here();
    caf::anon_send(keeper_, passivate_atom::value, self_->address());
  }

  void ping() {
    const auto now = self_->clock().now();
    if (over_at_) {
      if (now - *over_at_ > outlives_its_end_by) return self_->quit();
      return self_->delayed_send(self_, between_pings_, wake_atom::value);
    }
    if (now - heard_at_ > patience) do_without("node.unreachable");
    self_->request(far_, connect_timeout, keep_atom::value)
        .then(
            [this](bool is_well) {
              heard_at_ = self_->clock().now();
              if (over_at_) return;
              if (!is_well) return do_without("node.without_database");
              set_reachable(true);
            },
            [](const caf::error&) {});
    self_->delayed_send(self_, between_pings_, wake_atom::value);
  }

 private:
  struct waiter {
    entity_request request;
    caf::typed_response_promise<entity_reply> promise;
  };

  std::optional<waiter> take(std::uint64_t number) {
    const auto at = waiting_.find(number);
    if (at == waiting_.end()) return std::nullopt;  // served here meanwhile
    auto taken = std::move(at->second);
    waiting_.erase(at);
    return taken;
  }

  void answered(std::uint64_t number, const std::string& bytes) {
    heard_at_ = self_->clock().now();
    auto who = take(number);
    if (!who) return;
    auto reply = unpacked_reply(bytes);
    if (reply && !lacks_database(*reply))
      who->promise.deliver(std::move(*reply));
    else
      serve_again_here(std::move(*who));
  }

  /// The other node does not reach the database. This node may.
  static bool lacks_database(const entity_reply& reply) {
    const auto* why = std::get_if<problem>(&reply.what);
    return why && *why == problem::store_unavailable;
  }

  /// An error of the other node's router is an answer; after any other error the outcome is unknown.
  void failed(std::uint64_t number, caf::error& why) {
    auto who = take(number);
    if (!who) return;
    if (why.category() == caf::atom("gateway"))
      who->promise.deliver(std::move(why));
    else
      serve_again_here(std::move(*who));
  }

  /// The other node may have executed the request, or may still do so. Executing it again is safe where an idempotency
  /// key, an event's id or the row's state deduplicates it. An operator's move of the sandbox has none of these: a
  /// cycle would be billed twice, so it is answered as unavailable, and the operator must look at the state. A consent
  /// has none either: its code would become valid again after it was exchanged. Another click gets another code.
  void serve_again_here(waiter who) {
    if (command_if<move_enrollment>(who.request.what) || command_if<give_consent>(who.request.what))
      who.promise.deliver(entity_reply{problem::store_unavailable});
    else
      serve_here(std::move(who.request), std::move(who.promise));
  }

  void serve_here(entity_request request, caf::typed_response_promise<entity_reply> promise) {
    counts_.served_here->Increment();
    log::info("node.request_served_for_owner",
              {{"request_id", request.request_id}, {"trace_id", request.trace.trace}, {"owner", node_}});
    promise.delegate(router_, keep_atom::value, std::move(request));
  }

  void do_without(std::string_view why) {
    if (!is_reachable_) return;
    log::warn(why, {{"other", node_}});
    lose();
    serve_all_here();
  }

  void serve_all_here() {
    auto all = std::exchange(waiting_, {});
    for (auto& [number, who] : all) serve_again_here(std::move(who));
  }

  void lose() { set_reachable(false); }

  void set_reachable(bool now) {
    if (std::exchange(is_reachable_, now) != now) caf::anon_send(keeper_, keep_atom::value, self_->address(), now);
  }

  pinging_link::stateful_pointer<link> self_ = nullptr;
  caf::actor far_;
  router_of_node router_;
  std::string node_;
  traffic counts_;
  std::chrono::milliseconds between_pings_{};
  caf::actor keeper_;
  bool is_reachable_ = false;  ///< whether it has answered recently
  std::optional<caf::actor_clock::time_point> over_at_;
  caf::actor_clock::time_point heard_at_{};
  std::uint64_t passed_ = 0;
  std::unordered_map<std::uint64_t, waiter> waiting_;
};

pinging_link::behavior_type link_behavior(pinging_link::stateful_pointer<link> self, caf::actor far,
                                          router_of_node router, std::string node, traffic counts,
                                          std::chrono::milliseconds between_pings, caf::actor keeper) {
  self->state.start(self, std::move(far), std::move(router), std::move(node), counts, between_pings, std::move(keeper));
  return {
      [self](entity_request& request) { return self->state.pass(request); },
      [self](wake_atom) { self->state.ping(); },
      [self](passivate_atom) { self->state.retire(); },
  };
}

// ---- all links ------------------------------------------------------------------------------------

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
    counts_ = traffic::of(context_->meters);
    self_->set_down_handler([this](const caf::down_msg& down) { ended(down.source); });
    self_->set_exit_handler([this](caf::exit_msg& message) {
      context_->table.publish({});
      for (auto& [node, known] : others_)
        if (known.to) self_->send_exit(known.to, caf::exit_reason::user_shutdown);
      self_->quit(std::move(message.reason));
    });
    look();
  }

  void look() {
    self_->request(context_->keeper, connect_timeout, list_nodes{})
        .then(
            [this](const node_list& seen) {
              adopt(seen.nodes);
              self_->delayed_send(self_, context_->pace.between_looks, wake_atom::value);
            },
            [this](const caf::error&) { self_->delayed_send(self_, context_->pace.between_looks, wake_atom::value); });
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

  /// The link has ended, for whatever reason.
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
      // Of two nodes one connects, and each passes requests over that connection.
      if (auto& known = at->second;
          context_->nodes.name() < row.name && !known.to && !known.connecting && !known.ignored)
        connect(row, known);
    }
  }

  void connect(const node_row& row, other& known) {
    const auto where = parse_endpoint(row.address);
    if (!where) return;
    known.connecting = true;
    self_->request(context_->connector, connect_timeout, caf::connect_atom::value, where->host, where->port)
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
        ->request(far, connect_timeout, join_atom::value, nodes.name(), nodes.incarnation(), message_version(),
                  context_->gate)
        .then(
            [this, node, incarnation](const std::string& process, std::uint64_t version, const caf::actor& gate) {
              auto* known = find(node, incarnation);
              if (!known) return;
              known->connecting = false;
              // Another process than the expected one may have this address.
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
    known.to = self_->system().spawn(link_behavior, gate, context_->router, node, counts_, context_->pace.between_pings,
                                     caf::actor{self_});
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
      if (known.reachable) now.emplace(node, known.to);
    context_->table.publish(std::move(now));
  }

  caf::event_based_actor* self_ = nullptr;
  std::optional<links_context> context_;
  traffic counts_;
  std::map<std::string, other> others_;
};

caf::behavior links_behavior(caf::stateful_actor<link_keeper>* self, const links_context& context) {
  self->state.start(self, context);
  return {
      [self](wake_atom) { self->state.look(); },
      [self](join_atom, const std::string& node, const std::string& incarnation, std::uint64_t version,
             const caf::actor& gate) { return self->state.meet(node, incarnation, version, gate); },
      [self](keep_atom, const caf::actor_addr& link, bool reachable) { self->state.set_reachable(link, reachable); },
      [self](passivate_atom, const caf::actor_addr& link) { self->state.ended(link); },
  };
}

caf::behavior gate_behavior(caf::event_based_actor* self, const router_of_node& router, const membership* nodes) {
  return {
      [nodes](keep_atom) { return reaches_its_database(*nodes); },
      [self, router, nodes](work_atom, const std::string& bytes) -> caf::result<std::string> {
        auto request = unpacked_request(bytes);
        if (!request) return caf::make_error(caf::sec::invalid_argument);
        if (!nodes->serves()) return caf::make_error(caf::sec::runtime_error);
        log::info("node.request_taken", {{"request_id", request->request_id},
                                         {"trace_id", request->trace.trace},
                                         {"merchant", request->key.merchant.value},
                                         {"kind", to_string(request->key.kind)},
                                         {"id", request->key.id}});
        auto promise = self->make_response_promise<std::string>();
        self->request(router, caf::infinite, keep_atom::value, std::move(*request))
            .then([promise](const entity_reply& reply) mutable { promise.deliver(packed(reply)); },
                  [promise](caf::error& why) mutable { promise.deliver(std::move(why)); });
        return promise;
      },
  };
}

}  // namespace

caf::actor spawn_node_gate(caf::actor_system& system, router_of_node router, const membership& nodes) {
  return system.spawn(gate_behavior, std::move(router), &nodes);
}

caf::actor spawn_node_links(caf::actor_system& system, const links_context& context) {
  return system.spawn(links_behavior, context);
}

}  // namespace gateway::actors
