// One payment: how its commands are decided, how its provider is called, and what happens to it without a command. What
// it shares with other entities is described in entity/queue/entity_queue.hpp.

#include "payment_actor.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "customer/ask_customer.hpp"
#include "entity/asks/entity_asks.hpp"
#include "entity/asks/provider_calls.hpp"
#include "entity/provider_key.hpp"
#include "entity/queue/entity_of.hpp"
#include "entity/queue/spawn_entity.hpp"
#include "gateway/base/log.hpp"
#include "gateway/customer_key.hpp"
#include "gateway/domain/customer.hpp"

namespace gateway::actors {

namespace {

/// The provider is not called to charge a method that is not saved.
provider_result not_saved_result() {
  provider_result result;
  result.status = provider_status::declined;
  result.error = provider_error{error_category::validation, "payment_method_not_found",
                                "No such payment method is saved for the customer.", false, false};
  return result;
}

constexpr entity_rules payment_rules{"payment", problem::payment_not_found, problem::payment_already_exists, true,
                                     true};

class payment_entity final : public entity_of<payment_entity, payment, payment_command> {
  using base = entity_of<payment_entity, payment, payment_command>;
  friend base;

 public:
  explicit payment_entity(std::shared_ptr<const payment_context> context)
      : base{payment_rules, *context}, context_{std::move(context)} {}

 private:
  // ---- hooks of the queue -------------------------------------------------------------------------

  bool inserts(const entity_command& what) const override {
    const auto* own = std::get_if<payment_command>(&what);
    return own && (std::holds_alternative<create_payment>(*own) || std::holds_alternative<charge_saved>(*own));
  }
  std::string event_data(const entity_row& after, std::string_view type) const override {
    return context_->encoder.event_data(*std::get<payment_ptr>(after), type);
  }

  /// Commits a change of the row with its ledger entries and its additions to the totals of the day.
  void commit_transition(entity_unit unit, transition change, continuation<commit_outcome> then) {
    const auto moved = movements_of(row(), change.next);
    for (const auto& each : moved) unit.insert(entry_of(each, change.next, change.movement_ref));
    for (const auto& added : totals_of(row(), change.next, moved))
      unit.insert(count_daily{key().merchant, key().env, added});
    commit_change(std::move(unit), shared(std::move(change.next)), std::move(change.entries), std::move(then));
  }

  /// Commits a change that no client requested: from a hosted page, or because time has passed.
  void change_unasked(job work, transition change) {
    commit_transition(unit_of(unit_kind::finish), std::move(change),
                      [this, work = std::move(work)](commit_outcome outcome) mutable {
                        if (outcome == commit_outcome::committed) return view(std::move(work));
                        if (outcome == commit_outcome::lost_claim) return again(std::move(work));
                        not_committed(*work, outcome);
                      });
  }

  /// A crash or an unavailable store left an operation open: ask the provider again, then continue with `work`.
  void settle_left_open(job work) override {
    log::info("operation_resumed", {{"request_id", work->request.request_id},
                                    {"trace_id", work->request.trace.trace},
                                    {"merchant", key().merchant.value},
                                    {"payment_id", key().id},
                                    {"operation", to_string(row()->open->what)}});
    ask_again(std::move(work));
  }

  // ---- commands -----------------------------------------------------------------------------------

  void run(job work, const create_payment& wanted) { make(std::move(work), wanted, operation::create); }
  void run(job work, const charge_saved& wanted) {
    create_payment made{wanted.amount, flow::server, false, wanted.customer, wanted.details};
    make(std::move(work), std::move(made), operation::charge);
  }
  void run(job work, const capture_payment& wanted) { operate(std::move(work), wanted, 0, {}); }
  void run(job work, const refund_payment& wanted) { operate(std::move(work), wanted, wanted.amount, wanted.reason); }
  void run(job work, const void_payment& wanted) { operate(std::move(work), wanted, 0, wanted.reason); }
  void run(job work, const hosted_result& seen) { take_hosted_result(std::move(work), seen); }
  void run(job work, const cycle_charge& charge) { take_cycle(std::move(work), charge); }
  void run(job work, const ask_provider&) { ask(std::move(work)); }

