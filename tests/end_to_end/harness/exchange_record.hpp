// Records what this process sent to gateways' public listeners and what they answered, one JSON line for each exchange,
// for tests/openapi/validate.py: GATEWAY-BUILD/end_to_end/exchanges/PID-….jsonl. Thread-safe.
#pragma once

#include "transport.hpp"

namespace gateway::e2e {

/// Records the exchange, unless some of the same form were recorded before: the same method, place, status and names in
/// both bodies. Large exchanges are left out. A failed write fails no test; the validation then sees fewer exchanges.
void record_exchange(const http_request& request, const reply& answer);

}  // namespace gateway::e2e
