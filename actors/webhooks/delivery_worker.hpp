// A worker of the dispatcher's pool: makes one attempt at a time and records what came of it.
#pragma once

#include <cstdint>
#include <memory>

#include <caf/actor_system.hpp>

#include "gateway/actors.hpp"
#include "gateway/answer.hpp"
#include "gateway/base/metrics.hpp"
#include "gateway/directory.hpp"
#include "gateway/membership.hpp"
#include "gateway/settings.hpp"
#include "gateway/tracing.hpp"
#include "gateway/webhook_client.hpp"
#include "gateway/write_brake.hpp"

namespace gateway::actors {

/// What the dispatcher and its workers work with. Outlives them.
struct webhook_context {
  store_handles store;
  directory_actor operators;  ///< finds what `merchants` does not have; is told of destinations that want no more
  const directory& merchants;
  const wall_clock& clock;
  const event_encoder& encoder;
  const settings& config;
  metrics& meters;
  webhook_client& client;
  write_brakes& brake;  ///< the dispatcher's: it brakes writes whose webhooks it cannot keep up with
  const membership& nodes = membership::alone();
  node_keeper keeper{};  ///< of a node among others
  tracing& traces = tracing::off();

  retry_schedule schedule() const { return {config.webhook_attempts}; }
};

/// One attempt to make.
struct delivery_order {
  delivery_job job;
  std::shared_ptr<const webhook_endpoint> to;
};
/// The destination has answered, or has not: recording follows.
struct attempt_answered {
  std::size_t worker = 0;
  attempt_result result = attempt_result::delivered;
  std::uint16_t status = 0;
  std::uint32_t took_ms = 0;
};
/// The destination takes no posts now, or the node has no lease: nothing was posted, and the order is to be given out
/// again.
struct attempt_withheld {
  std::size_t worker = 0;
  bool moved_on = false;  ///< only the table knows where the delivery stands
};
/// The attempt is durable, and the worker is ready for another. Without `row`, the delivery has moved on meanwhile:
/// only the table knows where it stands.
struct attempt_recorded {
  std::size_t worker = 0;
  std::optional<delivery> row;
};

/// The dispatcher, as its workers know it.
using delivery_pool = dispatcher_actor::extend<caf::reacts_to<attempt_answered>, caf::reacts_to<attempt_withheld>,
                                               caf::reacts_to<attempt_recorded>>;
using delivery_worker = caf::typed_actor<caf::reacts_to<delivery_order>,
                                         // from the client
                                         caf::reacts_to<delivery_attempt>,
                                         // record again what could not be recorded
                                         caf::reacts_to<wake_atom>>;

/// `number` is its position in the pool: it names itself by it in what it tells the pool.
delivery_worker spawn_delivery_worker(caf::actor_system& system, std::shared_ptr<const webhook_context> context,
                                      delivery_pool pool, std::size_t number);

/// `t=<unix seconds>,v1=<hex>`, and a second v1 while the secret before signs too.
std::string webhook_signature(const webhook_endpoint& to, std::string_view body, time_point now);

}  // namespace gateway::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::delivery_attempt)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::actors::delivery_order)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::actors::attempt_answered)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::actors::attempt_withheld)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::actors::attempt_recorded)
