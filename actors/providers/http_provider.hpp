// A provider that is reached over HTTPS: sends the requests of its adapter's dialogues.
#pragma once

#include "gateway/directory/directory.hpp"
#include "gateway/domain/time.hpp"
#include "gateway/messages/actors.hpp"
#include "gateway/ports/http_client.hpp"
#include "gateway/ports/provider_adapter.hpp"
#include "gateway/settings.hpp"

namespace gateway::actors {

/// Everything referred to must outlive the actor; `client` must also outlive its last request.
struct http_provider_context {
  const provider_adapter& adapter;
  http_client& client;
  const directory& published;  ///< holds the provider's settings
  const wall_clock& clock;
  const settings& config;
};

/// Each question is a separate dialogue; any number of dialogues run at a time. A request that was refused with 429,
/// and therefore not executed, is sent once more after Retry-After, if the provider's gate still waits then. If the
/// provider is no longer configured, nothing is sent: a call that has not been sent yet fails, and a call that has been
/// sent has an unknown outcome.
provider_actor spawn_http_provider(caf::actor_system& system, const http_provider_context& context);

}  // namespace gateway::actors
