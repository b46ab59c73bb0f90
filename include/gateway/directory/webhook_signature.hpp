// The signature of a webhook.
#pragma once

#include <string>
#include <string_view>

#include "gateway/directory/directory.hpp"

namespace gateway {

/// The value of X-Service-Signature: `t=<unix seconds>,v1=<hex>`, and a second v1 while the previous secret still
/// signs.
std::string webhook_signature(const webhook_endpoint& to, std::string_view body, time_point now);

}  // namespace gateway
