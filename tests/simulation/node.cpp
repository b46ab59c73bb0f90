#include "node.hpp"

#include <utility>

#include <caf/all.hpp>

#include "customer/customer_actor.hpp"
#include "enrollment/enrollment_actor.hpp"
#include "entity/reconciler.hpp"
#include "entity/router.hpp"
#include "grant/grant_actor.hpp"
#include "nodes/node_links.hpp"
#include "notification/notification_actor.hpp"
#include "persistence/nodes/node_keeper.hpp"
#include "providers/provider_gate.hpp"
#include "subscription/subscription_actor.hpp"
#include "webhooks/dispatcher.hpp"
#include "writer_tap.hpp"

namespace gateway::simulation {

namespace {

/// Slower than in a gateway, where it would make most of a world's steps reads and pings.
constexpr persistence::keeper_pace simulated_pace{ticks_ms{400}, ticks_ms{40}};
constexpr actors::link_pace simulated_link_pace{std::chrono::milliseconds{700}, std::chrono::milliseconds{500}};

/// The state of a simulated directory.
struct directory_desk {
  virtual_time& time;
  random_source& random;
  const fault_rates& faults;
  journal& log;
  std::string node;
  std::shared_ptr<bool> alive;
  std::function<bool(const disable_destination&)> disable;
  std::function<std::int64_t()> publish;
  node_keeper keeper;
};

/// A directory that changes nothing itself: the world publishes the changes. Among other nodes it follows the log.
class following_directory {
 public:
  static inline const char* name = "directory";
  using pointer = directory_actor::extend<caf::reacts_to<work_atom>>::pointer;

  void start(pointer self, directory_desk desk) {
    self_ = self;
    desk_.emplace(std::move(desk));
  }

  caf::result<operator_result> take(const operator_command& command) {
    if (!*desk_->alive) return make_error(actor_errc::store_unavailable);
    if (const auto* wanted = std::get_if<make_chargeable>(&command))
      return operator_result{named_result{wanted->merchant.value, "chargeable"}};
    const auto& wanted = std::get<disable_destination>(command);
    if (!desk_->disable(wanted)) return make_error(actor_errc::store_unavailable);
    return operator_result{named_result{wanted.id.value, "disabled"}};
  }

  void follow(std::int64_t number) {
    wanted_ = std::max(wanted_, number);
    if (!std::exchange(reading_, true)) read();
  }

  void publish() {
    if (desk_->random.chance(desk_->faults.read_failed)) return read();
    const auto number = desk_->publish();
    self_->send(desk_->keeper, published_up_to{number});
    if (number < wanted_) return read();
    reading_ = false;
  }

