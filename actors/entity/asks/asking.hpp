// How an entity's actor asks another actor: one request, one continuation, which gets null if there was no answer.
// Included by the few sources that ask, because CAF's requests are dear to compile.
#pragma once

#include <type_traits>
#include <utility>

#include <caf/typed_event_based_actor.hpp>

#include "continuation.hpp"
#include "gateway/actors.hpp"

namespace gateway::actors {

/// The two handlers of a request, of types with short names: CAF makes several classes of each pair.
template <class Answer>
struct on_answer {
  continuation<Answer*> then;
  void operator()(Answer& answer) const { then(&answer); }
};
template <class Answer>
struct on_no_answer {
  continuation<Answer*> then;
  void operator()(const caf::error&) const { then(nullptr); }
};

template <class Answer, class Whom, class Question>
void ask(entity_actor::pointer self, const Whom& whom, Question&& question, continuation<Answer*> then) {
  on_answer<Answer> answered{then};
  self->request(whom, caf::infinite, std::forward<Question>(question))
      .then(std::move(answered), on_no_answer<Answer>{std::move(then)});
}

}  // namespace gateway::actors
