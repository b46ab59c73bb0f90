// Subscriptions as callers see them: results of operations, the subscription itself, the data of its events.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gateway/ports/store/answer.hpp"
#include "gateway/ports/store/entity_rows.hpp"

namespace gateway::http {

/// Encodes the results of the subscription actors.
std::unique_ptr<subscription_encoder> make_subscription_encoder(std::string base_url);

/// The body of GET /v1/subscriptions/{id}, with the caller's own subscription_id. Unknown values are left out.
std::string encode_subscription(const subscription& subject);

/// For operators: a list, and one entry of it. `id` is the id in events; absent until the provider has given one.
std::string encode_subscriptions(const std::vector<subscription_ptr>& subscriptions);
std::string encode_subscription_for_operator(const subscription& subject);
/// Everything known about one subscription.
std::string encode_subscription_details(const subscription& subject);

}  // namespace gateway::http
