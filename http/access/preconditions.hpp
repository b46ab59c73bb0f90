// Single checks that come before a handler. The order of all of them stands in routes/table.cpp.
#pragma once

#include <optional>

#include "http/routes/table.hpp"

namespace gateway::http {

/// Turns a write away while as many wait as may. Takes nothing. Under overload this is what most requests get, so
/// nothing is done for one before it.
std::optional<rejection> check_room(call& c, const endpoint& way);

/// Takes the admission that a write needs. A stranger must not hold one, nor a request one that waits for the
/// directory: so this comes once it is known who asks, and what for.
std::optional<rejection> admit(call& c, const endpoint& way);

/// Counts the request to its key and to the key's platform, where these are limited. Only who has signed is counted: a
/// key's id is no secret.
std::optional<rejection> count_signer(call& c, const caller& who);

/// While webhooks fall behind, writes come in at a limited rate. Whoever may not write must not take a place of those
/// who may, so this comes after their key, their signature and their scopes.
std::optional<rejection> pass_brake(call& c, const endpoint& way);

/// Takes the Idempotency-Key that a write needs.
std::optional<rejection> take_idempotency_key(call& c, const endpoint& way);

/// Content-Type: what handlers check themselves before the body, because only they know its fields.
std::optional<rejection> require_json(const request& in);

}  // namespace gateway::http
