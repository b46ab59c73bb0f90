// What entities ask of the gates in front of providers. A null answer means that the gate has ended; whether the call
// was sent is unknown.
#pragma once

#include "continuation.hpp"
#include "gateway/messages/actors.hpp"

namespace gateway::actors {

void ask_gate(entity_actor::pointer self, const provider_actor& gate, provider_call&& call,
              continuation<const provider_result*> then);
void ask_gate(entity_actor::pointer self, const provider_actor& gate, provider_inquiry&& inquiry,
              continuation<const provider_result*> then);
void ask_gate(entity_actor::pointer self, const provider_actor& gate, subscription_call&& call,
              continuation<const subscription_result*> then);
void ask_gate(entity_actor::pointer self, const provider_actor& gate, account_question&& question,
              continuation<const account_answer*> then);
void ask_gate(entity_actor::pointer self, const provider_actor& gate, notification_question&& question,
              continuation<const notification_subject*> then);

}  // namespace gateway::actors
