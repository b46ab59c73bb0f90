// What came of asking an actor, as an answer.
#pragma once

#include <string>

#include <caf/error.hpp>
#include <caf/expected.hpp>

#include "http/errors.hpp"
#include "table.hpp"

namespace gateway::http {

/// Which 503 (or 500) an actor's error is. Whatever it is, the operation may run on: the same key gets its result.
error_code code_of(const caf::error& failure) noexcept;

/// The answer to a payment request: a result, a problem, or what was looked at.
response answer_of(const call& c, caf::expected<entity_reply>& reply);

/// Asks the directory to carry out an operator's command: what it made, a problem, or why nobody knows.
boost::asio::awaitable<response> carry_out(call& c, operator_command wanted);

/// The answer to an operator's command that came to no end that is known.
response command_failed(const caf::error& failure);

/// A 200 with this body.
response answer_with(std::string body);

}  // namespace gateway::http
