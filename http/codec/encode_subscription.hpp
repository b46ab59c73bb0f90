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

/// The body of GET /v1/subscriptions/{id}: the known members and `status`, under the caller's subscription_id.
std::string encode_subscription(const subscription& subject);

/// For operators: a list, and one entry of it. `id` is the one in events, absent until there is one.
std::string encode_subscriptions(const std::vector<subscription_ptr>& subscriptions);
std::string encode_subscription_for_operator(const subscription& subject);
/// Everything known about one.
std::string encode_subscription_details(const subscription& subject);

}  // namespace gateway::http