  /// A payment to be created, while its prerequisites are read.
  struct creation {
    create_payment wanted;
    operation what = operation::create;
    std::optional<payment_customer> customer{};
    std::optional<provider_kind> keeper{};  ///< as in choose_route()
    customer_ptr known{};  ///< the customer's row; null: not read yet
    bool has_looked_up = false;  ///< the standing of the merchant's accounts
  };

  /// Creates the payment. If it has a customer, the customer is read first.
  void make(job work, create_payment wanted, operation what) {
    if (row()) return fail_unless_key_is_known(std::move(work), payment_rules.already_exists);
    if (!wanted.customer || wanted.customer->platform.empty())
      return create(std::move(work), creation{std::move(wanted), what});
    auto customer = customer_of(wanted.customer->platform, wanted.customer->ref);
    auto by = asked_by_request(*work);
    look_at_customer(
        self(), router(), std::move(customer), std::move(by),
        [this, work = std::move(work), wanted = std::move(wanted), what](const customer_seen& seen) mutable {
          if (seen.failed) return fail(*work, *seen.failed);
          create_for(std::move(work), creation{std::move(wanted), what}, seen.known);
        });
  }

  void create_for(job work, creation making, const customer_ptr& known) {
    auto who = payer_of(*making.wanted.customer, making.wanted.details.payment_method, known.get());
    if (const auto* why = std::get_if<problem>(&who)) return fail_unless_key_is_known(std::move(work), *why);
    auto& payer = std::get<gateway::payer>(who);
    making.wanted.details.payment_method = std::move(payer.payment_method);
    making.customer = std::move(payer.customer);
    making.keeper = payer.keeper;
    making.known = known;
    create(std::move(work), std::move(making));
  }

  void create(job work, creation making) {
    if (const auto why = forbids(*work)) return fail_unless_key_is_known(std::move(work), *why);
    const auto who = context_->merchants.find_merchant(key().merchant);
    if (!who) return fail_unless_key_is_known(std::move(work), problem::merchant_not_charge_capable);
    auto way = choose_route(*who, key().env, making.wanted, context_->board.states_in(key().env), making.keeper);
    if (const auto* why = std::get_if<problem>(&way)) {
      if (*why == problem::merchant_not_charge_capable)
        return look_up_accounts(std::move(work), std::move(making), *who);
      return fail_unless_key_is_known(std::move(work), *why);
    }
    const auto& chosen = std::get<route_choice>(way);
    if (!take_slot(chosen.provider)) return fail_for_want_of_a_slot(std::move(work));

    const auto now = context_->clock.now();
    making.wanted.details.made_by = platform_id{work->request.write->key.principal};
    auto made =
        begin_payment(key(), making.wanted, chosen, work->request.write->key, now, context_->timing(), making.what);
    made.customer = std::move(making.customer);
    if (making.known)
      call_by_name(*made.customer, *making.known, making.wanted.details.payment_method, chosen.provider,
                   chosen.account);
    const auto begun = shared(std::move(made));
    auto unit = unit_of(unit_kind::begin);
    unit.reserve_inserts(2);
    unit.insert(record_of(*work, to_string(making.what), making.wanted.amount.minor, {}, now));
    unit.insert(begun);
    commit_command(std::move(work), std::move(unit), begun, [this](job begun_job) {
      begun_job->began = true;
      begin_timeline();
      call_provider(std::move(begun_job), false);
    });
  }

  // ---- the merchant's accounts --------------------------------------------------------------------

  /// The merchant cannot be charged according to its published connections. Its owner may have finished at a provider a
  /// moment ago, and the notification may not have arrived yet, so the providers are asked.
  void look_up_accounts(job work, creation making, const merchant& who) {
    std::vector<connection> unfinished;
    if (!std::exchange(making.has_looked_up, true))
      std::ranges::copy_if(who.connections, std::back_inserter(unfinished), [this](const connection& at) {
        return at.env == key().env && at.status == connection_status::in_progress && !at.account.empty() &&
               !traits_of(at.provider).sandbox &&
               context_->board.state_of(at.provider, at.env) == provider_state::ready;
      });
    if (!unfinished.empty()) return look_up_account(std::move(work), std::move(making), std::move(unfinished));
    fail_unless_key_is_known(std::move(work), who.connections_unreadable ? problem::account_lookup_failed
                                                                         : problem::merchant_not_charge_capable);
  }

