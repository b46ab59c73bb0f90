// The store's interface for the composition root: prepare the store, then open it.
#pragma once

#include <caf/actor_system.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/base/metrics.hpp"
#include "gateway/messages/actors.hpp"
#include "gateway/ports/membership.hpp"
#include "gateway/settings.hpp"
#include "persistence/nodes/node_keeper.hpp"

namespace gateway::persistence {

/// The database before any actor runs: migrated to this program's schema, proven writable, and locked for this process.
/// Several nodes share a database without that lock. A node registers its name only after all other checks, so that the
/// other nodes never see one whose start fails. The destructor gives back a name that no keeper has taken over.
class prepared_store {
 public:
  /// How long to wait while another process has the database: a server may need a moment to notice that a killed
  /// gateway is gone.
  static constexpr std::chrono::milliseconds lock_patience{8'000};

  /// Throws std::runtime_error with one line for the operator: a wrong URL, a server that cannot be reached, a database
  /// that another gateway uses, a newer schema, a data directory that cannot be written.
  explicit prepared_store(const settings& s, std::chrono::milliseconds patience = lock_patience);
  ~prepared_store();
  prepared_store(prepared_store&&) noexcept;
  prepared_store& operator=(prepared_store&&) noexcept;

  /// The database's name and version.
  const std::string& engine() const noexcept;

  // Facts about the database itself. These throw std::runtime_error when it does not answer.
  std::optional<std::string> read_meta(std::string_view name);
  /// Returns false, and keeps the stored value, if the name already has one.
  bool put_meta_if_absent(std::string_view name, std::string_view value);

  /// Ordered by position.
  std::vector<save_master_key> read_master_keys();
  /// Keeps the stored row if its id or position is taken.
  void put_master_key_if_absent(const save_master_key& key);

  /// The current rows of all nodes; none from the embedded store.
  std::vector<node_row> read_nodes();
  /// Registers this node's name. To be called once, before keep_lease(); a no-op if this gateway serves alone. Throws
  /// std::runtime_error with one line if a live node has the name.
  void take_name(const settings& s);
  /// What distinguishes this process from earlier ones of the same name in the table of nodes. Set by take_name();
  /// empty if this gateway serves alone.
  const std::string& incarnation() const noexcept;
  /// Starts to renew the lease. To be called once, before open_store(): the store's writers then commit only while the
  /// lease lasts.
  node_keeper keep_lease(caf::actor_system& system, const settings& s, membership& reported, metrics& counts,
                         node_ending ending);

  friend store_handles open_store(caf::actor_system& system, prepared_store prepared, const settings& s,
                                  metrics& counts);

 private:
  struct opened;
  void open_alone(std::chrono::milliseconds patience);
  void open_among_others();
  std::unique_ptr<opened> opened_;
};

/// Whether there is a database at that place: the embedded store's file, or a schema of the gateway on the server.
/// Creates nothing. Throws std::runtime_error with one line for the operator.
bool has_database(const settings& s);

/// Spawns the store's actors on the database that was prepared with the same settings. The first writer takes over the
/// connection of `prepared`, so the process keeps the database's lock. `counts` must outlive the actor system. An exit
/// message ends each actor; a writer first commits the units that have arrived.
store_handles open_store(caf::actor_system& system, prepared_store prepared, const settings& s, metrics& counts);

}  // namespace gateway::persistence
