// The gateway's client for webhooks.
#pragma once

#include <chrono>
#include <memory>

#include "gateway/ports/webhook_client.hpp"
#include "gateway/settings.hpp"
#include "name_lookup.hpp"

namespace gateway::http {

struct outbound_options {
  resolve_function resolve = resolve_by_system;
  std::chrono::milliseconds idle_kept{30'000};  ///< how long a connection is kept between two requests
};

/// It has its own HTTP client, with its own thread. Its destructor ends what is under way as unreachable, and must not
/// run on that thread. Throws std::runtime_error with one line if settings.webhook_ca_file cannot be used. At most
/// settings.webhook_workers connections are open at once, without a limit per origin, because many destinations may
/// share one.
std::unique_ptr<webhook_client> make_webhook_client(const settings& config, outbound_options options = {});

}  // namespace gateway::http
