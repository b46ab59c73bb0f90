// The actor that owns one notification: a message that a provider has posted.
#pragma once

#include <array>
#include <memory>

#include "entity/entity_context.hpp"
#include "entity/router.hpp"
#include "gateway/messages/actors.hpp"

namespace gateway::actors {

/// The context of a notification's actor, in addition to that of all entities.
struct notification_context : entity_context {
  std::array<provider_actor, provider_catalogue.size()> providers;  ///< gates, by provider_kind
};

/// For the router, the only caller that spawns notifications. receive_notification is answered with the row once it is
/// durable, and applied afterwards; replay_notification is answered after the attempt to apply it. A missing
/// notification is problem::notification_not_found.
entity_spawner notification_spawner(std::shared_ptr<const notification_context> context);

}  // namespace gateway::actors
