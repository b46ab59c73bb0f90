#include "node_link.hpp"

#include <optional>
#include <unordered_map>
#include <utility>

#include <caf/all.hpp>

#include "gateway/base/log.hpp"
#include "wire.hpp"

namespace gateway::actors {

namespace {

/// Requests are sent as they arrive. Each gets the other node's answer, or an error once there is none to expect.
class link {
 public:
  static inline const char* name = "node_link";

  void start(pinging_link::stateful_pointer<link> self, link_context context) {
    self_ = self;
    between_pings_ = context.between_pings;
    keeper_ = std::move(context.keeper);
    far_ = std::move(context.far);
    node_ = std::move(context.node);
    answered_at_ = self_->clock().now();
    self_->monitor(far_);
    self_->set_down_handler([this](const caf::down_msg&) { retire(); });
    self_->set_exit_handler([this](const caf::exit_msg&) { retire(); });
    ping();
  }

  caf::result<entity_reply> pass(const entity_request& request) {
    if (!is_reachable_) return caf::make_error(no_answer);
    auto promise = self_->make_response_promise<entity_reply>();
    const auto number = ++passed_;
    waiting_.emplace(number, promise);
    self_->request(far_, caf::infinite, work_atom::value, packed(request))
        .then([this, number](const std::string& answer) { answered(number, answer); },
              [this, number](const caf::error&) { give_up(number); });
    return promise;
  }

  /// A request that arrives after the link has ended fails, as those do that wait now.
  void retire() {
    lose();
    caf::anon_send(keeper_, passivate_atom::value, self_->address());
    self_->quit();
  }

  void ping() {
    if (self_->clock().now() - answered_at_ > node_patience) do_without("node.unreachable");
    self_->request(far_, node_connect_timeout, keep_atom::value)
        .then(
            [this](bool is_well) {
              answered_at_ = self_->clock().now();
              if (!is_well) return do_without("node.without_database");
              set_reachable(true);
            },
            [](const caf::error&) {});
    self_->delayed_send(self_, between_pings_, wake_atom::value);
  }

 private:
  static constexpr caf::sec no_answer = caf::sec::request_receiver_down;
  using waiter = caf::typed_response_promise<entity_reply>;

  std::optional<waiter> take(std::uint64_t number) {
    const auto at = waiting_.find(number);
    if (at == waiting_.end()) return std::nullopt;  // it has failed meanwhile
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
      who->deliver(std::move(*reply));
    else
      who->deliver(caf::make_error(no_answer));
  }

  /// Whether the other node cannot reach the database. This node may be able to.
  static bool lacks_database(const entity_reply& reply) {
    const auto* why = std::get_if<problem>(&reply.what);
    return why && *why == problem::store_unavailable;
  }

  void give_up(std::uint64_t number) {
    if (auto who = take(number)) who->deliver(caf::make_error(no_answer));
  }

  void do_without(std::string_view why) {
    if (!is_reachable_) return;
    log::warn(why, {{"other", node_}});
    lose();
  }

  void lose() {
    set_reachable(false);
    for (auto& [number, who] : std::exchange(waiting_, {})) who.deliver(caf::make_error(no_answer));
  }

  void set_reachable(bool now) {
    if (std::exchange(is_reachable_, now) != now) caf::anon_send(keeper_, keep_atom::value, self_->address(), now);
  }

  pinging_link::stateful_pointer<link> self_ = nullptr;
  caf::actor far_;
  std::string node_;
  std::chrono::milliseconds between_pings_{};
  caf::actor keeper_;
  bool is_reachable_ = false;  ///< whether it has answered recently
  caf::actor_clock::time_point answered_at_{};
  std::uint64_t passed_ = 0;
  std::unordered_map<std::uint64_t, waiter> waiting_;
};

pinging_link::behavior_type link_behavior(pinging_link::stateful_pointer<link> self, const link_context& context) {
  self->state.start(self, context);
  return {
      [self](const entity_request& request) { return self->state.pass(request); },
      [self](wake_atom) { self->state.ping(); },
      [self](passivate_atom) { self->state.retire(); },
  };
}

}  // namespace

pinging_link spawn_node_link(caf::actor_system& system, link_context context) {
  return system.spawn(link_behavior, std::move(context));
}

}  // namespace gateway::actors
