// The provider, outside all nodes. It keeps its ledger through all crashes, and its network has the world's faults. It
// executes every charge under a new key, so that a double charge is detected instead of rejected. A provider other than
// the gateway's own also acts by itself, and then declines what is no longer possible.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "checkouts.hpp"
#include "customers.hpp"
#include "database.hpp"
#include "fault_rates.hpp"
#include "gateway/messages/actors.hpp"
#include "journal.hpp"
#include "notices.hpp"
#include "promises.hpp"
#include "provider_acts.hpp"
#include "provider_payments.hpp"
#include "providers/sandbox/sandbox.hpp"
#include "virtual_time.hpp"

namespace gateway::simulation {

class simulated_provider {
 public:
  using reply_function = std::function<void(const provider_result&)>;

  simulated_provider(virtual_time& time, random_source& random, const fault_rates& faults, promises& held,
                     customer_promises& customers, checkouts& pages, provider_payments& payments, provider_acts& acts,
                     random_source& own_random, journal& log, guard missing)
      : time_{time},
        random_{random},
        faults_{faults},
        promises_{held},
        customer_promises_{customers},
        checkouts_{pages},
        payments_{payments},
        acts_{acts},
        own_random_{own_random},
        log_{log},
        missing_{missing} {}

  /// Receives a call. `reply` is called for each answer that reaches the caller: never, once or twice.
  void take(std::string_view node, provider_call call, reply_function reply);
  /// Receives an inquiry. For the sandbox's pages the gateway learns the outcome from their customers; for other
  /// providers' pages and payments the answer is the truth when the inquiry is executed.
  void look(std::string_view node, const provider_inquiry& inquiry, reply_function reply);
  /// Receives a call about a subscription. An enrollment executes it.
  void take(const subscription_call& call) { customer_promises_.provider_called(call); }
  /// The object that a notification is about.
  notification_subject understand(const notification& what);
  /// Whether the node's own adapter fails at its next call, which may still go out.
  bool adapter_fails() { return random_.chance(faults_.call_fails / 8); }

 private:
  void look_outside(const provider_inquiry& inquiry, const reply_function& reply);
  provider_result answer(const provider_inquiry& inquiry);
  duration_ms delay();
  /// Whether it is away: any request may begin such a period, during which nearly nothing reaches it.
  bool is_away();
  /// Whether the call is dropped unexecuted. `reply` is then called with a refusal, or never.
  bool turns_away(const provider_call& call, const reply_function& reply);
  /// Executes the call. Returns the first result if it has executed a call under this key.
  const provider_result& execute(const provider_call& call);
  provider_payments::executed_call decide(const provider_call& call);
  /// As at a provider that knows the payment's state.
  provider_payments::executed_call decide_outside(const provider_call& call);
  /// Makes the customer for the call's customer key, unless it exists. Returns its id, or nothing without such a key.
  std::string make_customer(const provider_call& call);

  virtual_time& time_;
  random_source& random_;
  const fault_rates& faults_;
  promises& promises_;
  customer_promises& customer_promises_;
  checkouts& checkouts_;
  provider_payments& payments_;
  provider_acts& acts_;
  random_source& own_random_;  ///< for what concerns only a provider other than the gateway's own
  journal& log_;
  guard missing_;
  std::uint64_t last_ = 0;
  time_point away_until_{};
  std::map<std::string, provider_result> answers_;  ///< by provider key
  /// By provider, account and customer key: as at Stripe, a key counts within one account.
  std::map<std::tuple<provider_kind, std::string, std::string>, std::string> customers_;
};

/// A node's connection to the simulated_provider. Its subscriptions are enrollments, as a sandbox's.
actors::sandbox_provider spawn_provider_link(caf::actor_system& system, simulated_provider& at, std::string node,
                                             std::shared_ptr<bool> alive);

}  // namespace gateway::simulation
