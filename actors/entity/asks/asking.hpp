// How an entity's actor asks another actor: one request, one continuation, which gets null if there was no answer.
// Included by the few sources that ask, because CAF's requests are dear to compile.
#pragma once

#include <utility>

#include <caf/typed_event_based_actor.hpp>

#include "continuation.hpp"
#include "gateway/actors.hpp"

namespace gateway::actors {

template <class Answer, class Whom, class Question>
void ask(entity_actor::pointer self, const Whom& whom, Question&& question, continuation<Answer*> then) {
  self->request(whom, caf::infinite, std::forward<Question>(question))
      .then([then](Answer& answer) { then(&answer); }, [then](const caf::error&) { then(nullptr); });
}

}  // namespace gateway::actors
