#include "provider_calls.hpp"

#include <utility>

#include "ask.hpp"

namespace gateway::actors {

void ask_gate(entity_actor::pointer self, const provider_actor& gate, provider_call&& call,
              continuation<const provider_result*> then) {
  ask(self, gate, std::move(call), std::move(then));
}

void ask_gate(entity_actor::pointer self, const provider_actor& gate, provider_inquiry&& inquiry,
              continuation<const provider_result*> then) {
  ask(self, gate, std::move(inquiry), std::move(then));
}

void ask_gate(entity_actor::pointer self, const provider_actor& gate, subscription_call&& call,
              continuation<const subscription_result*> then) {
  ask(self, gate, std::move(call), std::move(then));
}

void ask_gate(entity_actor::pointer self, const provider_actor& gate, account_question&& question,
              continuation<const account_answer*> then) {
  ask(self, gate, std::move(question), std::move(then));
}

void ask_gate(entity_actor::pointer self, const provider_actor& gate, notification_question&& question,
              continuation<const notification_subject*> then) {
  ask(self, gate, std::move(question), std::move(then));
}

}  // namespace gateway::actors