 private:
  void read() {
    const bool late = desk_->random.chance(desk_->faults.news_late);
    if (late) desk_->log.occurs("news of the directory is late");
    const auto most = late ? duration_ms{6'000} : desk_->faults.store_latency;
    desk_->time.in(duration_ms{desk_->random.between(0, most.count())}, [self = self_, alive = desk_->alive] {
      if (*alive) caf::anon_send(pointer_to(self), work_atom::value);
    });
  }
  static directory_actor::extend<caf::reacts_to<work_atom>> pointer_to(pointer self) { return {self}; }

  pointer self_ = nullptr;
  std::optional<directory_desk> desk_;
  std::int64_t wanted_ = -1;
  bool reading_ = false;
};

using simulated_directory = directory_actor::extend<caf::reacts_to<work_atom>>;

simulated_directory::behavior_type directory_behavior(simulated_directory::stateful_pointer<following_directory> self,
                                                      directory_desk desk) {
  self->state.start(self, std::move(desk));
  return {[self](const operator_command& command) { return self->state.take(command); },
          [self](const noted_command& noted) { return self->state.take(noted.what); },
          [](const look_up&) { return false; },
          [](load_atom) { return true; },
          [](join_atom, const dispatcher_actor&) {},
          [self](const catch_up& changes) { self->state.follow(changes.number); },
          [self](work_atom) { self->state.publish(); }};
}

/// A keeper that answers at once that all nodes have published.
node_keeper::behavior_type hasty_keeper(node_keeper::pointer) {
  return {[](const await_published&) { return true; },
          [](const published_up_to&) {},
          [](const yielded_up_to&) {},
          [](const list_nodes&) { return node_list{}; },
          [](const drain_node&) { return node_drained{}; },
          [](drain_atom) {},
          [](join_atom, const directory_actor&) {},
          [](join_atom, const dispatcher_actor&) {},
          [](wake_atom) {}};
}

/// The monotonic clock of a process that was started some time ago, running at its own rate.
std::function<ticks_ms()> monotonic_clock(const virtual_time& time, unsigned number, double rate) {
  return [&time, rate, booted = ticks_ms{3'600'000 * (number + 1)}] {
    return booted + ticks_ms{static_cast<std::int64_t>(static_cast<double>(time.elapsed().count()) * rate)};
  };
}

}  // namespace

node::deterministic_config::deterministic_config() {
  add_message_types<caf::id_block::gateway>();
  set("scheduler.policy", caf::atom("testing"));
}

node::node(const node_environment& environment, unsigned number, duration_ms clock_skew, std::uint32_t number_salt)
    : environment_{environment},
      name_{"node " + std::to_string(number)},
      among_{environment.incarnation.empty() ? std::string{} : name_, environment.incarnation,
             monotonic_clock(environment.time, number, environment.clock_rate)},
      clock_{environment.time, clock_skew},
      true_clock_{environment.time, duration_ms{0}},
      watch_{environment.rows.lacks(guard::clock_guard) ? true_clock_ : clock_, environment.rows.last_seen(),
             environment.config, environment.meters},
      numbers_{number_salt},
      webhooks_{environment.merchants_endpoints, name_, clock_, alive_, memory_, among_},
      caught_up_{environment.time.now()} {
  coordinator_ = &dynamic_cast<caf::scheduler::test_coordinator&>(system_.scheduler());
  const store_link line{environment_.rows,
                        environment_.time,
                        environment_.random,
                        environment_.faults,
                        environment_.log,
                        name_,
                        alive_,
                        memory_,
                        among_};
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
  if (among_.clustered()) {
    keeper_ = persistence::spawn_node_keeper_over(
        system_,
        connect_keeper(environment_.nodes, environment_.time, environment_.random, environment_.faults,
                       environment_.log, name_, alive_),
        address_of(name_), among_, environment_.meters, {[] {}, [](const std::string&) {}}, simulated_pace);
    keep(keeper_);
  }
  const directory_actor operators = system_.spawn(
      directory_behavior, directory_desk{environment_.time, environment_.random, environment_.faults, environment_.log,
                                         name_, alive_, environment_.disable, environment_.publish, keeper_});
  keep(operators);
  dispatcher_ = actors::spawn_dispatcher(
      system_, std::make_shared<const actors::webhook_context>(actors::webhook_context{
                   store, operators, environment_.merchants, clock_, environment_.events, environment_.config,
                   environment_.meters, webhooks_, brake_, among_, keeper_}));
  context_ = std::make_shared<actors::payment_context>(actors::payment_context{{std::move(store),
                                                                                environment_.merchants,
                                                                                clock_,
                                                                                watch_,
                                                                                environment_.config,
                                                                                environment_.meters,
                                                                                dispatcher_,
                                                                                numbers_,
                                                                                {},
                                                                                among_,
                                                                                operators,
                                                                                tracing::off(),
                                                                                &links_},
                                                                               {},
                                                                               environment_.payments,
                                                                               board_});
  std::vector<actors::sandbox_provider> links;
  for (const auto& kind : provider_catalogue) {
    const auto link = spawn_provider_link(system_, environment_.provider, name_, alive_);
    auto& gate = context_->providers[static_cast<std::size_t>(kind.kind)];
    gate =
        actors::spawn_provider_gate(system_, link, kind.kind, environment_.config, environment_.meters, board_, among_);
    links.push_back(link);
    keep(link);
    keep(gate);
  }
  actors::entity_spawners spawners{actors::payment_spawner(context_)};
  spawners[static_cast<std::size_t>(entity_kind::customer)] = actors::customer_spawner(context_);
  spawners[static_cast<std::size_t>(entity_kind::enrollment)] = actors::enrollment_spawner(context_);
  spawners[static_cast<std::size_t>(entity_kind::notification)] =
      actors::notification_spawner(std::make_shared<const actors::notification_context>(
          actors::notification_context{*context_, context_->providers}));
  spawners[static_cast<std::size_t>(entity_kind::subscription)] =
      actors::subscription_spawner(std::make_shared<const actors::subscription_context>(
          actors::subscription_context{*context_, environment_.subscriptions, board_, context_->providers}));
  if (environment_.grants)
    spawners[static_cast<std::size_t>(entity_kind::grant)] =
        actors::grant_spawner(std::make_shared<const actors::grant_context>(
            actors::grant_context{*context_, *environment_.grants, environment_.platforms, keeper_for_grants()}));
  router_ = actors::spawn_router(system_, context_, std::move(spawners));
  for (const auto& link : links) caf::anon_send(link, join_atom::value, router_);
  reconciler_ =
      actors::spawn_reconciler(system_, context_->store, router_, clock_, watch_, environment_.config, among_);
  client_ = system_.spawn([](caf::event_based_actor*) -> caf::behavior { return {[](wake_atom) {}}; });
  keep(reconciler_);
  others_.push_back(client_);
  front_ = system_.spawn([this](caf::event_based_actor* self) -> caf::behavior {
    return {[this, self](work_atom, std::uint64_t which) -> caf::result<entity_reply> {
      auto [request, check] = std::move(arriving_.extract(which).mapped());
      if (!among_.serves()) return entity_reply{problem::store_unavailable};
      if (const auto why = check()) return entity_reply{*why};
      return self->delegate(router_, std::move(request));
    }};
  });
  others_.push_back(front_);
  if (!among_.clustered()) return;
  caf::anon_send(keeper_, join_atom::value, operators);
  caf::anon_send(keeper_, join_atom::value, dispatcher_);
  join_the_others();
  caf::anon_send(keeper_, published_up_to{environment_.publish()});
}

void node::join_the_others() {
  const auto gate = actors::spawn_node_gate(system_, router_, among_);
  const auto connector = spawn_connector(system_, environment_.wire, name_);
  const auto links = actors::spawn_node_links(system_, {keeper_, gate, among_, links_, connector, simulated_link_pace});
  for (const auto& each : {gate, connector}) others_.push_back(each);
  node_links_ = links;
  environment_.wire.join(name_, {&system_, links, gate, environment_.version, [this] { return !paused_; },
                                 [this](const auto& asks) { asks(client()); }});
}

/// The keeper that answers whether a grant actor's change is published on every node.
node_keeper node::keeper_for_grants() {
  if (!keeper_ || !environment_.rows.lacks(guard::await_others)) return keeper_;
  const auto hasty = system_.spawn(hasty_keeper);
  keep(hasty);
  return hasty;
}

node::~node() {
  *alive_ = false;
  if (among_.clustered()) environment_.wire.leave(name_);
  // Actors with repeating timers would never end, so the shutdown does not wait for them.
  system_.await_actors_before_shutdown(false);
  // An actor that waits for an answer keeps itself alive by its promise, so each is sent an exit. The router ends its
  // payments.
  caf::anon_send_exit(router_, caf::exit_reason::user_shutdown);
  caf::anon_send_exit(dispatcher_, caf::exit_reason::user_shutdown);
  if (node_links_) caf::anon_send_exit(node_links_, caf::exit_reason::user_shutdown);
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

/// A request that is sent outside an actor's message handler needs an execution context.
caf::event_based_actor& node::client() {
  auto* client = static_cast<caf::event_based_actor*>(caf::actor_cast<caf::abstract_actor*>(client_));
  client->context(&outside_);
  return *client;
}

std::function<void(entity_reply&)> node::counted(std::function<void(entity_reply&)> reported) {
  ++*unanswered_;
  return [reported = std::move(reported), open = unanswered_, alive = alive_](entity_reply& reply) {
    if (!*alive) return;  // the connection broke with the node
    --*open;
    reported(reply);
  };
}

void node::send(entity_request request, std::function<void(entity_reply&)> reported) {
  const auto answer = counted(std::move(reported));
  client()
      .request(router_, caf::infinite, std::move(request))
      .then([answer](entity_reply& reply) { answer(reply); },
            [answer](const caf::error&) {
              entity_reply nothing{problem::outcome_pending_timeout};
              answer(nothing);
            });
}

void node::receive(entity_request request, admission_check check, std::function<void(entity_reply&)> reported) {
  const auto answer = counted(std::move(reported));
  arriving_.emplace(++arrived_, arrival{std::move(request), std::move(check)});
  client()
      .request(front_, caf::infinite, work_atom::value, arrived_)
      .then([answer](entity_reply& reply) { answer(reply); },
            [answer](const caf::error&) {
              entity_reply nothing{problem::outcome_pending_timeout};
              answer(nothing);
            });
}

void node::await_published(std::function<void()> reported) {
  client()
      .request(keeper_, caf::infinite, gateway::await_published{})
      .then(
          [reported, alive = alive_](bool) {
            if (*alive) reported();
          },
          [](const caf::error&) {});
}

void node::redeliver(gateway::redeliver wanted, std::function<void(std::optional<std::uint64_t>)> reported) {
  client()
      .request(dispatcher_, caf::infinite, std::move(wanted))
      .then(
          [reported, alive = alive_](const redeliver_result& made) {
            if (*alive) reported(made.count);
          },
          [reported, alive = alive_](const caf::error&) {
            if (*alive) reported(std::nullopt);
          });
}

bool node::has_set_aside(std::int64_t delivery) const {
  const auto died = memory_->deaths.find(delivery);
  return died != memory_->deaths.end() && died->second >= 3;
}

}  // namespace gateway::simulation
