// One payment: how its commands are decided, how its provider is called, and what happens to it without a command. What
// it shares with other entities is described in entity/queue/entity_queue.hpp.
//
// The class is implemented in four sources:
//   payment_actor.cpp     commands on a payment, and changes that no client requested
//   payment_creation.cpp  creation: the customer, the route, the standing of the merchant's accounts
//   payment_provider.cpp  calls and inquiries to the provider, and the storage of their outcome
//   payment_follow.cpp    comparison with the payment's state at the provider
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "entity/asks/entity_asks.hpp"
#include "entity/queue/entity_of.hpp"
#include "gateway/domain/customer.hpp"
#include "gateway/domain/provider_truth.hpp"
#include "gateway/messages/customer_key.hpp"
#include "payment_actor.hpp"

namespace gateway::actors {

inline constexpr entity_rules payment_rules{"payment", problem::payment_not_found, problem::payment_already_exists,
                                            true, true};

class payment_entity final : public entity_of<payment_entity, payment, payment_command> {
  using base = entity_of<payment_entity, payment, payment_command>;
  friend base;

 public:
  explicit payment_entity(std::shared_ptr<const payment_context> context);

 private:
  // ---- hooks of the queue -------------------------------------------------------------------------

  bool inserts(const entity_command& what) const override;
  std::string event_data(const entity_row& after, std::string_view type) const override;
  void settle_left_open(job work) override;
  void on_due(job work) override;
  /// The running request has been answered. The next one may need the slot.
  void operation_over() noexcept override { slot_.reset(); }

  // ---- commands -----------------------------------------------------------------------------------

  void run(job work, const create_payment& wanted);
  void run(job work, const charge_saved& wanted);
  void run(job work, const capture_payment& wanted);
  void run(job work, const refund_payment& wanted);
  void run(job work, const void_payment& wanted);
  void run(job work, const cancel_payment& wanted);
  void run(job work, const hosted_result& seen);
  void run(job work, const cycle_charge& charge);
  void run(job work, const ask_provider&);
  void run(job work, const settle_payment& wanted);
  void run(job work, const record_refund& wanted);
  void run(job work, const act_in_sandbox& wanted);
  void run(job work, const erase_payment_data& wanted);

  template <class Command>
  void operate(job work, const Command& wanted, std::int64_t amount, std::string reason);
  void begin_operation(job work, decision decided, std::int64_t amount, std::string reason, time_point now);
  void take_hosted_result(job work, const hosted_result& seen);
  void take_cycle(job work, const cycle_charge& charge);
  void record_cycle(job work, const cycle_charge& charge);
  // A change holds a whole payment, which is not moved for each function that passes it on.
  void commit_transition(entity_unit unit, transition&& change, continuation<commit_outcome> then);
  void commit_steps(entity_unit unit, std::span<transition> steps, continuation<commit_outcome> then);
  void change_unasked(job work, transition&& change);
  void change_for_operator(job work, transition&& change);

  // ---- creation -----------------------------------------------------------------------------------

  /// A payment to be created, while its prerequisites are read.
  struct creation {
    create_payment wanted;
    operation what = operation::create;
    std::optional<payment_customer> customer{};
    std::optional<provider_kind> keeper{};  ///< as in choose_route()
    customer_ptr known{};  ///< the customer's row; null: not read yet
    bool has_looked_up = false;  ///< the standing of the merchant's accounts
  };

  void make(job work, create_payment wanted, operation what);
  void create_for(job work, creation&& making, const customer_ptr& known);
  void create(job work, creation&& making);
  void look_up_accounts(job work, creation&& making, const merchant& who);
  void look_up_account(job work, creation&& making, std::vector<connection> unfinished);
  void publish_ready(job work, creation&& making, const connection& at);

  // ---- the provider -------------------------------------------------------------------------------

  const provider_actor& gate_of(provider_kind kind) const {
    return context_->providers[static_cast<std::size_t>(kind)];
  }
  bool take_slot(provider_kind kind);
  /// An operation that has begun is never refused.
  void occupy_slot() {
    if (!slot_) slot_ = context_->slots.occupy(row()->provider, key().env, key().merchant);
  }
  void fail_for_want_of_a_slot(job work);
  void ask(job work);
  void inquire(job work, bool closes);
  void compare(job work, next_step then);
  void follow(job work, const provider_truth& truth, next_step then);
  void compare_later(job work);
  void ask_again(job work);
  void call_provider(job work, bool asked_again);
  void close_checkout(job work);
  continuation<const provider_result*> finishing(job work, const provider_span& calling, operation what);
  void finish(job work, const provider_result& result);
  void store_outcome(job work, transition&& change);

  // ---- the customer -------------------------------------------------------------------------------

  entity_key customer_of(const platform_id& platform, std::string_view ref) const {
    return customer_key(key().merchant, key().env, platform, ref);
  }
  entity_key customer_entity() const { return customer_of(row()->customer->platform, row()->customer->ref); }
  asked_for asked_by_request(const entity_job& work) { return {work.request.request_id, spans().trace()}; }
  using after_customer = void (payment_entity::*)(job work, transition&& change);
  void report_to_customer_first(job work, transition&& change, after_customer then);
  void report_to_customer_first(job work, std::optional<customer_command> report, next_step then);

  std::shared_ptr<const payment_context> context_;
  provider_slots::slot slot_;  ///< of the running request; released with the actor at the latest, before the context
};

}  // namespace gateway::actors
