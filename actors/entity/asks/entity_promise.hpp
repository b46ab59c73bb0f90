// The answer that an entity owes to whoever has asked it.
#pragma once

#include <caf/typed_response_promise.hpp>

#include "gateway/actors.hpp"

namespace gateway::actors {

using entity_promise = caf::typed_response_promise<entity_reply>;

/// Answers a request. Compiled once, because CAF's promises are dear to compile.
void tell(entity_promise& promise, entity_reply&& reply);

}  // namespace gateway::actors
