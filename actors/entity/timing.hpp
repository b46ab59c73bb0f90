// The machine's timing according to the settings.
#pragma once

#include "gateway/domain/payment_machine.hpp"
#include "gateway/ports/membership.hpp"
#include "gateway/settings.hpp"

namespace gateway::actors {

inline machine_timing timing_of(const settings& config, const membership& nodes = membership::alone()) {
  return {config.hosted_expiry, config.reconcile_first, config.reconcile_longest,
          config.provider_timeout * 2 + std::chrono::seconds{10}, nodes.incarnation()};
}

}  // namespace gateway::actors
