// What entities ask of each other, through the router, and of the directory.
#pragma once

#include <optional>
#include <string>

#include "continuation.hpp"
#include "entity/link_table.hpp"
#include "entity_promise.hpp"
#include "gateway/messages/actors.hpp"

namespace gateway::actors {

/// The request that causes the question to another entity, for logs and traces.
struct asked_for {
  std::string request_id{};
  trace_context trace{};
};

/// The answer is null if the other entity's actor has ended. Command is ask_provider, cycle_charge, record_customer,
/// forget_at_provider, subscription_notification, view_entity or settle_due.
template <class Command>
void ask_entity(entity_actor::pointer self, const router_actor& router, entity_key to, Command command,
                asked_for what_for, continuation<const entity_reply*> then);

/// Settles the entity now, as the reconciler would. The answer is ignored.
void settle_soon(entity_actor::pointer self, const router_actor& router, const entity_key& to);

/// Passes the request to another node. The answer is null if there is none: that node may have executed the request.
void ask_other_node(entity_actor::pointer self, const node_link& other, entity_request request,
                    continuation<const entity_reply*> then);

/// The answer to an operator's command. If the result is null, `overloaded` states whether the directory's queue was
/// full.
using on_operator_result = continuation<const operator_result*, bool /* overloaded */>;
void ask_directory(entity_actor::pointer self, const directory_actor& operators, follow_account&& command,
                   on_operator_result then);
void ask_directory(entity_actor::pointer self, const directory_actor& operators, make_chargeable&& command,
                   on_operator_result then);
/// Asks the directory to load the merchant, unless it is loaded already. False: the directory did not answer.
void look_up_merchant(entity_actor::pointer self, const directory_actor& operators, const merchant_id& id,
                      continuation<bool> then);
/// Answers with `reply` once every live node has published the directory's log as it is now, or with
/// problem::store_unavailable if that cannot be established. Calls `over` before it answers.
void resolve_once_published(entity_actor::pointer self, const node_keeper& keeper, entity_promise promise,
                            entity_reply&& reply, continuation<> over);

}  // namespace gateway::actors
