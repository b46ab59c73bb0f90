// How long tests wait for what should happen by itself.
#pragma once

#include <chrono>

namespace gateway::tests {

/// Only a hang lasts so long, whatever the speed of the machine and whatever else runs on it.
inline constexpr std::chrono::seconds hang_timeout{120};

}  // namespace gateway::tests
