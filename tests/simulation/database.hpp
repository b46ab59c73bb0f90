// The database that all nodes share, and each node's store actors on it. The rows keep the store contract. Faults occur
// only on the connection.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "ages.hpp"
#include "checkouts.hpp"
#include "customers.hpp"
#include "deliveries.hpp"
#include "event_log.hpp"
#include "fault_rates.hpp"
#include "gateway/messages/actors.hpp"
#include "gateway/ports/membership.hpp"
#include "grants.hpp"
#include "journal.hpp"
#include "memory_store.hpp"
#include "node_table.hpp"
#include "notices.hpp"
#include "promises.hpp"
#include "subscriptions.hpp"
#include "virtual_time.hpp"

namespace gateway::simulation {

class database {
 public:
  database(testing::memory_store& rows, promises& held, delivery_promises& reported, age_promises& ages,
           grant_promises& grants, customer_promises& customers, subscription_promises& subscriptions, checkouts& pages,
           notice_promises& notices, event_log& events, journal& log, const node_table& nodes, const world_plan& plan,
           guard missing)
      : rows_{rows},
        promises_{held},
        delivery_promises_{reported},
        age_promises_{ages},
        grant_promises_{grants},
        customer_promises_{customers},
        subscription_promises_{subscriptions},
        checkouts_{pages},
        notice_promises_{notices},
        event_log_{events},
        log_{log},
        nodes_{nodes},
        leases_hold_{plan.leases_hold()},
        alone_{plan.nodes == 1 && plan.faults.commit_late == 0},
        missing_{missing} {}

  /// Begin units that a node without the begin commit does not store. A crash of the node loses them.
  using unsaved_units = std::map<testing::memory_store::entity_row_key, unit_of_work>;

  /// `drawn`: by draw_late(), if the transaction has begun before.
  commit_outcome commit(std::string_view node, unit_of_work unit, unsaved_units& unsaved,
                        const std::optional<event_log::drawn>& drawn = std::nullopt);
  /// For a unit that is committed later: what its transaction does before.
  event_log::drawn draw_late(std::string_view node, const unit_of_work& unit) {
    return event_log_.draw_late(node, testing::unit_parts{unit});
  }
  template <class Query>
  auto run(const Query& what) {
    return rows_.run(what);
  }
  redeliver_rows_result run(const redeliver_rows& what);
  purge_result run(const purge_commands& what);
  /// What a node reads at its start.
  std::optional<time_point> last_seen() const { return rows_.last_seen; }
  bool lacks(guard which) const { return missing_ == which; }
  /// A node is about to write.
  void check_lease(const membership& of);

 private:
  commit_outcome store(std::string_view node, unit_of_work whole, unsaved_units& unsaved);

  testing::memory_store& rows_;
  promises& promises_;
  delivery_promises& delivery_promises_;
  age_promises& age_promises_;
  grant_promises& grant_promises_;
  customer_promises& customer_promises_;
  subscription_promises& subscription_promises_;
  checkouts& checkouts_;
  notice_promises& notice_promises_;
  event_log& event_log_;
  journal& log_;
  const node_table& nodes_;
  const bool leases_hold_;
  const bool alone_;  ///< one node, and each of its commits happens before its next read or never
  guard missing_;
};

/// One node's connection to the database.
struct store_link {
  database& rows;
  virtual_time& time;
  random_source& random;
  const fault_rates& faults;
  journal& log;
  std::string node;
  std::shared_ptr<bool> alive;  ///< false after the crash: nothing that the node still sends arrives
  std::shared_ptr<node_memory> memory;
  const membership& among;
  std::shared_ptr<database::unsaved_units> unsaved = std::make_shared<database::unsaved_units>();
};

store_writer spawn_writer(caf::actor_system& system, store_link line);
store_reader spawn_reader(caf::actor_system& system, store_link line);

}  // namespace gateway::simulation
