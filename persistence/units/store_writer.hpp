// The actor behind one writing connection.
#pragma once

#include <chrono>
#include <memory>

#include <caf/actor_system.hpp>

#include "gateway/base/metrics.hpp"
#include "gateway/messages/actors.hpp"
#include "persistence/session/database_session.hpp"
#include "persistence/tables/event_log.hpp"
#include "persistence/units/purge_pace.hpp"

namespace gateway::persistence {

struct writer_limits {
  std::size_t batch_units = 128;             ///< most units of one transaction
  std::size_t batch_bytes = 4 * 1024 * 1024; ///< a transaction with this many takes no more units
  std::size_t queue = 20'000;                ///< most units waiting; further ones are rejected
  std::size_t recordings = 20'000;           ///< most units waiting that record attempts of webhooks; likewise
  std::size_t redeliveries = 64;             ///< most redeliveries waiting; likewise
  /// The pause between two batches that have only records. Each commit flushes the disk, and payments wait for the
  /// flush.
  std::chrono::milliseconds recording_pause{5};
  /// How long records wait after the last batch of begins or finishes: if another one follows, they join its commit and
  /// need none of their own.
  std::chrono::milliseconds other_nodes_pause{10};
  std::int64_t lane = 0;  ///< of the daily totals to which this writer adds
  std::string node{};  ///< this node's name, for the writer's lane of events; empty: the only process at its database
  bool purges_payments = false;  ///< payments are purged, or were: a new one must not take the id of one that is gone
  bool awaited =
      true;  ///< clients wait for its commits, so its thread has the normal policy (gateway/base/scheduling.hpp)
};

/// Detached: it has its own thread and opens its connection there. It answers each unit once its outcome is known.
/// After an exit message it commits the units that have arrived, carries out the redeliveries that wait, and ends; a
/// purge stops. All writers of a store share `taken` and `events`. `first`: the connection to start with.
store_writer spawn_store_writer(caf::actor_system& system, const store_location& where,
                                std::shared_ptr<store_health> health, metrics& counts, writer_limits limits,
                                std::shared_ptr<keys_taken> taken, std::shared_ptr<event_log> events,
                                std::unique_ptr<db_connection> first = {});

}  // namespace gateway::persistence
