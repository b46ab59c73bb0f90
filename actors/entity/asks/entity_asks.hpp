// What entities ask of each other, by the router, and of the directory.
#pragma once

#include <optional>
#include <string>

#include "continuation.hpp"
#include "entity_promise.hpp"
#include "gateway/actors.hpp"

namespace gateway::actors {

/// For which request another entity is asked: for its logs and its trace.
struct asked_for {
  std::string request_id{};
  trace_context trace{};
};

/// A null answer: the other entity's actor has ended. The command is one of ask_provider, cycle_charge,
/// record_customer, subscription_notification, view_entity and settle_due.
template <class Command>
void ask_entity(entity_actor::pointer self, const router_actor& router, entity_key whom, Command command,
                asked_for what_for, continuation<const entity_reply*> then);

/// As the reconciler would, but now. Nobody waits for the answer.
void settle_soon(entity_actor::pointer self, const router_actor& router, const entity_key& whom);

/// An operator's command. Without a result, `overloaded` says that too many wait.
using on_operator_result = continuation<const operator_result*, bool /* overloaded */>;
void ask_directory(entity_actor::pointer self, const directory_actor& operators, follow_account&& command,
                   on_operator_result then);
void ask_directory(entity_actor::pointer self, const directory_actor& operators, make_chargeable&& command,
                   on_operator_result then);
/// The directory reads the merchant, unless it has it. False: it did not answer.
void look_up_merchant(entity_actor::pointer self, const directory_actor& operators, const merchant_id& id,
                      continuation<bool> then);
/// Answers with `reply` once every live node has published what the directory's log holds now, or with a problem if
/// that is not known. `over` goes first.
void tell_once_published(entity_actor::pointer self, const node_keeper& keeper, entity_promise promise,
                         entity_reply&& reply, continuation<> over);

}  // namespace gateway::actors
