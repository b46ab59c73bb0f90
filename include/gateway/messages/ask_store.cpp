#include "gateway/messages/ask_store.hpp"

#include <caf/behavior.hpp>
#include <caf/detail/profiled_send.hpp>
#include <caf/scheduled_actor.hpp>

namespace gateway {

caf::message_id send_question(caf::scheduled_actor& self, const store_reader& reader, caf::duration within,
                              store_question question) {
  const auto id = self.new_request_id(caf::message_priority::normal);
  if (reader) {
    caf::detail::profiled_send(&self, self.ctrl(), reader, id, {}, self.context(), std::move(question));
    self.request_response_timeout(within, id);
  } else {
    self.eq_impl(id.response_id(), self.ctrl(), self.context(), caf::make_error(caf::sec::invalid_argument));
  }
  return id.response_id();
}

void on_answer(caf::scheduled_actor& self, caf::message_id id, std::function<void(store_answer&)> then,
               std::function<void(caf::error&)> otherwise) {
  self.add_multiplexed_response_handler(id, caf::behavior{std::move(then), std::move(otherwise)});
}

}  // namespace gateway
