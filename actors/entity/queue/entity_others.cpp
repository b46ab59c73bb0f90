// Other nodes: what one of them has under way is waited for, and what this one may have left open is settled here.

#include <chrono>
#include <utility>

#include "entity_queue.hpp"
#include "row_facts.hpp"

namespace gateway::actors {

namespace {

constexpr std::chrono::milliseconds pause_for_other{50};
constexpr std::chrono::seconds longest_work_of_store{10};
constexpr std::chrono::seconds pause_before_settling{1};

}  // namespace

void entity_queue::look_again() {
  if (waits_for_other_) {
    forget();
    step(std::exchange(waits_for_other_, nullptr));
  } else if (leaves_open_) {
    settle_own();
  }
}

/// Another node has the operation under way, and lives: it answers whoever asked for it. A request of another key waits
/// for its end, as it would for one of this actor's.
void entity_queue::leave_to_other(job work) {
  const auto now = monotonic_now();
  const auto& write = work->request.write;
  if (is_common<settle_due>(work->request.what)) {
    // It is due when that node should have been done with it long ago.
    const auto due_at = due_at_of(any_row());
    const bool is_due = due_at && *due_at <= context_.clock.now();
    return is_due ? settle_left_open(std::move(work)) : view(std::move(work));
  }
  if (write && write->key == *operation_on(any_row())->command) {
    work->attempts = most_attempts;  // whatever is stored of the key, this row is not read again for it
    return fail_unless_key_is_known(std::move(work), problem::request_in_progress);
  }
  if (!work->waits_until) work->waits_until = now + context_.config.provider_timeout;
  if (now >= *work->waits_until) return fail(*work, write ? problem::request_in_progress : problem::overloaded);
  waits_for_other_ = std::move(work);
  self_->delayed_send(self_, pause_for_other, wake_atom::value);
}

void entity_queue::remember_to_settle() {
  if (rules_.calls_providers && context_.nodes.clustered() && !std::exchange(leaves_open_, true))
    self_->delayed_send(self_, pause_before_settling, wake_atom::value);
}

/// As the reconciler would, but now. Nobody waits for the answer.
void entity_queue::settle_own() {
  if (busy_ || !context_.nodes.serves()) return self_->delayed_send(self_, pause_before_settling, wake_atom::value);
  leaves_open_ = false;
  step(
      std::make_unique<entity_job>(entity_request{key_, std::nullopt, common_command{settle_due{}}}, entity_promise{}));
}

/// Nothing takes the store so long, unless it is in trouble or this node was stopped. Among others, one of them may
/// have settled meanwhile what was open, so long ago that the provider has forgotten its key.
bool entity_queue::slept_since(caf::actor_clock::time_point moment) const {
  return context_.nodes.clustered() && monotonic_now() - moment > longest_work_of_store;
}

}  // namespace gateway::actors
