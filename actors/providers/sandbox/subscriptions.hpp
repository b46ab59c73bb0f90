// How a sandbox carries out calls about a subscription. Its side of the subscription is an entity in the gateway's
// database, an enrollment (enrollment/enrollment_actor.hpp), so that the sandboxes of all nodes share it.
#pragma once

#include <caf/typed_response_promise.hpp>

#include "gateway/messages/actors.hpp"
#include "sandbox.hpp"

namespace gateway::actors {

/// The request to the enrollment for this call; `pages` signs the hosted page's link.
entity_request enrollment_request(const subscription_call& call, const sandbox_settings& pages);
/// The result of the call, from the enrollment's answer.
subscription_result result_of(const subscription_call& call, const entity_reply& reply, const sandbox_settings& pages);
/// The result if the enrollment did not answer.
subscription_result no_enrollment_answer();

/// Asks the enrollment through the router, and answers `Self`'s caller: with no_enrollment_answer() if the router is
/// not known yet, or has ended.
template <class Self>
caf::typed_response_promise<subscription_result> ask_enrollment(Self* self, const router_actor& router,
                                                                const subscription_call& call,
                                                                const sandbox_settings& pages) {
  auto promise = self->template make_response_promise<subscription_result>();
  if (!router) return promise.deliver(no_enrollment_answer());
  self->request(router, caf::infinite, enrollment_request(call, pages))
      .then([promise, call,
             &pages](const entity_reply& reply) mutable { promise.deliver(result_of(call, reply, pages)); },
            [promise](const caf::error&) mutable { promise.deliver(no_enrollment_answer()); });
  return promise;
}

}  // namespace gateway::actors
