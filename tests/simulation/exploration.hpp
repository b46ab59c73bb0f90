// Simulates many worlds, and tells what of them is worth telling.
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
  guard missing = guard::none;  ///< with one, the first broken world ends it
};

/// So many broken worlds tell their whole story; of the others a line says which promise broke.
inline constexpr std::uint64_t most_stories = 3;

/// Returns how many worlds were broken. The actors' log and a world's journal are written only of a broken world, and
/// once a minute a line tells how far the exploration is.
std::uint64_t explore(
    const exploration& what, std::ostream& out,
    const std::function<std::chrono::steady_clock::time_point()>& now = std::chrono::steady_clock::now);

}  // namespace gateway::simulation
