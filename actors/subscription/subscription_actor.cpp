// One subscription: its checkout, its provider's notifications, its end, and the payments of its cycles. What it shares
// with other entities is described in entity/queue/entity_queue.hpp.
//
// A paid cycle is a separate payment, which another actor owns. The commit that applies the notification also stores
// the charge in the subscription's row, where it stays until the payment has confirmed it. Sending the charge twice is
// safe: the payment records it once.

#include "subscription_actor.hpp"

#include <utility>
#include <vector>

#include "customer/ask_customer.hpp"
#include "entity/asks/entity_asks.hpp"
#include "entity/asks/entity_store.hpp"
#include "entity/asks/provider_calls.hpp"
#include "entity/provider_key.hpp"
#include "entity/queue/entity_of.hpp"
#include "entity/queue/spawn_entity.hpp"
#include "gateway/base/crypto.hpp"
#include "gateway/base/log.hpp"
#include "gateway/domain/erasure.hpp"
#include "gateway/domain/subscription_reading.hpp"
#include "gateway/messages/customer_key.hpp"

namespace gateway::actors {

namespace {

subscription_answer no_answer() {
  subscription_answer answer;
  answer.error =
      provider_error{error_category::provider, "provider_unreachable", "The provider did not answer.", true, true};
  return answer;
}

/// The pause after a provider did not report a subscription's state.
constexpr std::chrono::hours reading_pause{1};

constexpr entity_rules subscription_rules{"subscription", problem::subscription_not_found,
                                          problem::subscription_already_exists, true, true};

class subscription_entity final : public entity_of<subscription_entity, subscription, subscription_command> {
  using base = entity_of<subscription_entity, subscription, subscription_command>;
  friend base;

 public:
  explicit subscription_entity(std::shared_ptr<const subscription_context> context)
      : base{subscription_rules, *context}, context_{std::move(context)} {}

 private:
  // ---- hooks of the queue -------------------------------------------------------------------------

  bool inserts(const entity_command& what) const override {
    const auto* own = std::get_if<subscription_command>(&what);
    return own && std::holds_alternative<open_subscription_checkout>(*own);
  }
  /// The data of its events are encoded when the notification is applied.
  std::string event_data(const entity_row&, std::string_view) const override { return "{}"; }
  void settle_left_open(job work) override {
    log::info("operation_resumed", {{"request_id", work->request.request_id},
                                    {"trace_id", work->request.trace.trace},
                                    {"merchant", key().merchant.value},
                                    {"subscription_id", key().id},
                                    {"operation", to_string(row()->open->what)}});
    ask_again(std::move(work));
  }

  // ---- commands -----------------------------------------------------------------------------------

  void run(job work, const open_subscription_checkout& wanted) {
    if (row()) return fail_unless_key_is_known(std::move(work), subscription_rules.already_exists);
    auto customer = customer_of(wanted.platform, wanted.details.customer_ref);
    auto by = asked_by_request(*work);
    read_customer(self(), router(), std::move(customer), std::move(by),
                  [this, work = std::move(work), &wanted](const customer_seen& seen) mutable {
                    if (seen.failed) return fail(*work, *seen.failed);
                    open_checkout(std::move(work), wanted, seen.known.get());
                  });
  }

  void run(job work, const cancel_subscription& wanted) {
    // For a platform, another platform's subscription does not exist. The merchant's own users, whose requests have an
    // audit note, may cancel any subscription of the merchant.
    const bool is_theirs = row() && (work->request.note || row()->platform.value == work->request.write->key.principal);
    if (!is_theirs) return fail_unless_key_is_known(std::move(work), subscription_rules.not_found);
    if (const auto why = forbids(*work)) return fail_unless_key_is_known(std::move(work), *why);
    const auto now = context_->clock.now();
    const auto& key = work->request.write->key;
    auto decided = decide(*row(), wanted, key, now, context_->timing());
    auto record = record_of(*work, to_string(subscription_operation::cancel), 0, {}, now);
    if (const auto* done = std::get_if<subscription_conclusion>(&decided))
      return conclude_at_once(std::move(work), std::move(record), context_->encoder.encode(done->result), now);
    const auto claimed = shared(std::move(std::get<subscription_claim>(decided).claimed));
    auto unit = unit_of(unit_kind::begin, *work);
    unit.insert(std::move(record));
    unit.claim(claimed);
    commit_command(std::move(work), std::move(unit), claimed, [this](job begun) {
      begun->owns_operation = true;
      call_provider(std::move(begun), false);
    });
  }