  /// Asks about the last of these, then about those before it, until one can be charged.
  void look_up_account(job work, creation making, std::vector<connection> unfinished) {
    if (unfinished.empty()) return fail_unless_key_is_known(std::move(work), problem::merchant_not_charge_capable);
    auto at = std::move(unfinished.back());
    unfinished.pop_back();
    if (!take_slot(at.provider)) return fail_for_want_of_a_slot(std::move(work));
    work->request.admission.reset();
    const auto asking = spans().begin_call();
    account_question question;
    question.trace = asking.where;
    question.merchant = key().merchant;
    question.env = at.env;
    question.provider = at.provider;
    question.account = at.account;
    const auto& gate = gate_of(at.provider);
    ask_gate(self(), gate, std::move(question),
             [this, work = std::move(work), asking, making = std::move(making), unfinished = std::move(unfinished),
              at = std::move(at)](const account_answer* said) mutable {
               if (!said) return fail_unless_key_is_known(std::move(work), problem::account_lookup_failed);
               const bool known = said->standing != account_standing::unknown;
               spans().called(asking, at.provider, "account",
                              known ? provider_status::approved : provider_status::unknown, said->error);
               slot_.reset();
               if (!known) return fail_unless_key_is_known(std::move(work), problem::account_lookup_failed);
               if (said->standing != account_standing::ready)
                 return look_up_account(std::move(work), std::move(making), std::move(unfinished));
               tell_ready(std::move(work), std::move(making), at);
             });
  }

  /// Publishes the account as ready before the payment's route is chosen.
  void tell_ready(job work, creation making, const connection& at) {
    ask_directory(self(), context_->operators,
                  follow_account{key().merchant, at.env, at.provider, at.account, account_standing::ready},
                  [this, work = std::move(work), making = std::move(making)](const operator_result* done,
                                                                             bool overloaded) mutable {
                    if (done) return create(std::move(work), std::move(making));
                    fail_unless_key_is_known(std::move(work),
                                             overloaded ? problem::overloaded : problem::store_unavailable);
                  });
  }

  template <class Command>
  void operate(job work, const Command& wanted, std::int64_t amount, std::string reason) {
    if (!row()) return fail_unless_key_is_known(std::move(work), payment_rules.not_found);
    if (const auto why = forbids(*work)) return fail_unless_key_is_known(std::move(work), *why);
    const auto now = context_->clock.now();
    auto decided = decide(*row(), wanted, work->request.write->key, now, context_->timing());
    begin_operation(std::move(work), std::move(decided), amount, std::move(reason), now);
  }

  void begin_operation(job work, decision decided, std::int64_t amount, std::string reason, time_point now) {
    if (const auto* done = std::get_if<conclusion>(&decided)) {
      auto record = record_of(*work, to_string(done->result.what), amount, std::move(reason), now);
      return conclude_at_once(std::move(work), std::move(record), context_->encoder.encode(done->result), now);
    }
    if (context_->board.state_of(row()->provider, key().env) != provider_state::ready)
      return fail_unless_key_is_known(std::move(work), problem::provider_unavailable);
    if (!take_slot(row()->provider)) return fail_for_want_of_a_slot(std::move(work));
    const auto claimed = shared(std::move(std::get<claim>(decided).claimed));
    auto unit = unit_of(unit_kind::begin, *work);
    unit.insert(record_of(*work, to_string(claimed->open->what), claimed->open->amount, std::move(reason), now));
    unit.claim(claimed);
    commit_command(std::move(work), std::move(unit), claimed, [this](job begun) {
      begun->began = true;
      call_provider(std::move(begun), false);
    });
  }

  /// The customer acted on a hosted page.
  void take_hosted_result(job work, const hosted_result& seen) {
    if (!row()) return fail(*work, payment_rules.not_found);
    if (seen.provider_ref == row()->provider_ref)
      if (auto change = settle_hosted(*row(), seen.signal, context_->clock.now(), seen.fresh_method))
        return tell_customer_first(std::move(work), *std::move(change), &payment_entity::change_unasked);
    view(std::move(work));
  }

