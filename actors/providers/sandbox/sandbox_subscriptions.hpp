// How a sandbox carries out what is asked for a subscription: its side of the subscription is an entity in the
// gateway's database, an enrollment (sandbox_enrollment.hpp), so that all nodes' sandboxes are one.
#pragma once

#include <caf/typed_response_promise.hpp>

#include "gateway/actors.hpp"
#include "sandbox.hpp"

namespace gateway::actors {

/// The enrollment that is asked, and what it is asked.
entity_request enrollment_request(const subscription_call& call);
/// What the enrollment's answer says of the call; the hosted page's link is signed by `pages`.
subscription_result result_of(const subscription_call& call, const entity_reply& reply, const sandbox_settings& pages);
/// The enrollment did not answer.
subscription_result no_enrollment_answer();

/// Asks, by way of the router, and answers `Self`'s caller. A router that is not known yet, or has ended, answers
/// nothing.
template <class Self>
caf::typed_response_promise<subscription_result> ask_enrollment(Self* self, const router_actor& router,
                                                                const subscription_call& call,
                                                                const sandbox_settings& pages) {
  auto promise = self->template make_response_promise<subscription_result>();
  if (!router) return promise.deliver(no_enrollment_answer());
  self->request(router, caf::infinite, enrollment_request(call))
      .then([promise, call,
             &pages](const entity_reply& reply) mutable { promise.deliver(result_of(call, reply, pages)); },
            [promise](const caf::error&) mutable { promise.deliver(no_enrollment_answer()); });
  return promise;
}

}  // namespace gateway::actors
