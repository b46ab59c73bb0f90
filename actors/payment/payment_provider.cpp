// Calls and inquiries to a payment's provider, and the storage of their outcome.

#include <utility>

#include "customer/ask_customer.hpp"
#include "entity/asks/provider_calls.hpp"
#include "entity/provider_key.hpp"
#include "gateway/base/log.hpp"
#include "payment_entity.hpp"

namespace gateway::actors {

namespace {

/// The result of charging a method that is not saved. The provider is not called.
provider_result not_saved_result() {
  provider_result result;
  result.status = provider_status::declined;
  result.error = provider_error{error_category::validation, "payment_method_not_found",
                                "No such payment method is saved for the customer.", false, false};
  return result;
}

}  // namespace

/// The reconciler found the payment due: an operation without an outcome, or an abandoned hosted page.
void payment_entity::on_due(job work) {
  if (!row()) return fail(*work, payment_rules.not_found);
  const auto now = context_->clock.now();
  if (asks_again(*row(), now, context_->timing())) return ask_again(std::move(work));
  const auto step = due_step(*row(), now, context_->timing());
  if (step == wait_step::compare) return compare(std::move(work), then_view());
  // While the clock is untrusted the checkout stays open: it can still be paid, and expires later.
  if (step == wait_step::none || !context_->watch.trusted_now(monotonic_now())) return view(std::move(work));
  inquire(std::move(work), step == wait_step::close);
}

/// The payment may have changed at the provider. Only the provider's answer to an inquiry is trusted.
void payment_entity::ask(job work) {
  if (!row()) return fail(*work, payment_rules.not_found);
  if (row()->open) return ask_again(std::move(work));
  if (!awaits_customer(*row())) return compare(std::move(work), then_view());
  // The gateway serves a sandbox's pages, so the row already has every result of them.
  if (traits_of(row()->provider).sandbox) return view(std::move(work));
  inquire(std::move(work), false);
}

/// Asks the provider for the state of a payment that waits for its customer. No durable step is needed first: the
/// inquiry moves no money, and closing a checkout is idempotent.
void payment_entity::inquire(job work, bool closes) {
  occupy_slot();
  const auto asking = spans().begin_call();
  ask_gate(self(), gate_of(row()->provider), provider_inquiry{*row(), closes, false, asking.where},
           [this, work = std::move(work), closes, asking](const provider_result* answer) mutable {
             // The gate has ended. The payment stays due.
             if (!answer) return fail(*work, problem::store_unavailable);
             spans().called(asking, row()->provider, closes ? "close" : "look", answer->status, answer->error);
             auto change = settle_wait(*row(), *answer, closes, context_->clock.now(), context_->timing());
             if (!change) return view(std::move(work));
             if (machine::has_outlived_its_end(change->next) && !machine::has_outlived_its_end(*row()))
               log::warn("checkout_outcome_unknown", {{"merchant", key().merchant.value},
                                                      {"payment_id", key().id},
                                                      {"provider", to_string(row()->provider)}});
             report_to_customer_first(std::move(work), *std::move(change), &payment_entity::change_unasked);
           });
}

/// False if the merchant has used up its share of slots. Then no operation may begin.
bool payment_entity::take_slot(provider_kind kind) {
  if (!slot_) slot_ = context_->slots.take(kind, key().env, key().merchant);
  return slot_ != nullptr;
}

/// If the key already has a result, or belongs to another request, that is answered, because neither answer needs a
/// slot. The store is asked only now, because most requests get a slot and have new keys.
void payment_entity::fail_for_want_of_a_slot(job work) {
  lookup_key(std::move(work), [this](job refused) {
    context_->meters.shed("provider").Increment();
    fail(*refused, problem::overloaded);
  });
}

void payment_entity::ask_again(job work) {
  occupy_slot();
  claim_to_ask_again(std::move(work), [this](job claimed) { call_provider(std::move(claimed), true); });
}

/// Calls the provider for the operation that is open on the row. The caller has taken a slot.
void payment_entity::call_provider(job work, bool asked_again) {
  work->request.admission.reset();
  const auto& open = *row()->open;
  if (open.what == operation::charge && !row()->customer->charges_saved)
    return finish(std::move(work), not_saved_result());
  if (open.what == operation::cancel) return close_checkout(std::move(work));
  provider_call call;
  call.provider_key = provider_key_of(key(), open.command, open.claim);
  call.what = machine::creates(open.what) ? operation::create : open.what;
  call.by_sdk = open.what == operation::charge;
  if (machine::creates(open.what) && row()->customer && row()->customer->provider_id.empty())
    call.customer_key = provider_key_of_customer(customer_entity(), row()->customer->generation);
  call.asked_again = asked_again;
  call.amount = open.amount;
  call.subject = *row();
  call.begun_at = open.begun_at;
  call.age_known = !asked_again || context_->watch.trusted_now(monotonic_now()).has_value();
  const auto what = call.what;
  const auto calling = spans().begin_call();
  call.trace = calling.where;
  ask_gate(self(), gate_of(row()->provider), std::move(call), finishing(std::move(work), calling, what));
}

/// Asks the provider to accept no more payment, for a client's cancel. Repeating it is safe.
void payment_entity::close_checkout(job work) {
  const auto calling = spans().begin_call();
  ask_gate(self(), gate_of(row()->provider), provider_inquiry{*row(), true, false, calling.where},
           finishing(std::move(work), calling, operation::cancel));
}

continuation<const provider_result*> payment_entity::finishing(job work, const provider_span& calling, operation what) {
  return [this, work = std::move(work), calling, what](const provider_result* result) mutable {
    if (!result) {
      // The gate has ended. Whether the call was sent is unknown.
      provider_error error{error_category::internal, "provider_unreachable", "The provider's answer was lost.", true,
                           true};
      return finish(std::move(work), provider_result{provider_status::unknown, {}, {}, std::move(error)});
    }
    spans().called(calling, row()->provider, to_string(what), result->status, result->error);
    finish(std::move(work), *result);
  };
}

void payment_entity::finish(job work, const provider_result& result) {
  auto change = conclude(*row(), result, context_->clock.now(), context_->timing());
  const bool gone = names_unknown_customer(result.error) && row()->customer && !row()->customer->provider_id.empty();
  if (!gone) return report_to_customer_first(std::move(work), std::move(change), &payment_entity::store_outcome);
  // The provider no longer has the customer, and its notification about that was lost or is still to come. The next
  // payment creates the customer again.
  report_to_customer_first(std::move(work),
                           forget_at_provider{row()->provider, row()->account, row()->customer->provider_id, {}},
                           [this, change = std::move(change)](job reported) mutable {
                             store_outcome(std::move(reported), std::move(change));
                           });
}

void payment_entity::store_outcome(job work, transition&& change) {
  const auto now = context_->clock.now();
  const auto& open = *row()->open;
  const auto command = open.command;
  auto unit = unit_of(unit_kind::finish);
  answer_ptr reply;
  if (!open.answered) {
    reply = std::make_shared<const answer>(context_->encoder.encode(change.result));
    unit.claim(command_finish{command, reply, now});
  }
  // A sandbox may change the payment right after its call, for example by a dispute. The client then receives its
  // answer after the comparison.
  const bool follows = traits_of(change.next.provider).sandbox && change.next.due_at && *change.next.due_at <= now &&
                       can_be_compared(change.next);
  commit_transition(
      std::move(unit), std::move(change),
      [this, work = std::move(work), reply = std::move(reply), command, follows](commit_outcome outcome) mutable {
        if (!follows || outcome != commit_outcome::committed)
          return after_finish(std::move(work), command, std::move(reply), outcome);
        work->looked = true;
        compare(std::move(work), [this, reply = std::move(reply), command](job compared) {
          after_finish(std::move(compared), command, reply, commit_outcome::committed);
        });
      });
}

/// First stores the change's data about the customer in the customer's row, then continues with `then`. If that fails,
/// no part of the change is stored: the operation stays open, and its provider is asked again.
void payment_entity::report_to_customer_first(job work, transition&& change, after_customer then) {
  auto report = update_of(*row(), change.next);
  if (!report) return (this->*then)(std::move(work), std::move(change));
  report_to_customer_first(std::move(work), std::move(report),
                           [this, change = std::move(change), then](job reported) mutable {
                             (this->*then)(std::move(reported), std::move(change));
                           });
}

void payment_entity::report_to_customer_first(job work, std::optional<customer_command> report, next_step then) {
  if (!report) return then(std::move(work));
  const auto* recording = std::get_if<record_customer>(&*report);
  auto customer = recording ? customer_of(recording->platform, recording->ref) : customer_entity();
  auto by = asked_by_request(*work);
  report_to_customer(self(), router(), std::move(customer), *std::move(report), std::move(by),
                     [this, work = std::move(work), then = std::move(then)](const customer_seen& seen) mutable {
                       if (!seen.failed) return then(std::move(work));
                       forget();
                       remember_to_settle();
                       fail(*work, *seen.failed);
                     });
}

}  // namespace gateway::actors
