// What came of asking an actor, where it is no result: caf::error and problems, as answers.
#pragma once

#include <caf/error.hpp>
#include <caf/expected.hpp>

#include "http/errors.hpp"
#include "table.hpp"

namespace gateway::http {

/// Which 503 (or 500) an actor's error is. Whatever it is, the operation may run on: the same key gets its result.
error_code code_of(const caf::error& failure) noexcept;

/// The answer to a payment request: a result, a problem, or what was looked at.
response answer_of(const call& c, caf::expected<entity_reply>& reply);

}  // namespace gateway::http
