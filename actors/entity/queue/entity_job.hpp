// A request on its way through its entity's actor.
#pragma once

#include <memory>
#include <optional>

#include <caf/actor_clock.hpp>

#include "entity/asks/continuation.hpp"
#include "entity/asks/entity_promise.hpp"
#include "gateway/actors.hpp"

namespace gateway::actors {

struct entity_job {
  entity_job(entity_request&& asked, entity_promise asker);
  entity_job(const entity_job&) = delete;
  entity_job& operator=(const entity_job&) = delete;
  ~entity_job();

  entity_request request;
  entity_promise promise;
  unsigned attempts = 0;  ///< times that the row was read again for it
  bool began = false;     ///< its own begin has committed: what is open on the row is its operation
  std::optional<caf::actor_clock::time_point> waits_until;  ///< how long it waits for what another node has under way
};

/// Whoever holds it answers the request.
using job = std::unique_ptr<entity_job>;
/// Goes on with the request.
using next_step = continuation<job>;

}  // namespace gateway::actors
