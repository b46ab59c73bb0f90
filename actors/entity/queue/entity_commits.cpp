// Durable steps of an entity, and the handling of each commit outcome.

#include <memory>
#include <utility>

#include "entity/asks/entity_store.hpp"
#include "entity/outbox.hpp"
#include "entity_queue.hpp"
#include "gateway/base/crypto.hpp"
#include "gateway/domain/timed_id.hpp"
#include "row_facts.hpp"

namespace gateway::actors {

entity_unit entity_queue::unit_of(unit_kind kind, const entity_job& work) const {
  auto unit = unit_of(kind);
  if (work.request.note) unit.insert(*work.request.note, any_row());
  return unit;
}

command_record entity_queue::record_of(const entity_job& work, std::string_view what, std::int64_t amount,
                                       std::string reason, time_point now) const {
  const auto& write = *work.request.write;
  return {write.key,
          write.fingerprint,
          std::string{what},
          std::string{to_string(key_.kind)},
          key_.id,
          amount,
          std::move(reason),
          now,
          std::nullopt,
          std::nullopt,
          work.request.request_id};
}

void entity_queue::commit(entity_unit unit, continuation<commit_outcome> then) {
  memory_.begin_commit();
  commit_unit(self_, context_.store.writer_for(key_), std::move(unit), spans_, std::move(then));
}

/// Call after the commit.
void entity_queue::won(entity_row&& row) {
  memory_.learn_committed(std::move(row), monotonic_now());
  known();
}

void entity_queue::commit_command(job work, entity_unit unit, entity_row next, next_step then) {
  const bool begins = unit.kind() == unit_kind::begin;
  commit(std::move(unit), [this, begins, sent_at = monotonic_now(), work = std::move(work), next = std::move(next),
                           then = std::move(then)](commit_outcome outcome) mutable {
    switch (outcome) {
      case commit_outcome::committed:
        won(std::move(next));
        if (begins && slept_since(sent_at)) return again(std::move(work), true);
        return then(std::move(work));
      case commit_outcome::duplicate_command: return answer_from_store(std::move(work));
      // The key was free (a taken key is reported before this), so no answer is stored under it.
      case commit_outcome::entity_exists: return fail(*work, rules_.already_exists);
      case commit_outcome::lost_claim: return after_lost_claim(std::move(work));
      default: return not_committed(*work, outcome);
    }
  });
}

void entity_queue::conclude_at_once(job work, command_record record, answer reply, time_point now) {
  conclude_with(std::move(work), std::move(record), std::move(reply), with_next_version(any_row()), now);
}

void entity_queue::conclude_with(job work, command_record record, answer reply, entity_row next, time_point now) {
  auto result = std::make_shared<const answer>(std::move(reply));
  record.result = *result;
  record.finished_at = now;
  auto unit = unit_of(unit_kind::conclude, *work);
  unit.insert(std::move(record));
  put(unit, next);
  commit_command(std::move(work), std::move(unit), std::move(next),
                 [this, result = std::move(result)](job done) mutable { finish_with(*done, std::move(result)); });
}

void entity_queue::commit_without_key(job work, entity_row next) {
  auto unit = unit_of(unit_kind::conclude, *work);
  commit_without_key(std::move(work), std::move(unit), std::move(next));
}

void entity_queue::commit_without_key(job work, entity_unit unit, entity_row next) {
  put(unit, next);
  commit(std::move(unit), if_committed(std::move(work), [this, next = std::move(next)](job done) mutable {
           won(std::move(next));
           view(std::move(done));
         }));
}

/// The first version of a row is inserted, every later one is claimed.
void entity_queue::put(entity_unit& unit, const entity_row& row) const {
  if (rules_.is_published && context_.nodes.clustered())
    unit.insert(directory_change{directory_change::kind::merchant, key_.merchant.value});
  if (version_of(row) == 1)
    unit.insert(row);
  else
    unit.claim(row);
}

void entity_queue::commit_change(entity_unit unit, entity_row next, std::vector<timeline_entry> entries,
                                 continuation<commit_outcome> then) {
  // An event from a provider's notification already has an id, so that a repeated notification adds no second event.
  for (auto& entry : entries)
    if (entry.kind == timeline_kind::event) {
      if (entry.event_id.empty()) entry.event_id = timed_id("evt_", entry.occurred_at, crypto::random_hex(10));
      if (entry.event_data.empty()) entry.event_data = event_data(next, entry.operation);
    }
  auto outbox = deliveries_of(key_, next, entries, context_);
  for (auto& to_send : outbox.jobs) to_send.trace = spans_.trace();
  unit.reserve_inserts(entries.size() + outbox.jobs.size() + 1);
  for (const auto& entry : entries) unit.insert(entry);
  for (const auto& to_send : outbox.jobs) unit.insert(to_send.row);
  put(unit, next);
  commit(std::move(unit), [this, next = std::move(next), entries = std::move(entries), outbox = std::move(outbox),
                           then = std::move(then)](commit_outcome outcome) mutable {
    if (outcome == commit_outcome::committed) {
      won(std::move(next));
      memory_.add_to_timeline(std::move(entries));
      if (!outbox.jobs.empty()) self_->send(context_.dispatcher, std::move(outbox));
    }
    then(outcome);
  });
}

continuation<commit_outcome> entity_queue::if_committed(job work, next_step then) {
  return [this, work = std::move(work), then = std::move(then)](commit_outcome outcome) mutable {
    switch (outcome) {
      case commit_outcome::committed: return then(std::move(work));
      case commit_outcome::duplicate_record: return view(std::move(work));
      case commit_outcome::entity_exists: return again(std::move(work), true);
      case commit_outcome::lost_claim: return after_lost_claim(std::move(work), true);
      default: return not_committed(*work, outcome);
    }
  };
}

next_step entity_queue::then_view() {
  return [this](job work) { view(std::move(work)); };
}

void entity_queue::claim_to_ask_again(job work, next_step then) {
  if (is_of_sandbox(any_row())) return then(std::move(work));
  commit_change(
      unit_of(unit_kind::finish), with_next_version(any_row()), {},
      if_committed(std::move(work), [this, then = std::move(then), sent_at = monotonic_now()](job claimed) mutable {
        if (slept_since(sent_at)) return again(std::move(claimed), true);
        then(std::move(claimed));
      }));
}

void entity_queue::after_finish(job work, const command_key& finished_key, answer_ptr reply, commit_outcome outcome) {
  // A request with the same key that did not begin this operation may be a different request: the stored record shows
  // whether it is.
  const bool own = work->owns_operation && work->request.write->key == finished_key;
  if (outcome == commit_outcome::committed) {
    if (own) return finish_with(*work, std::move(reply));
    // These commands need the open operation settled, whatever its outcome.
    const auto& what = work->request.what;
    const auto* of_payment = std::get_if<payment_command>(&what);
    const bool asks = of_payment && std::holds_alternative<ask_provider>(*of_payment);
    if (is_common<settle_due>(what) || asks) {
      context_.meters.settled.Increment();
      // ask_provider also continues once the outcome is known: it then compares the payment.
      if (!asks || operation_on(any_row())) return view(std::move(work));
    }
    return step(std::move(work));
  }
  // Another owner settled this operation: its outcome and the answer are in the store.
  if (outcome == commit_outcome::lost_claim)
    return own ? answer_from_store(std::move(work)) : after_lost_claim(std::move(work));
  not_committed(*work, outcome);
}

void entity_queue::answer_after_erasure(job work) {
  entity_reply changed{any_row()};
  recent_ = {};
  forget();
  deliver(*work, std::move(changed));
}

void entity_queue::not_committed(entity_job& work, commit_outcome outcome) {
  forget();
  if (outcome == commit_outcome::rejected) {
    context_.meters.shed("store_queue").Increment();
    return fail(work, problem::overloaded);
  }
  const auto until = context_.doubt.raise(monotonic_now());
  memory_.doubt(until);
  left_in_doubt(until);
  remember_to_settle();
  fail(work, problem::store_unavailable);
}

}  // namespace gateway::actors
