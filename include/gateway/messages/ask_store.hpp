// How an actor queries a reader of the store.
#pragma once

#include <chrono>
#include <functional>
#include <utility>
#include <variant>

#include <caf/duration.hpp>
#include <caf/fwd.hpp>
#include <caf/message_id.hpp>

#include "gateway/messages/actors.hpp"

namespace gateway {

/// Sends the question. Returns the message id of the answer.
caf::message_id send_question(caf::scheduled_actor& self, const store_reader& reader, caf::duration within,
                              store_question question);
void on_answer(caf::scheduled_actor& self, caf::message_id id, std::function<void(store_answer&)> then,
               std::function<void(caf::error&)> otherwise);

template <class Question>
class asked_store {
 public:
  asked_store(caf::scheduled_actor& self, caf::message_id id) : self_(&self), id_(id) {}

  /// `then` receives the question's answer, `otherwise` a caf::error.
  template <class Then, class Otherwise>
  void then(Then then, Otherwise otherwise) const {
    on_answer(
        *self_, id_,
        [taken = std::move(then)](store_answer& answer) mutable { taken(std::get<typename Question::answer>(answer)); },
        std::move(otherwise));
  }

 private:
  caf::scheduled_actor* self_;
  caf::message_id id_;
};

/// Replaces `self->request(reader, within, question)`, so that the messages' types are compiled in one source.
template <class Question, class Within>
asked_store<Question> ask_store(caf::scheduled_actor* self, const store_reader& reader, Within within,
                                Question question) {
  return {*self, send_question(*self, reader, caf::duration{within}, std::move(question))};
}
template <class Question>
asked_store<Question> ask_store(caf::scheduled_actor* self, const store_reader& reader,
                                std::chrono::milliseconds within, Question question) {
  return ask_store(self, reader, caf::duration{within}, std::move(question));
}

}  // namespace gateway
