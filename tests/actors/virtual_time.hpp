// Time that the test controls: CAF's deterministic scheduler, and a clock that the test sets.
#pragma once

#include <caf/actor_system_config.hpp>
#include <caf/scheduler/test_coordinator.hpp>

#include "gateway/messages/actors.hpp"

namespace gateway::testing {

class hand_clock final : public wall_clock {
 public:
  time_point at = from_unix_ms(1'795'167'000'000);
  time_point now() const override { return at; }
};

struct deterministic_config : caf::actor_system_config {
  deterministic_config() {
    add_message_types<caf::id_block::gateway>();
    set("scheduler.policy", caf::atom("testing"));
  }
};

}  // namespace gateway::testing
