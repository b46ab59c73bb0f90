// Idempotency: a request whose key is known gets the same answer again.

#include <memory>
#include <utility>

#include "entity/asks/entity_store.hpp"
#include "entity_queue.hpp"

namespace gateway::actors {

/// Looks the key up in memory: an answer to replay, a request in progress, or nothing.
std::optional<entity_reply> entity_queue::answer_from_memory(const idempotency& write) {
  const auto in_use = [&](const std::string& fingerprint) {
    return entity_reply{fingerprint == write.fingerprint ? problem::request_in_progress
                                                         : problem::idempotency_key_reused};
  };
  if (running_ && running_->key == write.key) return in_use(running_->fingerprint);
  for (const auto& other : waiting_)
    if (other->request.write && other->request.write->key == write.key && &*other->request.write != &write)
      return in_use(other->request.write->fingerprint);
  const auto* past = recent_.find(write.key, context_.nodes);
  if (!past) return std::nullopt;
  if (past->write.fingerprint != write.fingerprint) return entity_reply{problem::idempotency_key_reused};
  context_.meters.replays.Increment();
  return entity_reply{finished{past->result, true}};
}

/// The first request with this key may still wait for other nodes to publish the change, so its repeats also wait.
caf::result<entity_reply> entity_queue::answer_known(entity_request& request, entity_reply&& known) {
  if (!rules_.is_published) return std::move(known);
  entity_job repeated{std::move(request), self_->make_response_promise<entity_reply>()};
  auto promise = repeated.promise;
  answer_to(repeated, std::move(known));
  return promise;
}

void entity_queue::fail_unless_key_is_known(job work, problem why) {
  lookup_key(std::move(work), [this, why](job failed) { fail(*failed, why); });
}

void entity_queue::lookup_key(job work, next_step absent) {
  const auto& key = work->request.write->key;
  find_record(self_, reader(), key,
              [this, work = std::move(work), absent = std::move(absent)](command_lookup* record) mutable {
                if (!record) return fail(*work, problem::store_unavailable);
                if (!record->found) return absent(std::move(work));
                answer_from_record(std::move(work), *record->found);
              });
}

/// The key is taken: the store has its first request, and the result if there is one. That request may have changed the
/// row.
void entity_queue::answer_from_store(job work) {
  forget();
  // If the key has been purged between the two reads, it is free again.
  lookup_key(std::move(work), [this](job free_again) { again(std::move(free_again)); });
}

void entity_queue::answer_from_record(job work, const command_record& record) {
  if (record.fingerprint != work->request.write->fingerprint) return fail(*work, problem::idempotency_key_reused);
  if (record.result) {
    auto result = std::make_shared<const answer>(*record.result);
    if (!rules_.reads_before_replay) return replay(*work, std::move(result));
    return read_row(std::move(work), [this, result](job loaded) { replay(*loaded, result); });
  }
  // There is no result yet. If the operation is open on this entity, this actor does not run it: a crash left it open,
  // or its unanswered commit took effect. Read the row, settle the open operation, then answer from the result.
  const bool mine = record.subject_kind == to_string(key_.kind) && record.subject_id == key_.id;
  if (mine && work->attempts < most_attempts) return again(std::move(work), true);
  fail(*work, problem::request_in_progress);
}

void entity_queue::replay(entity_job& work, answer_ptr result) {
  recent_.keep(*work.request.write, result, context_.nodes);
  context_.meters.replays.Increment();
  deliver(work, entity_reply{finished{std::move(result), true}});
}

void entity_queue::finish_with(entity_job& work, answer_ptr result) {
  recent_.keep(*work.request.write, result, context_.nodes);
  deliver(work, entity_reply{finished{std::move(result), false}});
}

}  // namespace gateway::actors
