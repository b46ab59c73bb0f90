// Scenes that make the Stripe adapter send each of its requests at least once, with every possible parameter.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "gateway/ports/provider_adapter.hpp"
#include "tests/actors/stripe_fixture.hpp"

namespace gateway::e2e {

using actors::says;
using actors::stripe_noon;

using stripe_question = std::variant<provider_call, provider_inquiry, subscription_call, account_question,
                                     notification_question, event_list_question, endpoint_question>;

/// A request to the adapter, its time, and the answers that replace stripe-mock's examples, request by request.
struct stripe_scene {
  const char* name;
  stripe_question what;
  std::vector<http_outcome> hears{};
  std::size_t requests = 1;
  std::chrono::hours later{0};
};

std::vector<stripe_scene> payment_scenes();
/// Includes the notifications about subscriptions.
std::vector<stripe_scene> subscription_scenes();
std::vector<stripe_scene> account_scenes();
/// The list of events, and the endpoint that they are sent to.
std::vector<stripe_scene> event_scenes();

}  // namespace gateway::e2e
