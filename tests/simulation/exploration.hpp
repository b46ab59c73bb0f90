// Simulates many worlds and reports the broken ones.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <iosfwd>

#include "simulation.hpp"

namespace gateway::simulation {

struct exploration {
  std::uint64_t from = 1;
  std::uint64_t seeds = 2'000;
  guard missing = guard::none;  ///< if set, the exploration ends with the first broken world
};

/// The number of broken worlds that are reported in full; each further one gets a line with the broken promise.
inline constexpr std::uint64_t most_stories = 3;

/// Returns how many worlds were broken. The actors' log and the journal are written only for a broken world. Once a
/// minute a line reports the progress.
std::uint64_t explore(
    const exploration& what, std::ostream& out,
    const std::function<std::chrono::steady_clock::time_point()>& now = std::chrono::steady_clock::now);

}  // namespace gateway::simulation
