// What this process said to gateways' public listeners and heard from them, one JSON line an exchange, for
// tests/openapi/validate.py: GATEWAY-BUILD/end_to_end/exchanges/PID-….jsonl. Thread-safe.
#pragma once

#include "transport.hpp"

namespace gateway::e2e {

/// Keeps the exchange, unless some of the same form were kept before: the same method, place, status and names in both
/// bodies. Large ones are left out. Failing to write is nobody's failure but the validation's, which sees less.
void record_exchange(const http_request& request, const reply& answer);

}  // namespace gateway::e2e
