// What the adapter of Stripe is asked, so that each of its requests is sent once at least, with every parameter that it
// can have.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "gateway/provider_adapter.hpp"
#include "tests/actors/stripe_fixture.hpp"

namespace gateway::e2e {

using actors::says;
using actors::stripe_noon;

using stripe_question =
    std::variant<provider_call, provider_inquiry, subscription_call, account_question, notification_question>;

/// What is asked, when, and what the dialogue hears instead of stripe-mock's examples, request by request.
struct stripe_scene {
  const char* name;
  stripe_question what;
  std::vector<http_outcome> hears{};
  std::size_t requests = 1;
  std::chrono::hours later{0};
};

std::vector<stripe_scene> payment_scenes();
/// And of what is notified of them.
std::vector<stripe_scene> subscription_scenes();
std::vector<stripe_scene> account_scenes();

}  // namespace gateway::e2e
