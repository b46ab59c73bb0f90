// A request as its entity's actor processes it.
#pragma once

#include <memory>
#include <optional>

#include <caf/actor_clock.hpp>

#include "entity/asks/continuation.hpp"
#include "entity/asks/entity_promise.hpp"
#include "gateway/messages/actors.hpp"

namespace gateway::actors {

struct entity_job {
  entity_job(entity_request&& asked, entity_promise asker);
  entity_job(const entity_job&) = delete;
  entity_job& operator=(const entity_job&) = delete;
  ~entity_job();

  entity_request request;
  entity_promise promise;
  unsigned attempts = 0;  ///< how often the row was read again for it
  unsigned lost_claims = 0;  ///< how often another commit changed the row first
  bool passed = false;  ///< it was passed to another node, which may have executed it
  bool looked = false;  ///< an optional comparison was started: without an answer, the request continues
  bool owns_operation = false;  ///< its begin has committed, so the open operation on the row is this job's
  std::optional<caf::actor_clock::time_point> waits_until;  ///< how long it waits for another node's operation
};

/// The owner of a job must ensure that its request is answered.
using job = std::unique_ptr<entity_job>;
/// Continues the request.
using next_step = continuation<job>;

}  // namespace gateway::actors
