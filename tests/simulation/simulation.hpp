// Simulates one world from one seed: nodes on one database, a provider, clients, and the faults between them.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>

#include "database.hpp"

namespace gateway::simulation {

struct outcome_of_seed {
  std::uint64_t seed = 0;
  std::optional<std::string> broken{};  ///< the first broken promise
  std::uint64_t fingerprint = 0;      ///< equal for two runs of one seed
  std::uint64_t steps = 0;            ///< messages that actors handled
  unsigned crashes = 0;
  duration_ms time{0};                ///< virtual
  std::map<std::string, std::uint64_t> occurrences{};  ///< how often each fault and its effects occurred
};

/// Writes the journal to `story`, which may be null.
outcome_of_seed simulate(std::uint64_t seed, guard missing = guard::none, std::ostream* story = nullptr);

}  // namespace gateway::simulation
