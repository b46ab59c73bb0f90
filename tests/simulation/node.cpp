#include "node.hpp"

#include <utility>

#include <caf/all.hpp>

#include "provider_gate.hpp"
#include "reconciler.hpp"
#include "router.hpp"

namespace gateway::simulation {

node::deterministic_config::deterministic_config() {
  add_message_types<caf::id_block::gateway>();
  set("scheduler.policy", caf::atom("testing"));
}

node::node(const surroundings& around, unsigned number, duration_ms clock_skew)
    : around_{around}, name_{"node " + std::to_string(number)}, caught_up_{around.time.now()} {
  coordinator_ = &dynamic_cast<caf::scheduler::test_coordinator&>(system_.scheduler());
  clock_.time = &around_.time;
  clock_.skew = clock_skew;
  context_ = std::make_shared<actors::payment_context>(
      actors::payment_context{{}, {}, around_.merchants, clock_, around_.encoder, around_.config, around_.meters});
  const store_line line{around_.rows, around_.time, around_.random, around_.faults, around_.log, name_, alive_};
  for (int i = 0; i < 2; ++i) {
    context_->store.writers.push_back(spawn_writer(system_, line));
    context_->store.readers.push_back(spawn_reader(system_, line));
    keep(context_->store.writers.back());
    keep(context_->store.readers.back());
  }
  for (const auto& kind : provider_catalogue) {
    const auto way_to_bank = spawn_bank_line(system_, around_.provider, name_, alive_);
    auto& gate = context_->providers[static_cast<std::size_t>(kind.kind)];
    gate = actors::spawn_provider_gate(system_, way_to_bank, kind.kind, around_.config, around_.meters);
    keep(way_to_bank);
    keep(gate);
  }
  router_ = actors::spawn_router(system_, context_);
  reconciler_ = actors::spawn_reconciler(system_, context_->store, router_, clock_, around_.config);
  client_ = system_.spawn([](caf::event_based_actor*) -> caf::behavior { return {[](wake_atom) {}}; });
  keep(reconciler_);
  others_.push_back(client_);
}

node::~node() {
  *alive_ = false;
  // Those that wake themselves for ever would keep the shutdown busy.
  system_.await_actors_before_shutdown(false);
  // What waits for an answer holds on to itself by its promise: each actor is ended, and the router ends its payments.
  caf::anon_send_exit(router_, caf::exit_reason::user_shutdown);
  for (const auto& each : others_) caf::anon_send_exit(each, caf::exit_reason::kill);
  coordinator_->clock().cancel_all();
  coordinator_->run();
}

void node::step() {
  auto& jobs = coordinator_->jobs;
  if (jobs.size() > 1) {
    const auto which = jobs.begin() + static_cast<std::ptrdiff_t>(around_.random.below(jobs.size()));
    std::rotate(jobs.begin(), which, which + 1);
  }
  coordinator_->run_once();
}

std::optional<time_point> node::next_timer() const {
  const auto& timers = coordinator_->clock().schedule();
  if (timers.empty()) return std::nullopt;
  const auto left = timers.begin()->first - coordinator_->clock().now();
  return caught_up_ + std::max(duration_ms{0}, std::chrono::ceil<duration_ms>(left));
}

void node::catch_up() {
  const auto now = around_.time.now();
  coordinator_->advance_time(now - caught_up_);
  caught_up_ = now;
}

void node::send(payment_request request, std::function<void(payment_reply&)> told) {
  auto* client = static_cast<caf::event_based_actor*>(caf::actor_cast<caf::abstract_actor*>(client_));
  // Outside an actor's own turn a request needs a context to be sent from.
  client->context(&outside_);
  ++*unanswered_;
  client->request(router_, caf::infinite, std::move(request))
      .then(
          [told, open = unanswered_, alive = alive_](payment_reply& reply) {
            if (!*alive) return;  // the connection broke with the node
            --*open;
            told(reply);
          },
          [told, open = unanswered_, alive = alive_](const caf::error&) {
            if (!*alive) return;
            --*open;
            payment_reply nothing{problem::outcome_pending_timeout};
            told(nothing);
          });
}

}  // namespace gateway::simulation