  /// A subscription sends the outcome of an attempt at a cycle, and repeats it until it is answered with the row.
  void take_cycle(job work, const cycle_charge& charge) {
    std::optional<payment> stands;
    if (row()) stands = *row();
    auto change = settle_cycle(stands, charge, context_->clock.now());
    if (!change) return fail(*work, payment_rules.already_exists);
    auto& told = change->entries.back();
    told.event_data = context_->encoder.event_data(as_told(change->next, charge), told.operation);
    auto unit = unit_of(unit_kind::finish);
    unit.insert(counted_event{key().merchant, key().env, charge.event_id});
    commit_transition(std::move(unit), *std::move(change),
                      [this, work = std::move(work)](commit_outcome outcome) mutable {
                        switch (outcome) {
                          case commit_outcome::committed:
                          case commit_outcome::duplicate_record: return view(std::move(work));
                          case commit_outcome::entity_exists:
                          case commit_outcome::lost_claim: return again(std::move(work), true);
                          default: return not_committed(*work, outcome);
                        }
                      });
  }

  /// The reconciler found the payment due: an operation without an outcome, or an abandoned hosted page.
  void on_due(job work) override {
    if (!row()) return fail(*work, payment_rules.not_found);
    const auto now = context_->clock.now();
    if (asks_again(*row(), now, context_->timing())) return ask_again(std::move(work));
    const auto step = due_step(*row(), now, context_->timing());
    // While the clock is untrusted the checkout stays open: it can still be paid, and expires later.
    if (step == wait_step::none || !context_->watch.trusted_now(monotonic_now())) return view(std::move(work));
    inquire(std::move(work), step == wait_step::close);
  }

  /// A provider's notification concerns the payment. Only the provider's answer to an inquiry is trusted.
  void ask(job work) {
    if (!row()) return fail(*work, payment_rules.not_found);
    if (row()->open) return ask_again(std::move(work));
    if (!awaits_customer(*row())) return view(std::move(work));
    inquire(std::move(work), false);
  }

  /// Asks the provider for the state of a payment that waits for its customer. Nothing needs to be durable before: the
  /// inquiry moves no money, and closing a checkout is idempotent.
  void inquire(job work, bool closes) {
    occupy_slot();
    const auto asking = spans().begin_call();
    ask_gate(self(), gate_of(row()->provider), provider_inquiry{*row(), closes, asking.where},
             [this, work = std::move(work), closes, asking](const provider_result* answer) mutable {
               // The gate has ended: the payment stays due.
               if (!answer) return fail(*work, problem::store_unavailable);
               spans().called(asking, row()->provider, closes ? "close" : "look", answer->status, answer->error);
               auto change = settle_wait(*row(), *answer, closes, context_->clock.now(), context_->timing());
               if (!change) return view(std::move(work));
               if (machine::has_outlived_its_end(change->next) && !machine::has_outlived_its_end(*row()))
                 log::warn("checkout_outcome_unknown", {{"merchant", key().merchant.value},
                                                        {"payment_id", key().id},
                                                        {"provider", to_string(row()->provider)}});
               tell_customer_first(std::move(work), *std::move(change), &payment_entity::change_unasked);
             });
  }

  // ---- provider and finish ------------------------------------------------------------------------

  const provider_actor& gate_of(provider_kind kind) const {
    return context_->providers[static_cast<std::size_t>(kind)];
  }

  /// False if the merchant holds its share of slots; then no operation may begin.
  bool take_slot(provider_kind kind) {
    if (!slot_) slot_ = context_->slots.take(kind, key().env, key().merchant);
    return slot_ != nullptr;
  }
  /// An operation that has begun is never refused.
  void occupy_slot() {
    if (!slot_) slot_ = context_->slots.occupy(row()->provider, key().env, key().merchant);
  }
  /// A key that has an answer, or belongs to another request, is answered accordingly even without a slot, because
  /// neither answer needs one. The store is asked only in this case, because most requests get a slot and their keys
  /// are new.
  void fail_for_want_of_a_slot(job work) {
    lookup_key(std::move(work), [this](job refused) {
      context_->meters.shed("provider").Increment();
      fail(*refused, problem::overloaded);
    });
  }
  /// The running request has been answered. The next one may need the slot.
  void operation_over() noexcept override { slot_.reset(); }

