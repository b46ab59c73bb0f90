#include "entity_queue.hpp"

#include <stdexcept>
#include <utility>

#include <caf/sec.hpp>

#include "gateway/directory/acting.hpp"
#include "row_facts.hpp"

namespace gateway::actors {

entity_job::entity_job(entity_request&& asked, entity_promise asker)
    : request{std::move(asked)}, promise{std::move(asker)} {}
entity_job::~entity_job() = default;

entity_queue::entity_queue(const entity_rules& rules, const entity_context& context)
    : rules_{rules}, context_{context} {}
entity_queue::~entity_queue() = default;

void entity_queue::start(entity_actor::pointer self, const router_actor& router, const entity_key& key) {
  self_ = self;
  router_ = router;
  key_ = key;
  spans_.start(context_.traces, key_);
  const auto until = context_.doubt.until();
  memory_.start(context_.nodes, until > monotonic_now() ? until : row_memory::moment{});
}

caf::result<entity_reply> entity_queue::accept(entity_request& request) {
  if (auto row = answer_at_once(request); exists(row)) return entity_reply{std::move(row)};
  if (request.write)
    if (auto known = answer_from_memory(*request.write)) return answer_known(request, std::move(*known));
  // A read sees the last committed state, even while an operation is in progress.
  if (is_read(request)) {
    if (context_.nodes.has_other_nodes()) return read_from_store(request);
    if (memory_.is_known() && exists(any_row()) && memory_.is_of_this_era())
      if (auto seen = read_from_memory(request.what)) return std::move(*seen);
  }
  if (is_busy() && waiting_.size() >= context_.config.payment_queue) {
    context_.meters.shed("payment_queue").Increment();
    return entity_reply{problem::overloaded};
  }
  auto promise = self_->make_response_promise<entity_reply>();
  if (is_busy()) {
    request.admission.reset();  // the request waits for its entity, not for the gateway
    waiting_.push_back(std::make_unique<entity_job>(std::move(request), promise));
  } else {
    step(std::make_unique<entity_job>(std::move(request), promise));
  }
  return promise;
}

void entity_queue::passivate() {
  if (is_busy() || reads_ > 0 || leaves_open_ || must_stay())
    self_->send(router_, keep_atom::value, key_);
  else
    self_->quit();
}

// ---- default hooks of a kind ----------------------------------------------------------------------

bool entity_queue::inserts(const entity_command&) const { return false; }
void entity_queue::settle_left_open(job work) { view(std::move(work)); }
std::string entity_queue::event_data(const entity_row&, std::string_view) const { return {}; }
entity_row entity_queue::answer_at_once(const entity_request&) const { return {}; }
void entity_queue::known() {}
void entity_queue::left_in_doubt(commit_doubt::time_point) {}
void entity_queue::read_failed() {}
bool entity_queue::must_stay() const noexcept { return false; }
void entity_queue::operation_over() noexcept {}
void entity_queue::answer_to(entity_job& work, entity_reply&& reply) { resolve(work.promise, std::move(reply)); }

// ---- processing of a request ----------------------------------------------------------------------

void entity_queue::step(job work) {
  if (is_free(phase_)) {
    enter(queue_event::begin);
    if (context_.nodes.has_other_nodes() || !memory_.is_of_this_era()) forget();
  }
  const auto& what = work->request.what;
  if (work->request.write) running_ = work->request.write;
  spans_.take(work->request);
  // settle_due is decided by the stored row, read once for this request. Another node may have settled long ago what
  // memory shows as open. The provider may have forgotten the operation's key since then, and would execute the
  // operation again.
  if (work->attempts == 0 && is_common<settle_due>(what)) {
    work->attempts = 1;
    forget();
  }
  // A command that creates the entity is inserted without a read: the database reports if the row exists.
  if (!memory_.is_known() && !inserts(what)) return load(std::move(work));
  if (const auto open = operation_on(any_row())) {
    if (slept_since(memory_.known_as_of()) && work->attempts < most_attempts) return again(std::move(work), true);
    if (!open->answered) {
      if (context_.nodes.is_live_other(*open->node)) return leave_to_other(std::move(work));
      return settle_left_open(std::move(work));
    }
  }
  if (is_common<settle_due>(what)) return on_due(std::move(work));
  if (std::holds_alternative<common_command>(what)) return view(std::move(work));
  run_own(std::move(work));
}

void entity_queue::refuse(job work) {
  work->promise.deliver(caf::make_error(caf::sec::unexpected_message));
  next();
}

void entity_queue::deliver(entity_job& work, entity_reply&& reply) {
  answer_to(work, std::move(reply));
  leave(work);
}

void entity_queue::leave(entity_job& work) {
  work.request.admission.reset();
  operation_over();
  next();
}

void entity_queue::fail(entity_job& work, problem why) { deliver(work, entity_reply{why}); }

void entity_queue::answer_with_row(entity_job& work, entity_row row) {
  resolve(work.promise, entity_reply{std::move(row)});
}

std::optional<problem> entity_queue::forbids(const entity_job& work) const {
  if (!work.request.by) return std::nullopt;
  return no_longer_permitted(context_.merchants, *work.request.by, key_);
}

void entity_queue::again(job work, bool load_first) {
  const bool is_allowed = ++work->attempts <= most_attempts;
  rerun(std::move(work), load_first, is_allowed);
}

void entity_queue::after_lost_claim(job work, bool load_first) {
  if (context_.nodes.has_other_nodes()) context_.meters.node_requests("lost_claim").Increment();
  const bool is_allowed = ++work->lost_claims <= most_lost_claims;
  rerun(std::move(work), load_first, is_allowed);
}

void entity_queue::rerun(job work, bool load_first, bool is_allowed) {
  forget();  // also for later requests, if this one has used up its attempts
  if (!is_allowed) return fail(*work, work->request.write ? problem::request_in_progress : problem::overloaded);
  if (load_first) return load(std::move(work));
  step(std::move(work));
}

void entity_queue::next() {
  running_.reset();
  spans_.release();
  // A request that fails at once calls this function recursively. One loop handles all of them, so that thousands of
  // waiting requests do not nest.
  const bool is_in_loop = phase_ == queue_phase::starting;
  enter(queue_event::end);
  memory_.end_request(memory_.in_doubt() ? monotonic_now() : row_memory::moment{});
  if (is_in_loop) return;
  while (phase_ == queue_phase::advancing && !waiting_.empty()) {
    auto work = std::move(waiting_.front());
    waiting_.erase(waiting_.begin());
    if (work->request.write)
      if (auto known = answer_from_memory(*work->request.write)) {
        answer_to(*work, std::move(*known));
        continue;
      }
    step(std::move(work));
  }
  enter(phase_ == queue_phase::advancing ? queue_event::exhaust : queue_event::unwind);
}

/// Throws, which ends the actor, if the queue does what its phase rules out, for example end a request twice.
void entity_queue::enter(queue_event event) {
  const auto next = after(phase_, event);
  if (!next) throw std::logic_error{"an entity's queue is in the wrong phase"};
  phase_ = *next;
}

}  // namespace gateway::actors
