// The gateway's HTTP client for webhooks: how the composition root makes one.
#pragma once

#include <chrono>
#include <memory>

#include "gateway/settings.hpp"
#include "gateway/webhook_client.hpp"
#include "name_lookup.hpp"

namespace gateway::http {

struct outbound_options {
  resolve_function resolve = resolve_by_system;
  std::chrono::milliseconds idle_kept{30'000};  ///< a connection between two requests
};

/// Has an I/O thread of its own. Its destructor ends what is under way as unreachable, and returns when every `done`
/// has been called: they run on that thread, so it must not be destroyed there. Throws std::runtime_error with one line
/// if settings.webhook_ca_file cannot be used. At most settings.webhook_workers connections are open at once, those
/// kept between requests included: the one that was used longest ago makes room. A post beyond that waits for a
/// connection, within its connect timeout. How many of them one origin has is no matter: many destinations may live
/// there.
std::unique_ptr<webhook_client> make_webhook_client(const settings& config, outbound_options options = {});

}  // namespace gateway::http
