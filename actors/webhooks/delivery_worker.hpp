// A worker of the dispatcher's pool: makes one attempt at a time and records its outcome.
#pragma once

#include <cstdint>
#include <memory>

#include <caf/actor_system.hpp>

#include "gateway/base/metrics.hpp"
#include "gateway/base/tracing.hpp"
#include "gateway/base/write_brake.hpp"
#include "gateway/directory/directory.hpp"
#include "gateway/messages/actors.hpp"
#include "gateway/ports/membership.hpp"
#include "gateway/ports/store/answer.hpp"
#include "gateway/ports/webhook_client.hpp"
#include "gateway/settings.hpp"

namespace gateway::actors {

/// What the dispatcher and its workers use. Outlives them.
struct webhook_context {
  store_handles store;
  directory_actor operators;  ///< reads what `merchants` lacks; disables destinations that answer 410
  const directory& merchants;
  const wall_clock& clock;
  const event_encoder& encoder;
  const settings& config;
  metrics& meters;
  webhook_client& client;
  write_brakes& brake;  ///< the dispatcher limits writes if their webhooks fall behind
  const membership& nodes = membership::alone();
  node_keeper keeper{};  ///< set if there are other nodes
  tracing& traces = tracing::off();

  retry_schedule schedule() const { return {config.webhook_attempts}; }
};

/// An order to make one attempt.
struct delivery_order {
  delivery_job job;
  std::shared_ptr<const webhook_endpoint> to;
};
/// The attempt has ended, with an answer or without. It is recorded next.
struct attempt_answered {
  std::size_t worker = 0;
  attempt_result result = attempt_result::delivered;
  std::uint16_t status = 0;
  std::uint32_t took_ms = 0;
};
/// Nothing was posted, because the destination accepts no posts now or the node has no lease. The dispatcher must hand
/// out the delivery again.
struct attempt_withheld {
  std::size_t worker = 0;
  bool moved_on = false;  ///< the delivery has changed elsewhere: read it from the table
};
/// The attempt is durable, and the worker is ready for another. Without `row`, the delivery was changed elsewhere
/// meanwhile, and must be read from the table.
struct attempt_recorded {
  std::size_t worker = 0;
  std::optional<delivery> row;
};

/// The dispatcher's interface to its workers.
using delivery_pool = dispatcher_actor::extend<caf::reacts_to<attempt_answered>, caf::reacts_to<attempt_withheld>,
                                               caf::reacts_to<attempt_recorded>>;
using delivery_worker = caf::typed_actor<caf::reacts_to<delivery_order>,
                                         // from the client
                                         caf::reacts_to<delivery_attempt>,
                                         // record again what could not be recorded
                                         caf::reacts_to<wake_atom>>;

/// `number` is the worker's index in the pool, by which its messages to the pool identify it.
delivery_worker spawn_delivery_worker(caf::actor_system& system, std::shared_ptr<const webhook_context> context,
                                      delivery_pool pool, std::size_t number);

}  // namespace gateway::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::delivery_attempt)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::actors::delivery_order)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::actors::attempt_answered)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::actors::attempt_withheld)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::actors::attempt_recorded)
