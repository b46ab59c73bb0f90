// A provider that is reached over HTTPS: performs the dialogues of its adapter.
#pragma once

#include "gateway/directory/directory.hpp"
#include "gateway/domain/time.hpp"
#include "gateway/messages/actors.hpp"
#include "gateway/ports/http_client.hpp"
#include "gateway/ports/provider_adapter.hpp"
#include "gateway/settings.hpp"

namespace gateway::actors {

/// Must outlive the actor, and `client` its last request.
struct http_provider_context {
  const provider_adapter& adapter;
  http_client& client;
  const directory& published;  ///< holds the provider's settings
  const wall_clock& clock;
  const settings& config;
};

/// Each question is a separate dialogue; any number of dialogues run at a time. A request that the provider refused as
/// one too many (429: no provider executes such a request) is sent once more after Retry-After, if the gate in
/// front still waits then. If the provider is no longer configured, nothing is sent: a call that was not sent before
/// fails, and the outcome of one that was is unknown.
provider_actor spawn_http_provider(caf::actor_system& system, const http_provider_context& context);

}  // namespace gateway::actors
