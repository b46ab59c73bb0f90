// How another entity asks a customer: for what is known of it, or to record what a provider has told.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "gateway/actors.hpp"

namespace gateway::actors {

struct customer_seen {
  std::optional<problem> failed;
  customer_ptr known;  ///< null: there is none
};

/// Goes on with `then(customer_seen)`, in an actor's handler. `request_id` and `trace`: of the request for which it is
/// asked.
template <class Self, class Then>
void ask_customer(Self self, const router_actor& router, entity_key customer, entity_command what,
                  std::string request_id, const trace_context& trace, Then then) {
  auto shared = std::make_shared<Then>(std::move(then));
  entity_request question{std::move(customer), std::nullopt, std::move(what), {}, {}, std::move(request_id)};
  question.trace = trace;
  self->request(router, caf::infinite, std::move(question))
      .then(
          [shared](const entity_reply& reply) {
            customer_seen seen;
            if (const auto* found = std::get_if<entity_row>(&reply.what))
              seen.known = std::get<customer_ptr>(*found);
            else if (const auto why = std::get<problem>(reply.what); why != problem::customer_not_found)
              seen.failed = why;
            (*shared)(seen);
          },
          [shared](const caf::error&) { (*shared)(customer_seen{problem::store_unavailable, nullptr}); });
}

}  // namespace gateway::actors
