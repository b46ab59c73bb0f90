// How an entity's actor asks another actor: one request, one continuation, which receives null if there was no answer.
// Included only by the few sources that send requests, because CAF's requests are slow to compile.
#pragma once

#include <type_traits>
#include <utility>

#include <caf/typed_event_based_actor.hpp>

#include "continuation.hpp"
#include "gateway/messages/actors.hpp"
#include "gateway/messages/ask_store.hpp"

namespace gateway::actors {

/// The two handlers of a request. Their types have short names because CAF instantiates several classes for each pair.
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

template <class Answer, class Receiver, class Question>
void ask(entity_actor::pointer self, const Receiver& to, Question&& question, continuation<Answer*> then) {
  on_answer<Answer> answered{then};
  self->request(to, caf::infinite, std::forward<Question>(question))
      .then(std::move(answered), on_no_answer<Answer>{std::move(then)});
}

template <class Answer, class Question>
void ask(entity_actor::pointer self, const store_reader& reader, Question&& question, continuation<Answer*> then) {
  on_answer<Answer> answered{then};
  ask_store(self, reader, caf::infinite, std::forward<Question>(question))
      .then(std::move(answered), on_no_answer<Answer>{std::move(then)});
}

}  // namespace gateway::actors
