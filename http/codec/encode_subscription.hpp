// Subscriptions as callers see them: results of operations, the subscription itself, the data of its events.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gateway/answer.hpp"
#include "gateway/store.hpp"

namespace gateway::http {

/// What subscriptions' actors write their results with.
std::unique_ptr<subscription_encoder> make_subscription_encoder(std::string base_url);

/// The body of GET /v1/subscriptions/{id}: under the caller's subscription_id what is known, and `status`.
std::string encode_subscription(const subscription& subject);

/// For operators: a list, and one of it. `id` is the one in events, absent as long as there is none.
std::string encode_subscriptions(const std::vector<subscription_ptr>& subscriptions);
std::string encode_subscription_for_operator(const subscription& subject);
/// All that is known of one.
std::string encode_subscription_details(const subscription& subject);

}  // namespace gateway::http
