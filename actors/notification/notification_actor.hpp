// The actor that owns one notification: what a provider has told by a post of its own.
#pragma once

#include <array>
#include <memory>

#include "entity/entity_context.hpp"
#include "entity/router.hpp"
#include "gateway/actors.hpp"

namespace gateway::actors {

/// What every notification's actor works with, beside what entities share.
struct notification_context : entity_context {
  std::array<provider_actor, provider_catalogue.size()> providers;  ///< gates, by provider_kind
};

/// For the router, which alone spawns them. receive_notification is answered with the row once it is durable, and is
/// applied after that; replay_notification once it has been tried to apply it. One that is not there is
/// problem::notification_not_found.
entity_spawner notification_spawner(std::shared_ptr<const notification_context> context);

}  // namespace gateway::actors
