#include "node.hpp"

#include <utility>

#include <caf/all.hpp>

#include "customer/customer_actor.hpp"
#include "entity/reconciler.hpp"
#include "entity/router.hpp"
#include "grant/grant_actor.hpp"
#include "provider_gate.hpp"
#include "providers/sandbox_enrollment.hpp"
#include "subscription/subscription_actor.hpp"
#include "webhooks/dispatcher.hpp"
#include "writer_tap.hpp"

namespace gateway::simulation {

namespace {

/// A directory that changes nothing itself: the world publishes the changes.
directory_actor::behavior_type directory_behavior(directory_actor::pointer, std::shared_ptr<bool> alive,
                                                  std::function<bool(const disable_destination&)> disable) {
  return {[alive, disable](const operator_command& command) -> caf::result<operator_result> {
            if (!*alive) return make_error(actor_errc::store_unavailable);
            if (const auto* wanted = std::get_if<make_chargeable>(&command))
              return operator_result{named_result{wanted->merchant.value, "chargeable"}};
            const auto& wanted = std::get<disable_destination>(command);
            if (!disable(wanted)) return make_error(actor_errc::store_unavailable);
            return operator_result{named_result{wanted.id.value, "disabled"}};
          },
          [](load_atom) { return true; }, [](join_atom, const dispatcher_actor&) {}, [](const catch_up&) {}};
}

}  // namespace

node::deterministic_config::deterministic_config() {
  add_message_types<caf::id_block::gateway>();
  set("scheduler.policy", caf::atom("testing"));
}

node::node(const node_environment& environment, unsigned number, duration_ms clock_skew, std::uint32_t number_salt)
    : environment_{environment},
      name_{"node " + std::to_string(number)},
      among_{environment.incarnation.empty() ? std::string{} : name_, environment.incarnation},
      clock_{environment.time, clock_skew},
      true_clock_{environment.time, duration_ms{0}},
      watch_{environment.rows.lacks(guard::clock_guard) ? true_clock_ : clock_, environment.rows.last_seen(),
             environment.config, environment.meters},
      numbers_{number_salt},
      webhooks_{environment.merchants_endpoints, name_, clock_, alive_, memory_},
      caught_up_{environment.time.now()} {
  coordinator_ = &dynamic_cast<caf::scheduler::test_coordinator&>(system_.scheduler());
  among_.serve_until(ticks_ms::max());
  const store_link line{environment_.rows,
                        environment_.time,
                        environment_.random,
                        environment_.faults,
                        environment_.log,
                        name_,
                        alive_,
                        memory_};
  store_handles store;
  for (int i = 0; i < 2; ++i) {
    const auto writer = spawn_writer(system_, line);
    keep(writer);
    store.writers.push_back(tap(system_, writer, [this](const unit_of_work& unit) { environment_.composed(unit); }));
    store.readers.push_back(spawn_reader(system_, line));
    keep(store.readers.back());
  }
  store.recorder = spawn_writer(system_, line);
  keep(store.recorder);
  for (auto* reader : {&store.outbox, &store.archive}) {
    *reader = spawn_reader(system_, line);
    keep(*reader);
  }
  const auto operators = system_.spawn(directory_behavior, alive_, environment_.disable);
  keep(operators);
  dispatcher_ =
      actors::spawn_dispatcher(system_, std::make_shared<const actors::webhook_context>(actors::webhook_context{
                                            store, operators, environment_.merchants, clock_, environment_.events,
                                            environment_.config, environment_.meters, webhooks_, brake_, among_}));
  context_ = std::make_shared<actors::payment_context>(actors::payment_context{{std::move(store),
                                                                                environment_.merchants,
                                                                                clock_,
                                                                                watch_,
                                                                                environment_.config,
                                                                                environment_.meters,
                                                                                dispatcher_,
                                                                                numbers_,
                                                                                {},
                                                                                among_},
                                                                               {},
                                                                               environment_.payments});
  for (const auto& kind : provider_catalogue) {
    const auto link = spawn_provider_link(system_, environment_.provider, name_, alive_);
    auto& gate = context_->providers[static_cast<std::size_t>(kind.kind)];
    gate = actors::spawn_provider_gate(system_, link, kind.kind, environment_.config, environment_.meters);
    keep(link);
    keep(gate);
  }
  actors::entity_spawners spawners{actors::payment_spawner(context_)};
  spawners[static_cast<std::size_t>(entity_kind::customer)] = actors::customer_spawner(context_);
  spawners[static_cast<std::size_t>(entity_kind::enrollment)] = actors::enrollment_spawner(context_);
  spawners[static_cast<std::size_t>(entity_kind::subscription)] =
      actors::subscription_spawner(std::make_shared<const actors::subscription_context>(actors::subscription_context{
          *context_, environment_.subscriptions, {"https://gateway.test", "a key of pages", "a key of programs"}}));
  if (environment_.grants)
    spawners[static_cast<std::size_t>(entity_kind::grant)] =
        actors::grant_spawner(std::make_shared<const actors::grant_context>(
            actors::grant_context{*context_, *environment_.grants, environment_.platforms, operators}));
  router_ = actors::spawn_router(system_, context_, std::move(spawners));
  reconciler_ =
      actors::spawn_reconciler(system_, context_->store, router_, clock_, watch_, environment_.config, among_);
  client_ = system_.spawn([](caf::event_based_actor*) -> caf::behavior { return {[](wake_atom) {}}; });
  keep(reconciler_);
  others_.push_back(client_);
}

node::~node() {
  *alive_ = false;
  // Actors with repeating timers would never end, so the shutdown does not wait for them.
  system_.await_actors_before_shutdown(false);
  // An actor that waits for an answer keeps itself alive by its promise, so each is sent an exit. The router ends its
  // payments.
  caf::anon_send_exit(router_, caf::exit_reason::user_shutdown);
  caf::anon_send_exit(dispatcher_, caf::exit_reason::user_shutdown);
  for (const auto& each : others_) caf::anon_send_exit(each, caf::exit_reason::kill);
  coordinator_->clock().cancel_all();
  coordinator_->run();
  webhooks_.close();
}

void node::step() {
  auto& jobs = coordinator_->jobs;
  if (jobs.size() > 1) {
    const auto which = jobs.begin() + static_cast<std::ptrdiff_t>(environment_.random.below(jobs.size()));
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
  const auto now = environment_.time.now();
  coordinator_->advance_time(now - caught_up_);
  caught_up_ = now;
}

void node::send(entity_request request, std::function<void(entity_reply&)> told) {
  auto* client = static_cast<caf::event_based_actor*>(caf::actor_cast<caf::abstract_actor*>(client_));
  // A request that is sent outside an actor's message handler needs an execution context.
  client->context(&outside_);
  ++*unanswered_;
  client->request(router_, caf::infinite, std::move(request))
      .then(
          [told, open = unanswered_, alive = alive_](entity_reply& reply) {
            if (!*alive) return;  // the connection broke with the node
            --*open;
            told(reply);
          },
          [told, open = unanswered_, alive = alive_](const caf::error&) {
            if (!*alive) return;
            --*open;
            entity_reply nothing{problem::outcome_pending_timeout};
            told(nothing);
          });
}

void node::redeliver(gateway::redeliver wanted, std::function<void(std::optional<std::uint64_t>)> told) {
  auto* client = static_cast<caf::event_based_actor*>(caf::actor_cast<caf::abstract_actor*>(client_));
  client->context(&outside_);
  client->request(dispatcher_, caf::infinite, std::move(wanted))
      .then(
          [told, alive = alive_](const redeliver_result& made) {
            if (*alive) told(made.count);
          },
          [told, alive = alive_](const caf::error&) {
            if (*alive) told(std::nullopt);
          });
}

bool node::has_set_aside(std::int64_t delivery) const {
  const auto died = memory_->deaths.find(delivery);
  return died != memory_->deaths.end() && died->second >= 3;
}

}  // namespace gateway::simulation
