// The router. Every request to an entity passes through it, so it alone starts and stops the entities' actors. To stop
// an actor it marks the slot, sends passivate, and parks requests for the entity meanwhile. The actor then either ends,
// and the parked requests start a new one, or answers that it is busy, and they are sent to it. So no request can reach
// an actor after its passivate message, and none is lost.
//
// An actor starts after the directory has loaded its merchant, if that merchant exists: the merchant's entry has the
// destinations of events and the permissions of keys. A notification has no merchant.

#include "router.hpp"

#include <array>
#include <chrono>
#include <list>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "gateway/base/log.hpp"

namespace gateway::actors {

namespace {

using reply_promise = caf::typed_response_promise<entity_reply>;

class routing_table {
 public:
  static inline const char* name = "router";

  void start(router_actor::pointer self, std::shared_ptr<const entity_context> context, entity_spawners spawners) {
    self_ = self;
    context_ = std::move(context);
    spawners_ = std::move(spawners);
    for (std::size_t i = 0; i < enum_count<entity_kind>; ++i)
      owned_[i] = &context_->meters.entities_owned(to_string(static_cast<entity_kind>(i)));
    // Commits that the previous process sent may still take effect.
    context_->doubt.raise(self_->clock().now());
    schedule_sweep();
  }

  caf::result<entity_reply> forward(entity_request& request) {
    if (!spawner_of(request.key.kind)) return caf::make_error(caf::sec::unexpected_message);
    if (!slots_.contains(request.key) && has_absent_merchant(request.key))
      return look_up_merchant_first(std::move(request));
    auto& slot = activate(request.key);
    if (!slot.stopping) return self_->delegate(slot.actor, std::move(request));
    auto promise = self_->make_response_promise<entity_reply>();
    park(slot, {std::move(request), promise});
    return promise;
  }

  void keep(const entity_key& key) {
    const auto at = slots_.find(key);
    if (at == slots_.end() || !at->second.stopping) return;
    auto& slot = at->second;
    slot.stopping = false;
    touch(slot);
    hand_over(slot);
  }

  /// A busy actor is not stopped. Its next commit claims the row and fails, because the row is gone.
  void purged(const entity_key& key) {
    if (const auto at = slots_.find(key); at != slots_.end()) stop(at->second);
  }

  void ended(const entity_key& key, std::uint64_t activation) {
    const auto at = slots_.find(key);
    if (at == slots_.end() || at->second.activation != activation) return;
    auto& slot = at->second;
    if (!slot.stopping)
      log::error("entity_actor_died",
                 {{"merchant", key.merchant.value}, {"kind", to_string(key.kind)}, {"id", key.id}});
    if (slot.parked.empty()) {
      set_owned(key.kind, slot, false);
      by_use_.erase(slot.use);
      slots_.erase(at);
    } else {
      slot.stopping = false;
      wake(key, slot);
      hand_over(slot);
    }
    count();
  }

  void sweep() {
    const auto oldest = self_->clock().now() - context_->config.payment_idle;
    std::size_t asked = 0;
    // Stopping slots stay at the front until their actors have ended, so look past them within a limit.
    for (auto use = by_use_.begin(); use != by_use_.end() && asked < sweep_limit; ++use, ++asked) {
      auto& slot = slots_.find(**use)->second;
      if (slot.last_used > oldest) break;
      stop(slot);
    }
    recount_owned();
    schedule_sweep();
  }

  void end_all() {
    for (auto& [key, slot] : slots_) self_->send_exit(slot.actor, caf::exit_reason::user_shutdown);
    for (auto* count : owned_) count->Set(0);
    slots_.clear();
    by_use_.clear();
  }

 private:
  static constexpr std::size_t sweep_limit = 2'000;

  struct parked_request {
    entity_request request;
    reply_promise promise;
  };
  struct slot_type {
    entity_actor actor;
    std::uint64_t activation = 0;
    bool stopping = false;
    bool owned = false;  ///< by this node; another node's is active here because a request arrived here
    caf::actor_clock::time_point last_used{};
    std::list<const entity_key*>::iterator use;
    std::vector<parked_request> parked;
  };

  /// False for a notification, which has no merchant.
  bool has_absent_merchant(const entity_key& key) const {
    return context_->operators && !key.merchant.empty() && !context_->merchants.find_merchant(key.merchant);
  }

  /// Requests that wait for the same merchant keep their order, because the directory answers in order.
  caf::result<entity_reply> look_up_merchant_first(entity_request&& request) {
    auto promise = self_->make_response_promise<entity_reply>();
    look_up wanted{{directory_name::kind::merchant, request.key.merchant.value}};
    const auto parked = std::make_shared<parked_request>(parked_request{std::move(request), promise});
    self_->request(context_->operators, caf::infinite, std::move(wanted))
        .then(
            [this, parked](bool) {
              auto& slot = activate(parked->request.key);
              if (slot.stopping)
                park(slot, std::move(*parked));
              else
                parked->promise.delegate(slot.actor, std::move(parked->request));
            },
            [parked](const caf::error& failure) { parked->promise.deliver(failure); });
    return promise;
  }

