// The signatures of a webhook.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gateway/directory/directory.hpp"

namespace gateway {

/// The value of X-Service-Signature: `t=<unix seconds>,v1=<hex>`, and a second v1 while the previous secret still
/// signs.
std::string webhook_signature(const webhook_endpoint& to, std::string_view body, time_point now);

/// The headers webhook-id, webhook-timestamp and webhook-signature of the Standard Webhooks specification, if the
/// destination asks for them, else none. The key is what follows `whsec_` in the secret, decoded from base64, as the
/// specification's libraries read it.
std::vector<std::pair<std::string, std::string>> standard_webhook_headers(const webhook_endpoint& to,
                                                                          const std::string& event_id,
                                                                          std::string_view body, time_point now);

}  // namespace gateway