  void run(job work, const expire_subscription_checkout&) {
    if (!row()) return fail(*work, subscription_rules.not_found);
    if (auto claim = expire_checkout(*row(), context_->clock.now(), context_->timing(), true))
      return expire(std::move(work), std::move(claim->claimed));
    view(std::move(work));
  }

  void run(job work, const subscription_notification& posted) {
    if (!row()) return fail(*work, subscription_rules.not_found);
    auto reported = posted;
    // The owner of another account at the provider can put this subscription's id into its own objects there.
    if (!reported.account.empty() && reported.account != row()->account) {
      log::warn("notification_of_another_account", {{"merchant", key().merchant.value},
                                                    {"subscription_id", key().id},
                                                    {"event", reported.event_id.substr(0, most_provider_id)}});
      return view(std::move(work));
    }
    reported.account.clear();
    if (const auto fault = fault_of(reported)) {
      // Acknowledge it; otherwise the provider would send it for ever.
      log::error("notification_refused", {{"merchant", key().merchant.value},
                                          {"subscription_id", key().id},
                                          {"event", reported.event_id.substr(0, most_provider_id)},
                                          {"why", *fault}});
      return view(std::move(work));
    }
    // No read checks in advance whether the notification was counted before: the insert fails in that case.
    auto outcome = apply(*row(), reported, false, context_->clock.now());
    if (std::holds_alternative<notification_ignored>(outcome)) return view(std::move(work));
    auto& change = std::get<subscription_transition>(outcome);
    auto unit = unit_of(unit_kind::finish);
    count(unit, reported);
    commit_change(std::move(unit), shared(owing(change)), entries_of(change),
                  if_committed(std::move(work), [this](job applied) { pay_what_is_owed(std::move(applied)); }));
  }

  void run(job work, const erase_subscription_data& wanted) {
    if (!row()) return fail(*work, subscription_rules.not_found);
    if (obstacle_to_erasure(*row()) != erasure_obstacle::none) return fail(*work, problem::payment_outcome_pending);
    if (row()->version != wanted.what.version) return fail(*work, problem::request_in_progress);
    auto next = without_personal_data(*row());
    next.version += 1;
    auto unit = unit_of(unit_kind::finish);
    unit.claim(wanted.what);
    commit_change(std::move(unit), shared(std::move(next)), {},
                  if_committed(std::move(work), [this](job done) { answer_after_erasure(std::move(done)); }));
  }

  void on_due(job work) override {
    if (!row()) return fail(*work, subscription_rules.not_found);
    const auto now = context_->clock.now();
    if (asks_again(*row(), now, context_->timing())) return ask_again(std::move(work));
    if (!row()->owed.empty()) return pay_what_is_owed(std::move(work));
    if (auto claim = expire_checkout(*row(), now, context_->timing())) {
      // While the clock is untrusted the checkout stays open: it can still be paid, and expires later.
      if (!context_->watch.trusted_now(monotonic_now())) return view(std::move(work));
      return expire(std::move(work), std::move(claim->claimed));
    }
    if (can_be_read(*row()) && row()->due_at && *row()->due_at <= now) return read_back(std::move(work));
    view(std::move(work));
  }

  void open_checkout(job work, open_subscription_checkout wanted, const customer* known) {
    if (const auto why = forbids(*work)) return fail_unless_key_is_known(std::move(work), *why);
    const auto who = context_->merchants.find_merchant(key().merchant);
    if (!who) return fail_unless_key_is_known(std::move(work), problem::no_eligible_provider);
    auto way = choose_recurring_route(*who, key().env, wanted.amount.unit, context_->board.states_in(key().env),
                                      known && !is_forgotten(*known) ? std::optional{known->provider} : std::nullopt);
    if (const auto* why = std::get_if<problem>(&way)) return fail_unless_key_is_known(std::move(work), *why);
    const auto& chosen = std::get<route_choice>(way);
    if (known) {
      wanted.provider_customer_id = name_at(*known, chosen.provider, chosen.account);
      wanted.customer_generation = known->generation;
    }

    const auto now = context_->clock.now();
    const auto begun = shared(begin_checkout(key(), wanted, chosen, work->request.write->key, now, context_->timing()));
    auto unit = unit_of(unit_kind::begin);
    unit.reserve_inserts(2);
    unit.insert(record_of(*work, to_string(subscription_operation::open_checkout), wanted.amount.minor, {}, now));
    unit.insert(begun);
    commit_command(std::move(work), std::move(unit), begun, [this](job begun_job) {
      begun_job->owns_operation = true;
      begin_timeline();
      call_provider(std::move(begun_job), false);
    });
  }

