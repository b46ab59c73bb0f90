// The checks that come before a handler, in the contract's order.
#pragma once

#include <optional>

#include "http/routes/table.hpp"

namespace gateway::http {

/// Overload, signature, Service-Merchant, scope, Idempotency-Key. Fills in who calls; the first check that fails
/// answers.
std::optional<response> admit(call& c, const endpoint& way);

/// Content-Type and, behind it, the body: what handlers check themselves, because only they know its fields.
std::optional<response> require_json(const request& in);

}  // namespace gateway::http
