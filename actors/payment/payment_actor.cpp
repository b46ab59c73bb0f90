#include "payment_actor.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "entity/asks/entity_store.hpp"
#include "entity/provider_key.hpp"
#include "entity/queue/spawn_entity.hpp"
#include "gateway/base/log.hpp"
#include "gateway/domain/erasure.hpp"
#include "gateway/domain/sandbox_truth.hpp"
#include "payment_entity.hpp"

namespace gateway::actors {

payment_entity::payment_entity(std::shared_ptr<const payment_context> context)
    : base{payment_rules, *context}, context_{std::move(context)} {}

bool payment_entity::inserts(const entity_command& what) const {
  const auto* own = std::get_if<payment_command>(&what);
  return own && (std::holds_alternative<create_payment>(*own) || std::holds_alternative<charge_saved>(*own));
}

std::string payment_entity::event_data(const entity_row& after, std::string_view type) const {
  return context_->encoder.event_data(*std::get<payment_ptr>(after), type);
}

void payment_entity::commit_transition(entity_unit unit, transition&& change, continuation<commit_outcome> then) {
  commit_steps(std::move(unit), {&change, 1}, std::move(then));
}

/// Commits successive changes of the row, with their ledger entries and their additions to the daily totals. Moves from
/// the steps.
void payment_entity::commit_steps(entity_unit unit, std::span<transition> steps, continuation<commit_outcome> then) {
  const auto* before = row();
  std::vector<timeline_entry> entries;
  for (auto& step : steps) {
    const auto moved = movements_of(before, step.next);
    for (const auto& each : moved) unit.insert(entry_of(each, step.next, step.movement_ref));
    for (const auto& added : totals_of(before, step.next, moved))
      unit.insert(count_daily{key().merchant, key().env, added});
    for (const auto& each : step.next.records.disputes)
      if (each.id == step.about)
        unit.insert(dispute_entry{key().merchant, key().env, each.id, key().id, each.status, each.opened_at});
    for (auto& entry : step.entries) {
      // The event shows the payment as this step leaves it.
      if (entry.kind == timeline_kind::event && entry.event_data.empty())
        entry.event_data = context_->encoder.event_data(step.next, entry.operation, step.about);
      entries.push_back(std::move(entry));
    }
    before = &step.next;
  }
  auto& last = steps.back().next;
  if (row()) last.version = row()->version + 1;
  commit_change(std::move(unit), shared(std::move(last)), std::move(entries), std::move(then));
}

/// Commits a change that no client requested: from a hosted page, or because time has passed. If the command is
/// ask_provider and the payment no longer waits for its customer, the payment is then compared with the provider's
/// state: for example, the customer may have paid, and the money may have been refunded since.
void payment_entity::change_unasked(job work, transition&& change) {
  const auto* own = std::get_if<payment_command>(&work->request.what);
  const bool asks = own && std::holds_alternative<ask_provider>(*own) && !awaits_customer(change.next);
  const auto then = [this, asks](job changed) {
    asks ? compare(std::move(changed), then_view()) : view(std::move(changed));
  };
  commit_transition(unit_of(unit_kind::finish), std::move(change), if_committed(std::move(work), then));
}

/// Commits an operator's change, with the audit entry of the request.
void payment_entity::change_for_operator(job work, transition&& change) {
  auto unit = unit_of(unit_kind::finish, *work);
  commit_transition(std::move(unit), std::move(change), if_committed(std::move(work), then_view()));
}

/// A crash or an unavailable store left an operation open: ask the provider again, then continue with `work`.
void payment_entity::settle_left_open(job work) {
  log::info("operation_resumed", {{"request_id", work->request.request_id},
                                  {"trace_id", work->request.trace.trace},
                                  {"merchant", key().merchant.value},
                                  {"payment_id", key().id},
                                  {"operation", to_string(row()->open->what)}});
  ask_again(std::move(work));
}

void payment_entity::run(job work, const create_payment& wanted) { make(std::move(work), wanted, operation::create); }

void payment_entity::run(job work, const charge_saved& wanted) {
  create_payment made{wanted.amount, flow::server, false, wanted.customer, wanted.details};
  make(std::move(work), std::move(made), operation::charge);
}

void payment_entity::run(job work, const capture_payment& wanted) {
  operate(std::move(work), wanted, wanted.amount, {});
}

/// How many versions a payment may have had beyond the version in a restored database.
static constexpr std::int64_t most_forgotten_versions = 1'000;

/// The result of this command, if it made a refund that a restored database lacked and that the provider lists. The
/// provider key of the call is derived from the command and its claim. The claim's number is lost, too, so all possible
/// numbers are tried.
static std::optional<outcome> forgotten_refund(const payment& p, const refund_payment& wanted,
                                               const command_key& command) {
  const auto& all = p.records.refunds;
  const auto may_be = [&](const refund& each) {
    return !each.provider_key.empty() && (wanted.amount == 0 || wanted.amount == each.amount);
  };
  if (p.open || std::ranges::none_of(all, may_be)) return std::nullopt;
  for (std::int64_t claim = 0; claim <= p.version + most_forgotten_versions; ++claim) {
    const auto key = provider_key_of(p.key, command, claim);
    const auto made = std::ranges::find_if(all, [&](const refund& r) { return may_be(r) && r.provider_key == key; });
    if (made == all.end()) continue;
    outcome result;
    result.what = operation::refund;
    result.after = p;
    result.status = made->status == refund_status::pending ? provider_status::pending : provider_status::approved;
    result.refunded_amount = made->amount;
    result.refund_id = made->id;
    return result;
  }
  return std::nullopt;
}

/// The amount that can still be refunded may be less than the row shows, so the provider is asked first. If it does not
/// answer, the row counts, and the provider declines a refund of too much.
void payment_entity::run(job work, const refund_payment& wanted) {
  const auto refund = [this](job ready) {
    const auto& what = std::get<refund_payment>(std::get<payment_command>(ready->request.what));
    const auto asked = what;
    if (auto made =
            row() && !forbids(*ready) ? forgotten_refund(*row(), asked, ready->request.write->key) : std::nullopt)
      return begin_operation(std::move(ready), conclusion{*std::move(made)}, asked.amount, asked.reason,
                             context_->clock.now());
    operate(std::move(ready), asked, asked.amount, asked.reason);
  };
  // A comparison that is due, for example because of a dispute, runs first.
  const bool is_due = row() && row()->due_at && *row()->due_at <= context_->clock.now();
  const bool is_open_ended = wanted.amount == 0 && row() && !traits_of(row()->provider).sandbox;
  const bool asks = (is_due || is_open_ended) && !work->looked && can_be_compared(*row()) &&
                    machine::remaining(*row()) > 0 && !forbids(*work) &&
                    context_->board.state_of(row()->provider, key().env) == provider_state::ready;
  // Without a free slot there is no comparison, and the refund is refused like any other operation.
  if (!asks || !take_slot(row()->provider)) return refund(std::move(work));
  work->looked = true;
  lookup_key(std::move(work), [this, refund](job fresh) { compare(std::move(fresh), refund); });
}

void payment_entity::run(job work, const void_payment& wanted) { operate(std::move(work), wanted, 0, wanted.reason); }

void payment_entity::run(job work, const cancel_payment& wanted) { operate(std::move(work), wanted, 0, wanted.reason); }

void payment_entity::run(job work, const hosted_result& seen) { take_hosted_result(std::move(work), seen); }

void payment_entity::run(job work, const cycle_charge& charge) { take_cycle(std::move(work), charge); }

void payment_entity::run(job work, const ask_provider&) { ask(std::move(work)); }

void payment_entity::run(job work, const settle_payment& wanted) {
  if (!row()) return fail(*work, payment_rules.not_found);
  auto change = settle_as(*row(), wanted, context_->clock.now(), context_->timing());
  if (!change) return fail(*work, problem::nothing_to_settle);
  // The reference of a sandbox's charge is derived from the key of its call. The payment needs it to be compared.
  if (const auto& open = row()->open; open && row()->provider_ref.empty() && traits_of(row()->provider).sandbox)
    change->next.provider_ref = sandbox_reference("ch_", provider_key_of(key(), open->command, open->claim));
  change_for_operator(std::move(work), *std::move(change));
}

void payment_entity::run(job work, const record_refund& wanted) {
  if (!row()) return fail(*work, payment_rules.not_found);
  auto decided = decide(*row(), wanted, context_->clock.now());
  if (const auto* why = std::get_if<problem>(&decided)) return fail(*work, *why);
  change_for_operator(std::move(work), std::get<transition>(std::move(decided)));
}

/// The act is durable before its consequences, as it would be at a provider. After a crash the reconciler compares the
/// payment.
void payment_entity::run(job work, const act_in_sandbox& wanted) {
  if (!row()) return fail(*work, payment_rules.not_found);
  if (row()->open) return fail(*work, problem::payment_outcome_pending);
  if (!traits_of(row()->provider).sandbox || !can_happen(*row(), wanted.what))
    return fail(*work, problem::impossible_at_provider);
  transition change{*row(), {}, {}};
  const auto now = context_->clock.now();
  change.next.version += 1;
  change.next.due_at = now;
  change.next.records.acts.push_back(wanted.what);
  change.next.records.acts.back().at = now;
  auto unit = unit_of(unit_kind::finish, *work);
  unit.insert(sandbox_event{key().merchant, key().env, sandbox_event_id(key(), change.next.records.acts.size()),
                            row()->provider, key().id, wanted.what.what, now});
  commit_transition(std::move(unit), std::move(change),
                    if_committed(std::move(work), [this](job acted) { compare(std::move(acted), then_view()); }));
}

/// The claim increases the row's version. So an actor on another node, with the old data in memory, loses its next
/// claim and cannot write them again.
void payment_entity::run(job work, const erase_payment_data& wanted) {
  if (!row()) return fail(*work, payment_rules.not_found);
  if (obstacle_to_erasure(*row()) != erasure_obstacle::none) return fail(*work, problem::payment_outcome_pending);
  if (row()->version != wanted.what.version) return fail(*work, problem::request_in_progress);
  auto next = without_personal_data(*row());
  next.version += 1;
  const auto erased = shared(std::move(next));
  auto unit = unit_of(unit_kind::finish);
  unit.claim(replace_details{erased});
  unit.claim(wanted.what);
  commit_change(std::move(unit), erased, {},
                if_committed(std::move(work), [this](job done) { answer_after_erasure(std::move(done)); }));
}

template <class Command>
void payment_entity::operate(job work, const Command& wanted, std::int64_t amount, std::string reason) {
  if (!row()) return fail_unless_key_is_known(std::move(work), payment_rules.not_found);
  if (const auto why = forbids(*work)) return fail_unless_key_is_known(std::move(work), *why);
  const auto now = context_->clock.now();
  auto decided = decide(*row(), wanted, work->request.write->key, now, context_->timing());
  begin_operation(std::move(work), std::move(decided), amount, std::move(reason), now);
}

void payment_entity::begin_operation(job work, decision decided, std::int64_t amount, std::string reason,
                                     time_point now) {
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
    begun->owns_operation = true;
    call_provider(std::move(begun), false);
  });
}

