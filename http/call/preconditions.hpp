// Single checks that come before a handler. serve.cpp defines their order.
#pragma once

#include <optional>

#include "call.hpp"
#include "endpoint.hpp"
#include "http/errors.hpp"

namespace gateway::http {

/// Rejects a write while the concurrency limit is reached; takes no admission. Most requests end here under overload,
/// so it is checked first.
std::optional<rejection> check_room(call& c, const endpoint& way);

/// Takes the admission that a write needs. Comes after authentication and authorisation, so that neither strangers'
/// requests nor those that wait for the directory hold an admission.
std::optional<rejection> admit(call& c, const endpoint& way);

/// Counts the request for its key and the key's platform, where these are limited. Only signed requests count, because
/// a key's id is not secret.
std::optional<rejection> count_signer(call& c, const caller& who);

/// While webhooks are late, limits the rate of writes. Comes after key, signature and scopes, so that unauthorised
/// callers do not use up the rate.
std::optional<rejection> pass_brake(call& c, const endpoint& way);

/// Reads the Idempotency-Key that a write needs.
std::optional<rejection> take_idempotency_key(call& c, const endpoint& way);

/// Checks Content-Type. Handlers call it before they decode the body, because only they know its fields.
std::optional<rejection> require_json(const request& in);

}  // namespace gateway::http