  /// The claim is durable before the provider is asked to close the checkout, as for every operation.
  void expire(job work, subscription claimed) {
    commit_change(unit_of(unit_kind::begin), shared(std::move(claimed)), {},
                  if_committed(std::move(work), [this](job begun) { call_provider(std::move(begun), false); }));
  }

  // ---- provider and finish ------------------------------------------------------------------------

  void ask_again(job work) {
    claim_to_ask_again(std::move(work), [this](job claimed) { call_provider(std::move(claimed), true); });
  }

  /// Sends the operation that is open on the row to the provider.
  void call_provider(job work, bool asked_again) {
    work->request.admission.reset();
    const auto& open = *row()->open;
    subscription_call call;
    call.provider_key = provider_key_of(key(), open.command, open.claim);
    call.asked_again = asked_again;
    call.age_known = !asked_again || context_->watch.trusted_now(monotonic_now()).has_value();
    call.subject = *row();
    if (row()->state.provider_customer_id.empty())
      call.customer_key = provider_key_of_customer(own_customer(), row()->customer_generation);
    const auto calling = spans().begin_call();
    call.trace = calling.where;
    ask_gate(self(), context_->providers[static_cast<std::size_t>(row()->provider)], std::move(call),
             [this, work = std::move(work), calling, what = open.what](const subscription_result* result) mutable {
               if (!result) return finish(std::move(work), no_answer(), {});
               spans().called(calling, row()->provider, to_string(what), result->answer.status, result->answer.error);
               finish(std::move(work), result->answer, result->customer_id);
             });
  }

  void finish(job work, const subscription_answer& answer, const std::string& customer_id) {
    auto change = conclude(*row(), answer, context_->clock.now(), context_->timing());
    const auto& known = row()->state.provider_customer_id;
    std::optional<customer_command> report;
    if (known.empty() && !customer_id.empty()) {
      // Stores the provider's id of the customer before the checkout that refers to it.
      change.next.state.provider_customer_id = change.result.after.state.provider_customer_id = customer_id;
      report = record_customer{row()->platform, row()->details.customer_ref, row()->provider, customer_id, {}, {},
                               row()->account,  row()->customer_generation};
    } else if (!known.empty() && names_unknown_customer(answer.error)) {
      // The next checkout makes the customer again.
      report = forget_at_provider{row()->provider, row()->account, known, {}};
    }
    if (!report) return store_outcome(std::move(work), change);
    auto by = asked_by_request(*work);
    report_to_customer(self(), router(), own_customer(), *std::move(report), std::move(by),
                       [this, work = std::move(work), change = std::move(change)](const customer_seen& seen) mutable {
                         if (!seen.failed) return store_outcome(std::move(work), change);
                         forget();
                         remember_to_settle();
                         fail(*work, *seen.failed);
                       });
  }

  void store_outcome(job work, const subscription_transition& change) {
    const auto now = context_->clock.now();
    const auto& open = *row()->open;
    const auto command = open.command;
    auto unit = unit_of(unit_kind::finish);
    answer_ptr reported;
    if (!open.answered && open.what != subscription_operation::expire) {
      reported = std::make_shared<const answer>(context_->encoder.encode(change.result));
      unit.claim(command_finish{command, reported, now});
    }
    commit_change(
        std::move(unit), shared(owing(change)), entries_of(change),
        [this, work = std::move(work), reported = std::move(reported), command](commit_outcome outcome) mutable {
          after_finish(std::move(work), command, std::move(reported), outcome);
        });
  }

