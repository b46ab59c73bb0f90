// The store, as the composition root sees it: prepare it, then open it.
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

/// The database before any actor runs: reached, brought to the schema of this program, and proven writable.
class prepared_store {
 public:
  /// Throws std::runtime_error with one line for the operator: a wrong URL, a server that cannot be reached, a newer
  /// schema, a data directory that cannot be written.
  explicit prepared_store(const settings& s);
  ~prepared_store();
  prepared_store(prepared_store&&) noexcept;
  prepared_store& operator=(prepared_store&&) noexcept;

  // Facts about the database itself. Throw std::runtime_error when it does not answer.
  std::optional<std::string> read_meta(std::string_view name);
  /// False if the name has a value already: that one stays.
  bool put_meta_if_absent(std::string_view name, std::string_view value);

 private:
  std::string shown_;
  std::unique_ptr<db_connection> db_;
};

/// Spawns the store's actors on a prepared database. `counts` must outlive the actor system. They end by an exit
/// message each; a writer commits first what has arrived.
store_handles open_store(caf::actor_system& system, const settings& s, metrics& counts);

}  // namespace gateway::persistence