  /// Keeps the request until the slot's actor has ended or has answered that it is busy.
  void park(slot_type& slot, parked_request waits) {
    if (slot.parked.size() >= context_->config.payment_queue) {
      context_->meters.shed("payment_queue").Increment();
      waits.promise.deliver(entity_reply{problem::overloaded});
      return;
    }
    slot.parked.push_back(std::move(waits));
  }

  slot_type& activate(const entity_key& key) {
    const auto [at, fresh] = slots_.try_emplace(key);
    auto& slot = at->second;
    if (fresh) {
      slot.use = by_use_.insert(by_use_.end(), &at->first);
      wake(at->first, slot);
      set_owned(key.kind, slot, context_->nodes.owns(key));
      make_room();
      count();
    }
    touch(slot);
    return slot;
  }

  void wake(const entity_key& key, slot_type& slot) {
    slot.activation = ++activations_;
    slot.actor = spawner_of(key.kind)(self_->system(), router_actor{self_}, key, slot.activation);
    context_->meters.activations.Increment();
  }

  const entity_spawner& spawner_of(entity_kind kind) const { return spawners_[static_cast<std::size_t>(kind)]; }

  void touch(slot_type& slot) {
    slot.last_used = self_->clock().now();
    by_use_.splice(by_use_.end(), by_use_, slot.use);
  }

  void stop(slot_type& slot) {
    if (slot.stopping) return;
    slot.stopping = true;
    self_->send(slot.actor, passivate_atom::value);
  }

  /// Stops the least recently used actors, up to two for each that starts, so that the number falls back to the limit.
  void make_room() {
    if (slots_.size() <= context_->config.live_payments) return;
    int wanted = 2;
    for (auto use = by_use_.begin(); use != by_use_.end() && wanted > 0; --wanted) {
      auto& slot = slots_.find(**use)->second;
      const auto current = use++;
      stop(slot);
      // Moves the slot to the back, so that it is not asked again before it has answered.
      by_use_.splice(by_use_.end(), by_use_, current);
      if (slots_.size() <= context_->config.live_payments) break;
    }
  }

  void hand_over(slot_type& slot) {
    for (auto& [request, promise] : slot.parked) promise.delegate(slot.actor, std::move(request));
    slot.parked.clear();
    slot.parked.shrink_to_fit();
  }

  void set_owned(entity_kind kind, slot_type& slot, bool now) {
    if (std::exchange(slot.owned, now) == now) return;
    auto& count = *owned_[static_cast<std::size_t>(kind)];
    now ? count.Increment() : count.Decrement();
  }

  /// Call after another node has joined or left.
  void recount_owned() {
    const auto shared_by = context_->nodes.shared_by();
    if (!shared_by || shared_by->names == owners_) return;
    owners_ = shared_by->names;
    for (auto& [key, slot] : slots_) set_owned(key.kind, slot, context_->nodes.owns(key));
  }

  void count() { context_->meters.live_payments.Set(static_cast<double>(slots_.size())); }

  void schedule_sweep() { self_->delayed_send(self_, std::chrono::seconds{5}, wake_atom::value); }

  router_actor::pointer self_ = nullptr;
  std::shared_ptr<const entity_context> context_;
  entity_spawners spawners_;
  std::unordered_map<entity_key, slot_type> slots_;
  std::list<const entity_key*> by_use_;  ///< least recently used first; points at the keys of slots_
  std::uint64_t activations_ = 0;
  std::array<prometheus::Gauge*, enum_count<entity_kind>> owned_{};  ///< by kind
  std::vector<std::string> owners_;  ///< the nodes for which `owned` was last computed
};

router_actor::behavior_type router_behavior(router_actor::stateful_pointer<routing_table> self,
                                            std::shared_ptr<const entity_context> context, entity_spawners spawners) {
  self->state.start(self, std::move(context), std::move(spawners));
  self->set_exit_handler([self](caf::exit_msg& exit) {
    self->state.end_all();
    self->quit(exit.reason);
  });
  return {
      [self](entity_request& request) { return self->state.forward(request); },
      [self](keep_atom, const entity_key& key) { self->state.keep(key); },
      [self](passivate_atom, const entity_key& key, std::uint64_t activation) { self->state.ended(key, activation); },
      [self](passivate_atom, const entity_key& key) { self->state.purged(key); },
      [self](wake_atom) { self->state.sweep(); },
  };
}

}  // namespace

router_actor spawn_router(caf::actor_system& system, std::shared_ptr<const entity_context> context,
                          entity_spawners spawners) {
  return system.spawn(router_behavior, std::move(context), std::move(spawners));
}

}  // namespace gateway::actors
