// The answer that an entity owes to the caller of a request.
#pragma once

#include <caf/typed_response_promise.hpp>

#include "gateway/messages/actors.hpp"

namespace gateway::actors {

using entity_promise = caf::typed_response_promise<entity_reply>;

/// Answers a request. A function in one source, because CAF's promises are slow to compile.
void resolve(entity_promise& promise, entity_reply&& reply);

}  // namespace gateway::actors