  void ask_again(job work) {
    occupy_slot();
    claim_to_ask_again(std::move(work), [this](job claimed) { call_provider(std::move(claimed), true); });
  }

  /// Calls the provider for the operation that is open on the row. The caller has taken a slot.
  void call_provider(job work, bool asked_again) {
    work->request.admission.reset();
    const auto& open = *row()->open;
    if (open.what == operation::charge && !row()->customer->charges_saved)
      return finish(std::move(work), not_saved_result());
    provider_call call;
    call.provider_key = provider_key_of(key(), open.command, open.claim);
    call.what = machine::creates(open.what) ? operation::create : open.what;
    call.by_sdk = open.what == operation::charge;
    if (machine::creates(open.what) && row()->customer && row()->customer->provider_id.empty())
      call.customer_key = provider_key_of_customer(customer_entity());
    call.asked_again = asked_again;
    call.amount = open.amount;
    call.subject = *row();
    call.begun_at = open.begun_at;
    const auto what = call.what;
    const auto calling = spans().begin_call();
    call.trace = calling.where;
    ask_gate(self(), gate_of(row()->provider), std::move(call),
             [this, work = std::move(work), calling, what](const provider_result* result) mutable {
               if (!result) {
                 // The gate has ended: whether a call was sent is unknown.
                 provider_error error{error_category::internal, "provider_unreachable",
                                      "The provider's answer was lost.", true, true};
                 return finish(std::move(work), provider_result{provider_status::unknown, {}, {}, std::move(error)});
               }
               spans().called(calling, row()->provider, to_string(what), result->status, result->error);
               finish(std::move(work), *result);
             });
  }

  void finish(job work, const provider_result& result) {
    tell_customer_first(std::move(work), conclude(*row(), result, context_->clock.now(), context_->timing()),
                        &payment_entity::store_outcome);
  }

  void store_outcome(job work, transition change) {
    const auto now = context_->clock.now();
    const auto& open = *row()->open;
    const auto command = open.command;
    auto unit = unit_of(unit_kind::finish);
    answer_ptr told;
    if (!open.answered) {
      told = std::make_shared<const answer>(context_->encoder.encode(change.result));
      unit.claim(command_finish{command, told, now});
    }
    commit_transition(std::move(unit), std::move(change),
                      [this, work = std::move(work), told = std::move(told), command](commit_outcome outcome) mutable {
                        after_finish(std::move(work), command, std::move(told), outcome);
                      });
  }

  // ---- the customer -------------------------------------------------------------------------------

  entity_key customer_of(const platform_id& platform, std::string_view ref) const {
    return customer_key(key().merchant, key().env, platform, ref);
  }
  entity_key customer_entity() const { return customer_of(row()->customer->platform, row()->customer->ref); }

  asked_for asked_by_request(const entity_job& work) { return {work.request.request_id, spans().trace()}; }

  using after_customer = void (payment_entity::*)(job work, transition change);

  /// Continues with `then` once the customer's row has what the change says about the customer. If that fails, nothing
  /// of the change is stored: an operation stays open, and its provider is asked again.
  void tell_customer_first(job work, transition change, after_customer then) {
    auto news = news_of(*row(), change.next);
    if (!news) return (this->*then)(std::move(work), std::move(change));
    auto customer = customer_of(news->platform, news->ref);
    auto by = asked_by_request(*work);
    tell_customer(self(), router(), std::move(customer), *std::move(news), std::move(by),
                  [this, work = std::move(work), change = std::move(change), then](const customer_seen& seen) mutable {
                    if (seen.known) return (this->*then)(std::move(work), std::move(change));
                    forget();
                    remember_to_settle();
                    fail(*work, seen.failed.value_or(problem::store_unavailable));
                  });
  }

  std::shared_ptr<const payment_context> context_;
  provider_slots::slot slot_;  ///< of the running request; released with the actor at the latest, before the context
};

}  // namespace

entity_spawner payment_spawner(std::shared_ptr<const payment_context> context) {
  return spawner_of([context = std::move(context)] { return std::make_unique<payment_entity>(context); });
}

}  // namespace gateway::actors
