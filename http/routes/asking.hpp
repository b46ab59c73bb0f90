// What came of asking an actor, as an answer.
#pragma once

#include <optional>
#include <string>

#include <caf/error.hpp>
#include <caf/expected.hpp>

#include "http/codec/decode.hpp"
#include "http/errors.hpp"
#include "table.hpp"

namespace gateway::http {

/// Which 503 (or 500) an actor's error is. Whatever it is, the operation may run on: the same key gets its result.
error_code code_of(const caf::error& failure) noexcept;

/// Sees to it that the directory has what is named, if there is such a thing. Otherwise why nobody can say.
boost::asio::awaitable<std::optional<error_code>> make_known(worker& here, directory_name what);
boost::asio::awaitable<std::optional<error_code>> make_known(worker& here, merchant_id id);

/// The Idempotency-Key of a signed write, in the space of its caller, with the fingerprint of the request: a retry is
/// the same request if method, path and body are. Once per call.
idempotency take_idempotency(call& c);

/// For what is refused before an actor is asked, where nothing is stored. A key that has an answer is told that
/// instead, and one that belongs to another request is told so.
boost::asio::awaitable<response> answer_unless_key_is_known(call& c, idempotency write, error_style style,
                                                            error_code otherwise);

/// What decoders of bodies must know of the request.
decode_context context_of(const call& c);

/// The request as a write: with its idempotency key, its admission, and by whose key it is asked for. Once per call.
entity_request as_write(call& c, entity_request wanted);

/// Asks the router, and answers with what it said.
boost::asio::awaitable<response> ask_router(call& c, entity_request wanted);

/// The answer to a payment request: a result, a problem, or what was looked at.
response answer_of(const call& c, caf::expected<entity_reply>& reply);

/// Asks the directory to carry out an operator's command: what it made, a problem, or why nobody knows.
boost::asio::awaitable<response> carry_out(call& c, operator_command wanted);

/// The answer to an operator's command that came to no end that is known.
response command_failed(const caf::error& failure);

/// A 200 with this body.
response answer_with(std::string body);

}  // namespace gateway::http
