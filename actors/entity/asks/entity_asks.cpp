#include "entity_asks.hpp"

#include <utility>

#include "ask.hpp"

namespace gateway::actors {

namespace {

common_command group_of(view_entity&& command) { return command; }
common_command group_of(settle_due&& command) { return command; }
payment_command group_of(ask_provider&& command) { return command; }
payment_command group_of(cycle_charge&& command) { return std::move(command); }
customer_command group_of(record_customer&& command) { return std::move(command); }
customer_command group_of(forget_at_provider&& command) { return std::move(command); }
subscription_command group_of(subscription_notification&& command) { return std::move(command); }

void ask_router(entity_actor::pointer self, const router_actor& router, entity_request&& question,
                continuation<const entity_reply*> then) {
  ask(self, router, std::move(question), std::move(then));
}

void command_directory(entity_actor::pointer self, const directory_actor& operators, operator_command command,
                       on_operator_result then) {
  self->request(operators, caf::infinite, std::move(command))
      .then([then](const operator_result& done) { then(&done, false); },
            [then](const caf::error& why) { then(nullptr, is(why, actor_errc::overloaded)); });
}

}  // namespace

template <class Command>
void ask_entity(entity_actor::pointer self, const router_actor& router, entity_key to, Command command,
                asked_for what_for, continuation<const entity_reply*> then) {
  entity_request question{
      std::move(to), std::nullopt, group_of(std::move(command)), {}, {}, std::move(what_for.request_id)};
  question.trace = what_for.trace;
  ask_router(self, router, std::move(question), std::move(then));
}

template void ask_entity(entity_actor::pointer, const router_actor&, entity_key, view_entity, asked_for,
                         continuation<const entity_reply*>);
template void ask_entity(entity_actor::pointer, const router_actor&, entity_key, settle_due, asked_for,
                         continuation<const entity_reply*>);
template void ask_entity(entity_actor::pointer, const router_actor&, entity_key, ask_provider, asked_for,
                         continuation<const entity_reply*>);
template void ask_entity(entity_actor::pointer, const router_actor&, entity_key, cycle_charge, asked_for,
                         continuation<const entity_reply*>);
template void ask_entity(entity_actor::pointer, const router_actor&, entity_key, record_customer, asked_for,
                         continuation<const entity_reply*>);
template void ask_entity(entity_actor::pointer, const router_actor&, entity_key, forget_at_provider, asked_for,
                         continuation<const entity_reply*>);
template void ask_entity(entity_actor::pointer, const router_actor&, entity_key, subscription_notification, asked_for,
                         continuation<const entity_reply*>);

void settle_soon(entity_actor::pointer self, const router_actor& router, const entity_key& to) {
  ask_entity(self, router, to, settle_due{}, {}, [](const entity_reply*) {});
}

void ask_other_node(entity_actor::pointer self, const node_link& other, entity_request request,
                    continuation<const entity_reply*> then) {
  ask(self, other, std::move(request), std::move(then));
}

void ask_directory(entity_actor::pointer self, const directory_actor& operators, follow_account&& command,
                   on_operator_result then) {
  command_directory(self, operators, std::move(command), std::move(then));
}

void ask_directory(entity_actor::pointer self, const directory_actor& operators, make_chargeable&& command,
                   on_operator_result then) {
  command_directory(self, operators, std::move(command), std::move(then));
}

void look_up_merchant(entity_actor::pointer self, const directory_actor& operators, const merchant_id& id,
                      continuation<bool> then) {
  self->request(operators, caf::infinite, look_up{{directory_name::kind::merchant, id.value}})
      .then([then](bool) { then(true); }, [then](const caf::error&) { then(false); });
}

void resolve(entity_promise& promise, entity_reply&& reply) { promise.deliver(std::move(reply)); }

void resolve_once_published(entity_actor::pointer self, const node_keeper& keeper, entity_promise promise,
                            entity_reply&& reply, continuation<> over) {
  const continuation<bool> resolve_if = [promise = std::move(promise), held = std::move(reply),
                                         over = std::move(over)](bool published) mutable {
    over();
    resolve(promise, published ? std::move(held) : entity_reply{problem::store_unavailable});
  };
  self->request(keeper, caf::infinite, await_published{})
      .then([resolve_if](bool) { resolve_if(true); }, [resolve_if](const caf::error&) { resolve_if(false); });
}

}  // namespace gateway::actors
