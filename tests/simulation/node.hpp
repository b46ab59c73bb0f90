// One gateway process without its HTTP: the production actors under CAF's test scheduler, on the shared database.
// Destroying it is a crash: what it has not sent is lost.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <caf/scheduler/test_coordinator.hpp>
#include <caf/scoped_execution_unit.hpp>

#include "database.hpp"
#include "entity/link_table.hpp"
#include "entity/router.hpp"
#include "gateway/base/metrics.hpp"
#include "gateway/directory/directory.hpp"
#include "gateway/directory/provider_board.hpp"
#include "gateway/ports/membership.hpp"
#include "network.hpp"
#include "payment/payment_actor.hpp"
#include "process/clock_watch.hpp"
#include "receivers.hpp"
#include "simulated_provider.hpp"
#include "webhooks/delivery_worker.hpp"

namespace gateway::simulation {

/// The objects that all nodes share.
struct node_environment {
  virtual_time& time;
  random_source& random;
  const fault_rates& faults;
  journal& log;
  database& rows;
  simulated_provider& provider;
  receivers& merchants_endpoints;
  std::function<bool(const disable_destination&)> disable;  ///< false if the directory's store is away
  const settings& config;
  const directory& merchants;
  std::function<void(const unit_of_work&)> composed;  ///< an entity sends a unit to its writer
  const payment_encoder& payments;
  const event_encoder& events;
  metrics& meters;
  directory* grants;  ///< what the node's grants publish, until it crashes; null in a world without platforms
  const grant_encoder& platforms;
  const subscription_encoder& subscriptions;
  std::string incarnation{};  ///< of a node among others; empty: it is the only node
  // Unused by a node that is alone.
  network& wire;
  node_table& nodes;
  unsigned version = 0;  ///< of its messages
  double clock_rate = 1;  ///< of its monotonic clock
  /// Publishes on this node what the database holds, and returns its number in the directory's log.
  std::function<std::int64_t()> publish{};
};

/// The check that a node's HTTP layer makes before it calls an entity.
using admission_check = std::function<std::optional<problem>()>;

class node {
 public:
  node(const node_environment& environment, unsigned number, duration_ms clock_skew, std::uint32_t number_salt);
  ~node();
  node(const node&) = delete;
  node& operator=(const node&) = delete;

  bool runnable() const { return coordinator_->has_job(); }
  /// Lets one actor, picked at random, handle one message.
  void step();
  /// When the node's next timer is due.
  std::optional<time_point> next_timer() const;
  /// Advances the node's clocks to the virtual time.
  void catch_up();

  void send(entity_request request, std::function<void(entity_reply&)> reported);
  /// Handles a request from outside, where it may wait for the node's turn. The answer is the problem that `check`
  /// returns then, or that the node has no lease.
  void receive(entity_request request, admission_check check, std::function<void(entity_reply&)> reported);
  /// Calls `told` once every live node has published what the directory's log holds.
  void await_published(std::function<void()> reported);
  /// Notifies the dispatcher that the directory has published a destination.
  void notify(const destination_changed& change) { caf::anon_send(dispatcher_, change); }
  /// An operator's command. `told` gets the number of deliveries made due again, or nothing if there was no answer.
  void redeliver(gateway::redeliver wanted, std::function<void(std::optional<std::uint64_t>)> reported);
  void set_clock(duration_ms skew) { clock_.skew = skew; }
  /// Whether so many workers died during the delivery that it waits for an operator.
  bool has_set_aside(std::int64_t delivery) const;
  /// The number of requests without an answer.
  std::size_t unanswered() const { return *unanswered_; }
  /// The number of operations that hold provider slots.
  std::size_t slots_held() const { return context_->slots.held(); }
  const std::string& name() const { return name_; }
  membership& among() { return among_; }
  const membership& among() const { return among_; }
  /// Stops all its actors until it is resumed.
  void pause() { paused_ = true; }
  void resume() { paused_ = false; }
  bool paused() const { return paused_; }
  /// Its record of the providers' states.
  const provider_board& board() const { return board_; }

 private:
  struct skewed_clock final : wall_clock {
    skewed_clock(const virtual_time& t, duration_ms by) : time{t}, skew{by} {}
    const virtual_time& time;
    duration_ms skew;
    time_point now() const override { return time.now() + skew; }
  };
  struct deterministic_config : caf::actor_system_config {
    deterministic_config();
  };

  struct arrival {
    entity_request request;
    admission_check check;
  };

  caf::event_based_actor& client();
  void join_the_others();
  std::function<void(entity_reply&)> counted(std::function<void(entity_reply&)> reported);
  node_keeper keeper_for_grants();

  template <class Handle>
  void keep(const Handle& each) {
    others_.push_back(caf::actor_cast<caf::actor>(each));
  }

  node_environment environment_;
  std::string name_;
  membership among_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  std::shared_ptr<std::size_t> unanswered_ = std::make_shared<std::size_t>(0);
  skewed_clock clock_;
  skewed_clock true_clock_;  ///< watched instead of the other where the clock guard is removed
  actors::clock_watch watch_;
  bool paused_ = false;
  actors::link_table links_;
  std::map<std::uint64_t, arrival> arriving_;
  std::uint64_t arrived_ = 0;
  std::shared_ptr<node_memory> memory_ = std::make_shared<node_memory>();
  delivery_numbers numbers_;
  webhook_link webhooks_;
  provider_board board_{environment_.merchants, environment_.config.dev};
  write_brakes brake_;  ///< set by the dispatcher; no HTTP layer reads it here
  time_point caught_up_;
  // The members above outlive the actor system, because actors refer to them.
  deterministic_config caf_config_;
  caf::actor_system system_{caf_config_};
  caf::scheduler::test_coordinator* coordinator_ = nullptr;
  std::shared_ptr<actors::payment_context> context_;
  node_keeper keeper_;
  dispatcher_actor dispatcher_;
  router_actor router_;
  reconciler_actor reconciler_;
  caf::scoped_execution_unit outside_{&system_};
  caf::actor client_;
  caf::actor node_links_;
  caf::actor front_;  ///< receives requests from outside
  std::vector<caf::actor> others_;  ///< all actors except the router, the payments, the dispatcher and its workers
};

}  // namespace gateway::simulation
