// Asks actors, and turns their replies into answers.
#pragma once

#include <optional>
#include <string>

#include <caf/error.hpp>
#include <caf/expected.hpp>

#include "call.hpp"
#include "error_style.hpp"
#include "http/codec/decode.hpp"
#include "http/errors.hpp"

namespace gateway::http {

/// The 503 (or 500) for an actor's error. The operation may continue despite the error: a retry with the same key gets
/// its result.
error_code code_of(const caf::error& failure) noexcept;

/// Loads the named thing into the directory, if it exists. Returns an error only if the look-up itself failed.
boost::asio::awaitable<std::optional<error_code>> make_known(worker& here, directory_name what);
boost::asio::awaitable<std::optional<error_code>> make_known(worker& here, merchant_id id);

/// Makes the idempotency record of a signed write: its key, in its caller's space, with the request's fingerprint. A
/// retry is the same request if method, path and body are equal. Call it once per request.
idempotency take_idempotency(call& c);

/// Answers a request that is refused with `otherwise` before an actor is asked; stores nothing. If the key has a stored
/// answer, sends that instead; if the key belongs to another request, the answer is that error.
boost::asio::awaitable<response> answer_unless_key_is_known(call& c, idempotency write, error_style style,
                                                            error_code otherwise);

/// What body decoders need to know about the request.
decode_context context_of(call& c);

/// Makes the request a write: adds its idempotency key, its admission and the key that signed it. Call it once per
/// request.
entity_request as_write(call& c, entity_request wanted);

/// Asks the router, and encodes its reply.
boost::asio::awaitable<response> ask_router(call& c, entity_request wanted);

/// Encodes an entity's reply: a result, a problem, or the entity that was read.
response answer_of(const call& c, caf::expected<entity_reply>& reply);

/// A 200 with this body.
response answer_with(std::string body);

}  // namespace gateway::http
