// The actor behind one writing connection.
#pragma once

#include <chrono>

#include <caf/actor_system.hpp>

#include "gateway/actors.hpp"
#include "gateway/base/metrics.hpp"
#include "persistence/database_session.hpp"

namespace gateway::persistence {

struct writer_limits {
  std::size_t batch_units = 128;             ///< most units of one transaction
  std::size_t batch_bytes = 4 * 1024 * 1024; ///< past this many the transaction takes no more
  std::size_t queue = 20'000;                ///< most units waiting; past it actor_errc::overloaded
  std::size_t recordings = 20'000;           ///< most units waiting that only record attempts of webhooks; likewise
  /// From one batch that has only recordings to the next: a commit is a flush of the disk that payments would wait
  /// behind.
  std::chrono::milliseconds recording_pause{5};
  bool awaited = true;  ///< clients wait for what it commits: its thread goes first (gateway/base/scheduling.hpp)
};

/// Detached: has its own thread, and opens its connection there. Answers each unit once its fate is known.
/// An exit message ends it after what has arrived before is committed.
store_writer spawn_store_writer(caf::actor_system& system, const store_location& where,
                                std::shared_ptr<store_health> health, metrics& counts, writer_limits limits);

}  // namespace gateway::persistence
