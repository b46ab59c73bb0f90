// The database that all nodes share, and a node's actors on it. The rows honour the store contract; what fails is
// the way there and back.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "agenda.hpp"
#include "deliveries.hpp"
#include "gateway/actors.hpp"
#include "journal.hpp"
#include "memory_store.hpp"
#include "promises.hpp"
#include "weather.hpp"

namespace gateway::simulation {

/// A guard that can be taken out, to see that the simulation notices.
enum class guard { none, begin_commit, version_claim, provider_key, delivery_commit, delivery_claim };

class database {
 public:
  database(testing::memory_store& rows, promises& held, delivery_promises& told, journal& log, guard missing)
      : rows_{rows}, held_{held}, told_{told}, log_{log}, missing_{missing} {}

  /// Begin units that a node without the begin commit keeps to itself. They die with the node.
  using unsaved_units = std::map<testing::memory_store::entity_row_key, unit_of_work>;

  commit_outcome commit(std::string_view node, unit_of_work unit, unsaved_units& unsaved);
  template <class Query>
  auto run(const Query& what) {
    return rows_.run(what);
  }
  redeliver_rows_result run(const redeliver_rows& what);

 private:
  testing::memory_store& rows_;
  promises& held_;
  delivery_promises& told_;
  journal& log_;
  guard missing_;
};

/// One node's line to the database.
struct store_line {
  database& rows;
  agenda& time;
  dice& random;
  const weather& faults;
  journal& log;
  std::string node;
  std::shared_ptr<bool> alive;  ///< false after the crash: nothing that the node still does gets through
  std::shared_ptr<node_memory> memory;
  std::shared_ptr<database::unsaved_units> unsaved = std::make_shared<database::unsaved_units>();
};

store_writer spawn_writer(caf::actor_system& system, store_line line);
store_reader spawn_reader(caf::actor_system& system, store_line line);

}  // namespace gateway::simulation
