// What the dialogues about subscriptions share.
#pragma once

#include <utility>

#include "billing.hpp"
#include "dialogue.hpp"

namespace gateway::actors::stripe {

/// A payment's result as one of a subscription. Only the status and the error are taken over.
inline subscription_result as_subscription(const provider_result& result) {
  subscription_result same;
  same.answer.status = result.status;
  same.answer.error = result.error;
  return same;
}

template <>
inline subscription_result nothing_known() {
  return as_subscription(nothing_known<provider_result>());
}

using subscription_dialogue = stepwise_dialogue<subscription_result>;

inline subscription_result subscription_unclear(std::string message) {
  return as_subscription(not_known(std::move(message)));
}

}  // namespace gateway::actors::stripe