  /// Inserts the event's id, so that the notification counts once, and the id of an invoice that it reports as paid, so
  /// that a read from the provider does not count the invoice again.
  void count(entity_unit& unit, const subscription_notification& n) {
    const auto insert = [&](std::string id) { unit.insert(counted_event{key().merchant, key().env, std::move(id)}); };
    insert(std::string{to_string(row()->provider)}.append(":").append(n.event_id));
    if (n.kind == notification_kind::invoice_paid && n.invoice->amount.minor > 0 && !traits_of(row()->provider).sandbox)
      insert(counted_invoice(*row(), n.invoice->id));
  }

  // ---- changes without a notification --------------------------------------------------------------

  /// Reads the subscription from the provider, and takes over the differences.
  void read_back(job work) {
    subscription_call call;
    call.reads = call.asked_again = true;
    call.subject = *row();
    const auto reading = spans().begin_call();
    call.trace = reading.where;
    ask_gate(self(), context_->providers[static_cast<std::size_t>(row()->provider)], std::move(call),
             [this, work = std::move(work), reading](const subscription_result* result) mutable {
               // The gate has ended. The subscription stays due.
               if (!result) return fail(*work, problem::store_unavailable);
               spans().called(reading, row()->provider, "read", result->answer.status, result->answer.error);
               if (result->answer.status != provider_status::approved || !result->answer.seen)
                 return read_later(std::move(work), context_->clock.now() + reading_pause);
               find_unpaid(std::move(work), *result->answer.seen, result->paid, 0, {});
             });
  }

  /// Finds the invoices that are paid at the provider but whose payments here are not.
  void find_unpaid(job work, subscription_statement seen, std::vector<subscription_invoice> paid, std::size_t at,
                   std::vector<subscription_invoice> unpaid_here) {
    while (at < paid.size() && (paid[at].amount.minor <= 0 || is_paid_here(paid[at].id))) ++at;
    if (at == paid.size()) return follow(std::move(work), seen, unpaid_here);
    auto payment = payment_key(key().merchant, key().env, cycle_payment_id(paid[at].id));
    auto by = asked_by_request(*work);
    ask_entity(self(), router(), std::move(payment), view_entity{}, std::move(by),
               [this, work = std::move(work), seen = std::move(seen), paid = std::move(paid), at,
                unpaid_here = std::move(unpaid_here)](const entity_reply* reply) mutable {
                 const auto* found = reply ? std::get_if<entity_row>(&reply->what) : nullptr;
                 const auto* why = reply ? std::get_if<problem>(&reply->what) : nullptr;
                 if (!found && (!why || *why != problem::payment_not_found))
                   return read_later(std::move(work), context_->clock.now() + reading_pause);
                 if (!found)
                   return find_unpaid_or_purged(std::move(work), std::move(seen), std::move(paid), at,
                                                std::move(unpaid_here));
                 // A payment that a caller created may have an id like a cycle's. It stays unchanged.
                 const auto* row = std::get_if<payment_ptr>(found);
                 const bool is_known = row && ((*row)->captured > 0 || (*row)->provider_ref != paid[at].id);
                 if (!is_known) unpaid_here.push_back(paid[at]);
                 find_unpaid(std::move(work), std::move(seen), std::move(paid), at + 1, std::move(unpaid_here));
               });
  }

  /// An invoice without a payment here: no notification of it was received, unless its payment was purged.
  void find_unpaid_or_purged(job work, subscription_statement seen, std::vector<subscription_invoice> paid,
                             std::size_t at, std::vector<subscription_invoice> unpaid_here) {
    const auto payment = payment_key(key().merchant, key().env, cycle_payment_id(paid[at].id));
    find_purged(self(), reader(), payment,
                [this, work = std::move(work), seen = std::move(seen), paid = std::move(paid), at,
                 unpaid_here = std::move(unpaid_here)](const purged_payment_lookup* purged) mutable {
                  if (!purged) return read_later(std::move(work), context_->clock.now() + reading_pause);
                  if (!purged->was_purged) unpaid_here.push_back(paid[at]);
                  find_unpaid(std::move(work), std::move(seen), std::move(paid), at + 1, std::move(unpaid_here));
                });
  }

  bool is_paid_here(std::string_view invoice) const {
    for (const auto& each : row()->invoices)
      if (each.id == invoice && each.at.kind == notification_kind::invoice_paid) return true;
    return false;
  }

