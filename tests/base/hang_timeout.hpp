// How long tests wait for an event that should happen by itself.
#pragma once

#include <chrono>

namespace gateway::tests {

/// Only a hang reaches it, whatever the machine's speed and load.
inline constexpr std::chrono::seconds hang_timeout{120};

}  // namespace gateway::tests
