// The parts of the gateway that the server uses. It only passes `shared` on to the handlers.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string_view>

#include "gateway/base/metrics.hpp"
#include "gateway/base/tracing.hpp"
#include "gateway/settings.hpp"
#include "http/fwd.hpp"

namespace gateway::http {

/// Everything in it outlives the server.
struct server_context {
  services& shared;
  const settings& config;
  metrics& meters;
  tracing& traces;
  std::atomic<bool>& draining;
  /// The number under which requests from an address are counted; nothing if they are not limited.
  std::optional<std::uint64_t> (*number_of_address)(const services& shared, std::string_view remote_address);
};

}  // namespace gateway::http