/// The customer acted on a hosted page, or was sent from it to the provider's.
void payment_entity::take_hosted_result(job work, const hosted_result& seen) {
  if (!row()) return fail(*work, payment_rules.not_found);
  if (seen.provider_ref != row()->provider_ref) return view(std::move(work));
  const auto now = context_->clock.now();
  auto change = seen.signal == hosted_signal::sent ? hand_over(*row(), now, context_->timing())
                                                   : settle_hosted(*row(), seen.signal, now, seen.fresh_method);
  if (!change) return view(std::move(work));
  report_to_customer_first(std::move(work), *std::move(change), &payment_entity::change_unasked);
}

/// A subscription sends the outcome of an attempt at a cycle, and repeats it until it is answered with the row.
void payment_entity::take_cycle(job work, const cycle_charge& charge) {
  if (row() || work->attempts == 0) return record_cycle(std::move(work), charge);
  // The insert was refused although no row has the id. Either this cycle's payment was purged, and is not created
  // again; or two nodes drew the same delivery number, and the next attempt draws another.
  find_purged(self(), reader(), key(),
              [this, work = std::move(work), charge](const purged_payment_lookup* found) mutable {
                if (!found) return fail(*work, problem::store_unavailable);
                if (found->was_purged) return fail(*work, payment_rules.already_exists);
                record_cycle(std::move(work), charge);
              });
}

void payment_entity::record_cycle(job work, const cycle_charge& charge) {
  std::optional<payment> stands;
  if (row()) stands = *row();
  auto change = settle_cycle(stands, charge, context_->clock.now());
  if (!change) return fail(*work, payment_rules.already_exists);
  auto& entry = change->entries.back();
  entry.event_data = context_->encoder.event_data(as_reported(change->next, charge), entry.operation);
  auto unit = unit_of(unit_kind::finish);
  unit.insert(counted_event{key().merchant, key().env, charge.event_id});
  commit_transition(std::move(unit), *std::move(change), if_committed(std::move(work), then_view()));
}

entity_spawner payment_spawner(std::shared_ptr<const payment_context> context) {
  return spawner_of([context = std::move(context)] { return std::make_unique<payment_entity>(context); });
}

}  // namespace gateway::actors
