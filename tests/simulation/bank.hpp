// The provider, outside every node: it keeps its ledger through all crashes, and its network is as bad as the weather.
// It trusts its caller: whatever comes under a new key it executes, so that a double charge is seen and not refused.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "agenda.hpp"
#include "database.hpp"
#include "gateway/actors.hpp"
#include "journal.hpp"
#include "promises.hpp"
#include "weather.hpp"

namespace gateway::simulation {

class bank {
 public:
  bank(agenda& time, dice& random, const weather& faults, promises& held, journal& log, guard missing)
      : time_{time}, random_{random}, faults_{faults}, held_{held}, log_{log}, missing_{missing} {}

  /// One call's fate: `reply` is run when the bank's answer reaches the caller, never, once or twice.
  void take(std::string_view node, provider_call call, std::function<void(const provider_result&)> reply);
  /// Whether the node's own adapter fails at its next call, which may still go out.
  bool adapter_fails() { return random_.chance(faults_.call_fails / 8); }

 private:
  /// Executes the call, unless it has: then it answers what it answered.
  const provider_result& execute(const provider_call& call);
  provider_result decide(const provider_call& call);

  agenda& time_;
  dice& random_;
  const weather& faults_;
  promises& held_;
  journal& log_;
  guard missing_;
  std::uint64_t last_ = 0;
  std::map<std::string, provider_result> answers_;  ///< by provider key
};

/// A node's way to the bank.
provider_actor spawn_bank_line(caf::actor_system& system, bank& at, std::string node, std::shared_ptr<bool> alive);

}  // namespace gateway::simulation
