// Other nodes: requests for an entity with an operation that another node runs, and settling operations that this node
// may have left open.

#include <chrono>
#include <string_view>
#include <utility>

#include "entity/asks/entity_asks.hpp"
#include "entity_queue.hpp"
#include "gateway/base/log.hpp"
#include "row_facts.hpp"

namespace gateway::actors {

namespace {

constexpr std::chrono::milliseconds pause_for_other{50};
constexpr std::chrono::seconds longest_work_of_store{10};
constexpr std::chrono::seconds pause_before_settling{1};

}  // namespace

void entity_queue::on_wake() {
  if (phase_ == queue_phase::suspended) {
    forget();
    enter(queue_event::resume);
    step(std::exchange(suspended_, nullptr));
  } else if (leaves_open_) {
    settle_own();
  }
}

/// Another live node runs the operation and answers its client. A request with another key is passed to that node,
/// where it waits in the queue of the actor that runs the operation. A request without a key is not, because nothing
/// would prevent its second execution if that node's answer is lost.
void entity_queue::leave_to_other(job work) {
  const auto& write = work->request.write;
  if (is_common<settle_due>(work->request.what)) {
    // The operation is due only if that node should have finished it long ago.
    const auto due_at = due_at_of(any_row());
    const bool is_due = due_at && *due_at <= context_.clock.now();
    return is_due ? settle_left_open(std::move(work)) : view(std::move(work));
  }
  // The client of a request that was passed has sent it once, so it gets the result of the other node's execution.
  if (!write || work->passed) return wait_for_other(std::move(work));
  const auto open = *operation_on(any_row());
  if (write->key == *open.command) {
    work->attempts = most_attempts;  // so that this request does not read the row again
    return fail_unless_key_is_known(std::move(work), problem::request_in_progress);
  }
  if (const auto other = context_.others ? context_.others->to(*open.node) : node_link{})
    return pass_to(other, std::move(work));
  wait_for_other(std::move(work));
}

void entity_queue::pass_to(const node_link& other, job work) {
  auto& request = work->request;
  const auto process = *operation_on(any_row())->node;
  const auto report = [this, process](std::string_view event, const char* way, const entity_request& of) {
    context_.meters.node_requests(way).Increment();
    log::info(event, {{"request_id", of.request_id}, {"trace_id", of.trace.trace}, {"process", process}});
  };
  work->passed = true;
  request.admission.reset();  // it waits for its entity from now on, not for this node
  report("node.request_passed", "passed", request);
  ask_other_node(self_, other, request, [this, report, work = std::move(work)](const entity_reply* reply) mutable {
    if (reply) return deliver(*work, entity_reply{*reply});
    report("node.request_taken_back", "taken_back", work->request);
    again(std::move(work), true);
  });
}

/// Reads the row again after a pause.
void entity_queue::wait_for_other(job work) {
  const auto now = monotonic_now();
  if (!work->waits_until) work->waits_until = now + context_.config.provider_timeout;
  if (now >= *work->waits_until)
    return fail(*work, work->request.write ? problem::request_in_progress : problem::overloaded);
  enter(queue_event::suspend);
  suspended_ = std::move(work);
  self_->delayed_send(self_, pause_for_other, wake_atom::value);
}

void entity_queue::remember_to_settle() {
  if (rules_.calls_providers && context_.nodes.clustered() && !std::exchange(leaves_open_, true))
    self_->delayed_send(self_, pause_before_settling, wake_atom::value);
}

/// Settles the row now, as the reconciler would. The answer is ignored.
void entity_queue::settle_own() {
  if (is_busy() || !context_.nodes.serves()) return self_->delayed_send(self_, pause_before_settling, wake_atom::value);
  leaves_open_ = false;
  step(
      std::make_unique<entity_job>(entity_request{key_, std::nullopt, common_command{settle_due{}}}, entity_promise{}));
}

/// Whether the time since `moment` is longer than a step of the store takes, unless the store has failed or this node
/// was suspended. Another node may have settled the open operation meanwhile, so long ago that the provider has
/// forgotten its key.
bool entity_queue::slept_since(caf::actor_clock::time_point moment) const {
  return context_.nodes.clustered() && monotonic_now() - moment > longest_work_of_store;
}

}  // namespace gateway::actors
