#include "payment_actor.hpp"

#include <utility>

#include "entity/queue/spawn_entity.hpp"
#include "gateway/base/log.hpp"
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

/// Commits a change of the row with its ledger entries and its additions to the totals of the day.
void payment_entity::commit_transition(entity_unit unit, transition change, continuation<commit_outcome> then) {
  const auto moved = movements_of(row(), change.next);
  for (const auto& each : moved) unit.insert(entry_of(each, change.next, change.movement_ref));
  for (const auto& added : totals_of(row(), change.next, moved))
    unit.insert(count_daily{key().merchant, key().env, added});
  commit_change(std::move(unit), shared(std::move(change.next)), std::move(change.entries), std::move(then));
}

/// Commits a change that no client requested: from a hosted page, or because time has passed.
void payment_entity::change_unasked(job work, transition change) {
  commit_transition(unit_of(unit_kind::finish), std::move(change), if_committed(std::move(work), then_view()));
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

void payment_entity::run(job work, const refund_payment& wanted) {
  operate(std::move(work), wanted, wanted.amount, wanted.reason);
}

void payment_entity::run(job work, const void_payment& wanted) { operate(std::move(work), wanted, 0, wanted.reason); }

void payment_entity::run(job work, const cancel_payment& wanted) { operate(std::move(work), wanted, 0, wanted.reason); }

void payment_entity::run(job work, const hosted_result& seen) { take_hosted_result(std::move(work), seen); }

void payment_entity::run(job work, const cycle_charge& charge) { take_cycle(std::move(work), charge); }

void payment_entity::run(job work, const ask_provider&) { ask(std::move(work)); }

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

/// The customer acted on a hosted page.
void payment_entity::take_hosted_result(job work, const hosted_result& seen) {
  if (!row()) return fail(*work, payment_rules.not_found);
  if (seen.provider_ref == row()->provider_ref)
    if (auto change = settle_hosted(*row(), seen.signal, context_->clock.now(), seen.fresh_method))
      return report_to_customer_first(std::move(work), *std::move(change), &payment_entity::change_unasked);
  view(std::move(work));
}

/// A subscription sends the outcome of an attempt at a cycle, and repeats it until it is answered with the row.
void payment_entity::take_cycle(job work, const cycle_charge& charge) {
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