  void follow(job work, const subscription_statement& seen, const std::vector<subscription_invoice>& unpaid_here) {
    const auto now = context_->clock.now();
    const auto found = differences(*row(), seen, unpaid_here, now);
    if (found.empty()) return read_later(std::move(work), next_reading(*row(), now));
    log::warn("subscription_differs_at_provider", {{"merchant", key().merchant.value},
                                                   {"subscription_id", key().id},
                                                   {"provider", to_string(row()->provider)},
                                                   {"differences", std::to_string(found.size())}});
    const auto change = caught_up(*row(), found, now);
    auto unit = unit_of(unit_kind::finish);
    for (const auto& each : found) count(unit, each);
    commit_change(std::move(unit), shared(owing(change)), entries_of(change),
                  [this, work = std::move(work)](commit_outcome outcome) mutable {
                    // Another node has counted one of them meanwhile.
                    if (outcome == commit_outcome::duplicate_record)
                      return read_later(std::move(work), context_->clock.now() + reading_pause);
                    if_committed(std::move(work), [this](job read) { pay_what_is_owed(std::move(read)); })(outcome);
                  });
  }

  void read_later(job work, std::optional<time_point> at) {
    auto next = *row();
    next.version += 1;
    next.due_at = at;
    commit_change(unit_of(unit_kind::finish), shared(std::move(next)), {}, if_committed(std::move(work), then_view()));
  }

  std::vector<timeline_entry> entries_of(const subscription_transition& change) const {
    auto entries = change.attempts;
    for (const auto& event : change.events) {
      timeline_entry entry;
      entry.seq = event.seq;
      entry.kind = timeline_kind::event;
      entry.operation = to_string(stored_type_of(event.type));
      entry.status = "published";
      entry.occurred_at = event.occurred_at;
      entry.event_id = event.event_id;
      entry.event_data = context_->encoder.event_data(event.data);
      entries.push_back(std::move(entry));
    }
    return entries;
  }

  // ---- the payments of its cycles -----------------------------------------------------------------

  /// Sends the owed charges to their payments, one after the other, and removes those that are confirmed. The row stays
  /// due while any are left.
  void pay_what_is_owed(job work) { pay_next(std::move(work), row()->owed, 0, {}); }

  void pay_next(job work, std::vector<cycle_charge> owed, std::size_t at, std::vector<std::string> paid) {
    if (at == owed.size()) return strike_off(std::move(work), paid);
    auto by = asked_by_request(*work);
    auto charge = owed[at];
    auto payment = charge.payment;
    ask_entity(self(), router(), std::move(payment), std::move(charge), std::move(by),
               [this, work = std::move(work), owed = std::move(owed), at,
                paid = std::move(paid)](const entity_reply* reply) mutable {
                 if (reply && is_settled(owed[at], *reply)) paid.push_back(owed[at].event_id);
                 pay_next(std::move(work), std::move(owed), at + 1, std::move(paid));
               });
  }

  bool is_settled(const cycle_charge& charge, const entity_reply& reply) const {
    if (std::holds_alternative<entity_row>(reply.what)) return true;
    const auto* why = std::get_if<problem>(&reply.what);
    if (!why || *why != problem::payment_already_exists) return false;
    // Another payment already has this cycle's id. Sending the charge again would change nothing.
    log::error("cycle_payment_id_taken",
               {{"merchant", key().merchant.value}, {"subscription_id", key().id}, {"payment_id", charge.payment.id}});
    return true;
  }

  void strike_off(job work, const std::vector<std::string>& paid) {
    if (paid.empty()) return view(std::move(work));
    // If the claim is lost, the charges are sent again, and each payment records its charge once.
    commit_change(unit_of(unit_kind::finish), shared(paid_up(*row(), paid, context_->clock.now())), {},
                  if_committed(std::move(work), then_view()));
  }

  asked_for asked_by_request(const entity_job& work) { return {work.request.request_id, spans().trace()}; }

  entity_key customer_of(const platform_id& platform, std::string_view ref) const {
    return customer_key(key().merchant, key().env, platform, ref);
  }
  entity_key own_customer() const { return customer_of(row()->platform, row()->details.customer_ref); }

  std::shared_ptr<const subscription_context> context_;
};

}  // namespace

entity_spawner subscription_spawner(std::shared_ptr<const subscription_context> context) {
  return spawner_of([context = std::move(context)] { return std::make_unique<subscription_entity>(context); });
}

}  // namespace gateway::actors
