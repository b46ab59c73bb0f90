// What the adapter of Stripe is asked, so that each of its requests is sent once at least, with every parameter that it
// can have.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "gateway/provider_adapter.hpp"

namespace gateway::e2e {

inline const auto stripe_noon = from_unix_ms(1'795'176'000'000);  // 2026-11-20T12:00:00Z

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

inline http_outcome says(std::uint16_t status, std::string body) {
  http_answer answer;
  answer.status = status;
  answer.body = std::move(body);
  return answer;
}

std::vector<stripe_scene> payment_scenes();
/// And of what is notified of them.
std::vector<stripe_scene> subscription_scenes();
std::vector<stripe_scene> account_scenes();

}  // namespace gateway::e2e
