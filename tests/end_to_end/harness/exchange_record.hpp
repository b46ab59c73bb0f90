// Records what this process sent to gateways' public listeners and what they answered, one JSON line for each exchange,
// for tests/openapi/validate.py: GATEWAY-BUILD/end_to_end/exchanges/PID-….jsonl. The webhooks that gateways sent to
// this process are in PID-….webhooks beside it. Thread-safe.
#pragma once

#include <string>

#include "transport.hpp"

namespace gateway::e2e {

/// Records the exchange, unless some of the same form were recorded before: the same method, place, status and names in
/// both bodies. Large exchanges are left out. A failed write fails no test; the validation then sees fewer exchanges.
void record_exchange(const http_request& request, const reply& answer);

/// Records a post that a webhook_receiver received, by the same rules. Posts that no gateway signed are left out.
void record_webhook(const header_list& headers, const std::string& body);

}  // namespace gateway::e2e
