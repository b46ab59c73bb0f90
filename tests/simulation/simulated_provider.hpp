// The provider, outside all nodes. It keeps its ledger through all crashes, and its network has the world's faults. It
// executes every call under a new key, so that a double charge is detected instead of rejected.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "customers.hpp"
#include "database.hpp"
#include "fault_rates.hpp"
#include "gateway/actors.hpp"
#include "journal.hpp"
#include "promises.hpp"
#include "virtual_time.hpp"

namespace gateway::simulation {

class simulated_provider {
 public:
  simulated_provider(virtual_time& time, random_source& random, const fault_rates& faults, promises& held,
                     customer_promises& customers, journal& log, guard missing)
      : time_{time},
        random_{random},
        faults_{faults},
        promises_{held},
        customer_promises_{customers},
        log_{log},
        missing_{missing} {}

  /// Takes a call. `reply` is called each time an answer reaches the caller: never, once or twice.
  void take(std::string_view node, provider_call call, std::function<void(const provider_result&)> reply);
  /// Whether the node's own adapter fails at its next call, which may still go out.
  bool adapter_fails() { return random_.chance(faults_.call_fails / 8); }

 private:
  /// Executes the call. Returns the first result if it has executed a call under this key.
  const provider_result& execute(const provider_call& call);
  provider_result decide(const provider_call& call);
  /// Makes the customer that the call names a key for, unless it is made; its id, or nothing.
  std::string make_customer(const provider_call& call);

  virtual_time& time_;
  random_source& random_;
  const fault_rates& faults_;
  promises& promises_;
  customer_promises& customer_promises_;
  journal& log_;
  guard missing_;
  std::uint64_t last_ = 0;
  std::map<std::string, provider_result> answers_;  ///< by provider key
  std::map<std::string, std::string> customers_;    ///< by customer key
};

/// A node's connection to the simulated_provider.
provider_actor spawn_provider_link(caf::actor_system& system, simulated_provider& at, std::string node,
                                   std::shared_ptr<bool> alive);

}  // namespace gateway::simulation
