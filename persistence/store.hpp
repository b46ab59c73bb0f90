// The store's interface for the composition root: prepare the store, then open it.
#pragma once

#include <caf/actor_system.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/actors.hpp"
#include "gateway/base/metrics.hpp"
#include "gateway/settings.hpp"

namespace gateway::persistence {

class db_connection;

/// The database before any actor runs: connected, migrated to this program's schema, and proven writable.
class prepared_store {
 public:
  /// Throws std::runtime_error with one line for the operator: a wrong URL, a server that cannot be reached, a newer
  /// schema, a data directory that cannot be written.
  explicit prepared_store(const settings& s);
  ~prepared_store();
  prepared_store(prepared_store&&) noexcept;
  prepared_store& operator=(prepared_store&&) noexcept;

  // Facts about the database itself. These throw std::runtime_error when it does not answer.
  std::optional<std::string> read_meta(std::string_view name);
  /// Returns false if the name has a value already, which stays.
  bool put_meta_if_absent(std::string_view name, std::string_view value);

 private:
  std::string shown_;
  std::unique_ptr<db_connection> db_;
};

/// Spawns the store's actors on a prepared database. `counts` must outlive the actor system. An exit message ends each
/// actor; a writer first commits the units that have arrived.
store_handles open_store(caf::actor_system& system, const settings& s, metrics& counts);

}  // namespace gateway::persistence
