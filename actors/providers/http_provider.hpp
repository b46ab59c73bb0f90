// A provider that is reached over HTTPS: carries out the dialogues of its adapter.
#pragma once

#include "gateway/actors.hpp"
#include "gateway/directory.hpp"
#include "gateway/domain/time.hpp"
#include "gateway/http_client.hpp"
#include "gateway/provider_adapter.hpp"
#include "gateway/settings.hpp"

namespace gateway::actors {

/// Outlives the actor, and the client its last request.
struct http_provider_context {
  const provider_adapter& adapter;
  http_client& client;
  const directory& published;  ///< where it is configured
  const wall_clock& clock;
  const settings& config;
};

/// Each question is a dialogue of its own; any number of them go on at once. A request that the provider turned away as
/// one too many (429, which no provider counts as done) is sent once more after Retry-After, if the gate in front still
/// waits then. Where the provider is not configured any more, nothing is sent: what has not been asked before has
/// failed, and the outcome of what has is unknown.
provider_actor spawn_http_provider(caf::actor_system& system, const http_provider_context& context);

}  // namespace gateway::actors
