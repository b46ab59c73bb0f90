// The creation of a payment: its customer, its route, and the standing of the merchant's accounts.

#include <algorithm>
#include <iterator>
#include <utility>

#include "customer/ask_customer.hpp"
#include "entity/asks/provider_calls.hpp"
#include "payment_entity.hpp"

namespace gateway::actors {

/// Creates the payment. If it has a customer, the customer is read first.
void payment_entity::make(job work, create_payment wanted, operation what) {
  if (row()) return fail_unless_key_is_known(std::move(work), payment_rules.already_exists);
  if (!wanted.customer || wanted.customer->platform.empty())
    return create(std::move(work), creation{std::move(wanted), what});
  auto customer = customer_of(wanted.customer->platform, wanted.customer->ref);
  auto by = asked_by_request(*work);
  read_customer(self(), router(), std::move(customer), std::move(by),
                [this, work = std::move(work), wanted = std::move(wanted), what](const customer_seen& seen) mutable {
                  if (seen.failed) return fail(*work, *seen.failed);
                  create_for(std::move(work), creation{std::move(wanted), what}, seen.known);
                });
}

void payment_entity::create_for(job work, creation&& making, const customer_ptr& known) {
  auto who = payer_of(*making.wanted.customer, making.wanted.details.payment_method, known.get());
  if (const auto* why = std::get_if<problem>(&who)) return fail_unless_key_is_known(std::move(work), *why);
  auto& payer = std::get<gateway::payer>(who);
  making.wanted.details.payment_method = std::move(payer.payment_method);
  making.customer = std::move(payer.customer);
  making.keeper = payer.keeper;
  making.known = known;
  create(std::move(work), std::move(making));
}

void payment_entity::create(job work, creation&& making) {
  if (const auto why = forbids(*work)) return fail_unless_key_is_known(std::move(work), *why);
  const auto who = context_->merchants.find_merchant(key().merchant);
  if (!who) return fail_unless_key_is_known(std::move(work), problem::merchant_not_charge_capable);
  auto way = choose_route(*who, key().env, making.wanted, context_->board.states_in(key().env), making.keeper);
  if (const auto* why = std::get_if<problem>(&way)) {
    if (*why == problem::merchant_not_charge_capable) return look_up_accounts(std::move(work), std::move(making), *who);
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
    call_by_name(*made.customer, *making.known, making.wanted.details.payment_method, chosen.provider, chosen.account);
  const auto begun = shared(std::move(made));
  auto unit = unit_of(unit_kind::begin);
  unit.reserve_inserts(2);
  unit.insert(record_of(*work, to_string(making.what), making.wanted.amount.minor, {}, now));
  unit.insert(begun);
  commit_command(std::move(work), std::move(unit), begun, [this](job begun_job) {
    begun_job->owns_operation = true;
    begin_timeline();
    call_provider(std::move(begun_job), false);
  });
}

/// The merchant cannot be charged according to its published connections. Its owner may have just finished the
/// onboarding at a provider, before the notification arrived, so the providers are asked.
void payment_entity::look_up_accounts(job work, creation&& making, const merchant& who) {
  std::vector<connection> unfinished;
  if (!std::exchange(making.has_looked_up, true))
    std::ranges::copy_if(who.connections, std::back_inserter(unfinished), [this](const connection& at) {
      return at.env == key().env && at.status == connection_status::in_progress && !at.account.empty() &&
             !traits_of(at.provider).sandbox && context_->board.state_of(at.provider, at.env) == provider_state::ready;
    });
  if (!unfinished.empty()) return look_up_account(std::move(work), std::move(making), std::move(unfinished));
  fail_unless_key_is_known(std::move(work), who.connections_unreadable ? problem::account_lookup_failed
                                                                       : problem::merchant_not_charge_capable);
}

/// Asks about these accounts, the last one first, until one can be charged.
void payment_entity::look_up_account(job work, creation&& making, std::vector<connection> unfinished) {
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
            at = std::move(at)](const account_answer* account) mutable {
             if (!account) return fail_unless_key_is_known(std::move(work), problem::account_lookup_failed);
             const bool known = account->standing != account_standing::unknown;
             spans().called(asking, at.provider, "account",
                            known ? provider_status::approved : provider_status::unknown, account->error);
             slot_.reset();
             if (!known) return fail_unless_key_is_known(std::move(work), problem::account_lookup_failed);
             if (account->standing != account_standing::ready)
               return look_up_account(std::move(work), std::move(making), std::move(unfinished));
             publish_ready(std::move(work), std::move(making), at);
           });
}

/// Publishes the account as ready before the payment's route is chosen.
void payment_entity::publish_ready(job work, creation&& making, const connection& at) {
  ask_directory(
      self(), context_->operators,
      follow_account{key().merchant, at.env, at.provider, at.account, account_standing::ready},
      [this, work = std::move(work), making = std::move(making)](const operator_result* done, bool overloaded) mutable {
        if (done) return create(std::move(work), std::move(making));
        fail_unless_key_is_known(std::move(work), overloaded ? problem::overloaded : problem::store_unavailable);
      });
}

}  // namespace gateway::actors
