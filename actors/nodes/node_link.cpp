#include "node_link.hpp"

#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include <caf/all.hpp>

#include "gateway/base/log.hpp"
#include "node_links.hpp"
#include "wire.hpp"

namespace gateway::actors {

namespace {

/// How long a retired link still accepts requests: the router may have looked it up just before it retired.
constexpr std::chrono::milliseconds linger_after_end{500};
/// How long a passed request waits for the result of its execution on the other node, once that node is unreachable.
constexpr std::chrono::seconds longest_wait_for_own{15};

/// Requests are sent as they arrive and kept until they are answered, so that unanswered ones can be served here.
class link {
 public:
  static inline const char* name = "node_link";

  void start(pinging_link::stateful_pointer<link> self, link_context context) {
    self_ = self;
    between_pings_ = context.between_pings;
    keeper_ = std::move(context.keeper);
    far_ = std::move(context.far);
    router_ = std::move(context.router);
    node_ = std::move(context.node);
    counts_ = context.counts;
    answered_at_ = self_->clock().now();
    self_->monitor(far_);
    self_->monitor(router_);
    self_->set_down_handler([this](const caf::down_msg& down) {
      // Without its router nothing answers what the link has asked it.
      if (down.source == router_.address()) return self_->quit();
      retire();
    });
    self_->set_exit_handler([this](const caf::exit_msg&) {
      retire();
      end();
    });
    ping();
  }

  caf::result<entity_reply> pass(entity_request& request) {
    auto promise = self_->make_response_promise<entity_reply>();
    request.admission.reset();  // the request now waits for its entity, not for this node
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
    serve_delayed_here();
    if (over_at_) {
      if (now - *over_at_ > linger_after_end && served_again_ == 0) return end();
      return self_->delayed_send(self_, between_pings_, wake_atom::value);
    }
    if (now - answered_at_ > node_patience) do_without("node.unreachable");
    self_->request(far_, node_connect_timeout, keep_atom::value)
        .then(
            [this](bool is_well) {
              answered_at_ = self_->clock().now();
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

  /// A request that was passed and is served here, too.
  struct delayed {
    waiter who;
    caf::actor_clock::time_point until;  ///< from then on, `request_in_progress` is passed on as its answer
  };

  std::optional<waiter> take(std::uint64_t number) {
    const auto at = waiting_.find(number);
    if (at == waiting_.end()) return std::nullopt;  // served here meanwhile
    auto taken = std::move(at->second);
    waiting_.erase(at);
    return taken;
  }

  void answered(std::uint64_t number, const std::string& bytes) {
    answered_at_ = self_->clock().now();
    auto who = take(number);
    if (!who) return;
    auto reply = unpacked_reply(bytes);
    if (reply && !lacks_database(*reply))
      who->promise.deliver(std::move(*reply));
    else
      serve_again_here(std::move(*who));
  }

  /// Whether the other node cannot reach the database. This node may be able to.
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
    else if (why == not_taken)
      serve_here(std::move(who->request), std::move(who->promise));
    else
      serve_again_here(std::move(*who));
  }

  /// The other node may have executed the request, or may still do so. Executing it again is safe if an idempotency
  /// key, an event's id or the row's state deduplicates it. An operator's command to the sandbox has none of these: a
  /// cycle would be billed twice, or a payment refunded twice. It is answered as unavailable, and the operator must
  /// check the state. A consent has none either: its code would become valid again after it was exchanged. Another
  /// click gets another code.
  void serve_again_here(waiter who) {
    const auto& what = who.request.what;
    if (command_if<move_enrollment>(what) || command_if<act_in_sandbox>(what) || command_if<give_consent>(what))
      who.promise.deliver(entity_reply{problem::store_unavailable});
    else
      serve_beside_other(std::move(who), self_->clock().now() + longest_wait_for_own);
  }

  /// If the other node has begun to execute the request, this node finds its key in use. Its client sent it once and
  /// need not send it again, so it waits for the result of the other execution.
  void serve_beside_other(waiter who, caf::actor_clock::time_point until) {
    ++served_again_;
    log_served_here(who.request);
    ask_here(delayed{std::move(who), until});
  }

  void ask_here(delayed what) {
    auto request = what.who.request;
    self_->request(router_, caf::infinite, keep_atom::value, std::move(request))
        .then(
            [this, what](const entity_reply& reply) mutable {
              const auto* why = std::get_if<problem>(&reply.what);
              if (why && *why == problem::request_in_progress && self_->clock().now() < what.until)
                return delayed_.push_back(std::move(what));
              --served_again_;
              what.who.promise.deliver(reply);
            },
            [this, what](caf::error& why) mutable {
              --served_again_;
              what.who.promise.deliver(std::move(why));
            });
  }

  void serve_delayed_here() {
    for (auto& each : std::exchange(delayed_, {})) ask_here(std::move(each));
  }

  void log_served_here(const entity_request& request) {
    counts_.served_here->Increment();
    log::info("node.request_served_for_owner",
              {{"request_id", request.request_id}, {"trace_id", request.trace.trace}, {"owner", node_}});
  }

  void serve_here(entity_request request, caf::typed_response_promise<entity_reply> promise) {
    log_served_here(request);
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

  /// The router outlives many links, and would keep a record of each that monitors it.
  void end() {
    self_->demonitor(router_.address());
    self_->quit();
  }

  void lose() { set_reachable(false); }

  void set_reachable(bool now) {
    if (std::exchange(is_reachable_, now) != now) caf::anon_send(keeper_, keep_atom::value, self_->address(), now);
  }

  pinging_link::stateful_pointer<link> self_ = nullptr;
  caf::actor far_;
  router_of_node router_;
  std::string node_;
  node_traffic counts_;
  std::chrono::milliseconds between_pings_{};
  caf::actor keeper_;
  bool is_reachable_ = false;  ///< whether it has answered recently
  std::optional<caf::actor_clock::time_point> over_at_;
  caf::actor_clock::time_point answered_at_{};
  std::uint64_t passed_ = 0;
  std::unordered_map<std::uint64_t, waiter> waiting_;
  std::vector<delayed> delayed_;  ///< asked again with the next ping
  std::size_t served_again_ = 0;  ///< the delayed ones, and those that this node's router has
};

pinging_link::behavior_type link_behavior(pinging_link::stateful_pointer<link> self, const link_context& context) {
  self->state.start(self, context);
  return {
      [self](entity_request& request) { return self->state.pass(request); },
      [self](wake_atom) { self->state.ping(); },
      [self](passivate_atom) { self->state.retire(); },
  };
}

}  // namespace

pinging_link spawn_node_link(caf::actor_system& system, link_context context) {
  return system.spawn(link_behavior, std::move(context));
}

}  // namespace gateway::actors
