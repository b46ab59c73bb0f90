// One simulated world: nodes on one database, a provider, clients, and the faults between them. All of it happens in
// one thread, in virtual time, and is drawn from one seed.
//
// The class stands in six sources:
//   world.cpp               its start, its run, and the conditions for its end
//   world_nodes.cpp         nodes: start, crash, pause, clocks, the network between them
//   world_requests.cpp      requests of clients and of customers, on their way to a node
//   world_platforms.cpp     platforms, their keys, and what nodes publish of them
//   world_destinations.cpp  destinations of webhooks, and the operators
//   world_provider.cpp      what a provider does on its own, and the quiet day after which its payments are refreshed
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checkouts.hpp"
#include "client.hpp"
#include "customers.hpp"
#include "event_log.hpp"
#include "grants.hpp"
#include "network.hpp"
#include "node.hpp"
#include "node_table.hpp"
#include "notices.hpp"
#include "platform_scene.hpp"
#include "promises.hpp"
#include "provider_acts.hpp"
#include "provider_payments.hpp"
#include "provider_promises.hpp"
#include "retried_calls.hpp"
#include "simulated_provider.hpp"
#include "simulation.hpp"
#include "subscription_scene.hpp"
#include "text_encoder.hpp"

namespace gateway::simulation {

/// A merchant whose cards in EUR use the route with separate capture, and in HKD the route that captures at once.
/// Subscriptions stay with the sandbox, whose own rows define their expected outcome.
merchant shop(card_routes cards = card_routes::sandbox);

class world {
 public:
  world(std::uint64_t seed, guard missing, std::ostream* story);

  outcome_of_seed run();

 private:
  /// The largest jump of a clock. Without a correction the gateway would have to trust it, because only the passing of
  /// time distinguishes it from a long downtime.
  static constexpr duration_ms longest_jump = std::chrono::hours{60 * 24};
  /// Nodes crash during this time only. At the highest rates a single node crashes about fifty steps after each start
  /// and is down for most of the time, so its clients may not finish within their four hours.
  static constexpr duration_ms crashes_last = std::chrono::hours{2};

  /// Runs until `enough` returns true or a promise is broken.
  template <class Enough>
  void run_until(Enough enough, duration_ms limit, std::string_view too_long) {
    const auto deadline = time_.now() + limit;
    while (!promises_.broken() && !enough()) {
      if (time_.now() > deadline || result_.steps > 3'000'000) return promises_.break_(std::string{too_long});
      step();
    }
  }
  void step();
  void let_time_pass(bool idle);
  void calm_down();
  void settle();
  void ask_all_again();
  void check_at_rest();
  bool subscribed() const;
  bool all_is_told() const;
  static bool is_away_for(const node& which);
  std::string what_is_not_settled() const;
  void count_what_happened();
  world_plan draw_whole_plan();

  // Nodes.
  void start(unsigned which);
  void load_directory(unsigned which);
  void composed(unsigned which, const unit_of_work& unit);
  void begins_without(unsigned which, const unit_of_work& unit);
  void crash(unsigned which);
  void pause(unsigned which);
  void cut_network();
  bool all_up() const;
  std::vector<std::string> running_nodes() const;
  const directory& published(unsigned which) const;
  void count_owners(const entity_key& key, const std::vector<node*>& up);
  duration_ms clock_of(unsigned which) const;
  void set_a_clock();
  void jump_a_clock(unsigned which);
  void jump_to(unsigned which, duration_ms off);
  void sleep_through_jumps();
  void sleep(duration_ms how_long);

  // Requests.
  /// A check that the receiving node makes first.
  using check_at_node = std::function<std::optional<problem>(unsigned which)>;
  void balance(entity_request request, std::function<void(entity_reply&)> reported, check_at_node check = {});
  void let_in(const platform_id& who, entity_request request, std::function<void(entity_reply&)> reported);
  static std::optional<problem> refuses(const directory& known, const directory* seen, const platform_id& who,
                                        const entity_key& key, const std::optional<asked_by>& by);
  std::size_t unanswered() const;
  void customer();
  void customer_at_provider(double customer_comes);
  void count_breakers();
  void look_at(const entity_key& key, std::function<void(const entity_row&)> seen);
  void compare_views_with_rows();
  void purge();

  // The provider.
  void act_as_provider();
  void let_a_quiet_day_pass();
  void refresh(const entity_key& payment, std::function<void(const entity_reply&)> decided);
  void refresh_payments();

  // Platforms.
  void open_platforms();
  std::vector<std::string> saved_methods(const platform_id& platform, const std::string& ref) const;
  template <class What>
  void publish_everywhere(const What& what) {
    merchants_.publish(what);
    for (const auto& each : shelves_)
      if (each.published) each.published->publish(what);
  }
  void publish_providers(directory& to) const;
  void publish_platforms(directory& to) const;
  std::int64_t publish_what_is_stored(unsigned which);
  static void give_lasting_grants(directory& to);
  void end_keys();
  void publish_keys(const platform_id& of, std::function<void()> answered);
  static grant_update update_of(const grant_binding& row);
  void see_grants_late(unsigned which);
  void settle_platforms();

  // Destinations.
  void publish_destinations();
  void leave_live_events();
  void publish(const webhook_endpoint& changed);
  void set_status(webhook_endpoint& of, destination_status to);
  bool disable(const disable_destination& wanted);
  void operators();
  void redeliver(gateway::redeliver wanted);
  void redeliver(node& by, gateway::redeliver wanted);
  void deliver_the_rest();

  virtual_time time_;
  random_source random_;
  journal log_;
  guard missing_;
  outcome_of_seed result_;
  random_source company_{result_.seed ^ 0xc0'a7'5eedULL};  ///< for what concerns only worlds of several nodes
  world_plan plan_ = draw_whole_plan();
  fault_rates faults_ = fault_rates::none();
  unsigned calm_ = 0;
  text_encoder encoder_;
  testing::memory_store database_;
  promises promises_{database_, encoder_, time_, log_};
  directory merchants_;
  const bool has_other_nodes_ = plan_.nodes > 1;
  const bool has_notices_ = plan_.cards != card_routes::sandbox;
  /// Drawn from a separate random source, so that the other worlds stay the same.
  const bool has_platforms_ = random_source{result_.seed ^ 0x5eed'0f'9a47ULL}.chance(0.5);
  const bool has_own_directories_ = has_platforms_ || has_other_nodes_;
  /// Drawn from a separate random source, too. A command under a purged key is another operation, which these clients
  /// do not expect.
  const bool has_subscriptions_ = !plan_.keys_expire && random_source{result_.seed ^ 0xb0'0c'5eedULL}.chance(0.4);
  /// In one world of eight, so that the worlds that once broke a promise stay the same.
  const bool has_live_events_ = result_.seed % 8 == 1;
  random_source apart_{result_.seed ^ 0xcafe'5eedULL};  ///< for the actions of subscribers
  /// What one process of a node has published between its start and the next.
  struct shelf {
    std::unique_ptr<directory> published;
    std::unique_ptr<directory> seen;  ///< where changes are seen late
    std::shared_ptr<bool> loaded;
  };
  std::vector<shelf> shelves_;
  const duration_ms clocks_jump_by_ = plan_.faults.clock_jumps > 0 ? 2 * longest_jump + 2 * plan_.faults.clock_skew
                                      : plan_.faults.clock_set > 0 ? 2 * plan_.faults.clock_skew
                                                                   : duration_ms{0};
  delivery_promises delivery_promises_{database_, encoder_, merchants_, plan_.config, clocks_jump_by_, promises_};
  age_promises age_promises_{database_, time_, plan_.config, promises_};
  grant_promises grant_promises_{database_, promises_};
  customer_promises customer_promises_{database_, promises_, plan_.leases_hold()};
  subscription_promises subscription_promises_{database_, promises_, customer_promises_};
  provider_payments payments_there_{time_, promises_, log_};
  checkouts checkouts_{database_, promises_, customer_promises_, age_promises_, payments_there_, log_};
  notice_promises notice_promises_{database_, promises_};
  provider_promises provider_promises_{database_, payments_there_, notice_promises_, time_, promises_, log_};
  node_table table_{database_, time_};
  event_log event_log_{database_,       time_,   promises_, log_, random_source{result_.seed ^ 0x1065'5eedULL},
                       plan_.nodes > 1, missing_};
  network wire_{time_, random_, faults_, log_};
  database rows_{database_,
                 promises_,
                 delivery_promises_,
                 age_promises_,
                 grant_promises_,
                 customer_promises_,
                 subscription_promises_,
                 checkouts_,
                 notice_promises_,
                 event_log_,
                 log_,
                 table_,
                 plan_,
                 missing_};
  random_source own_{result_.seed ^ 0xac'75'5eedULL};  ///< for what a provider does on its own
  provider_acts acts_{payments_there_, checkouts_, promises_, customer_promises_, time_, own_, log_};
  simulated_provider provider_{time_, random_, faults_, promises_, customer_promises_, checkouts_, payments_there_,
                               acts_, own_,    log_,    missing_};
  receivers receivers_{time_, random_, faults_, plan_.config, delivery_promises_, log_};
  std::vector<webhook_endpoint> endpoints_;
  std::vector<platform_key> platform_keys_;
  metrics meters_;
  std::vector<duration_ms> skews_;
  std::vector<duration_ms> jumps_;  ///< of clocks that are wrong at present, in addition to their skews
  std::unique_ptr<platform_scene> platforms_;
  std::unique_ptr<subscription_scene> subscribers_;
  std::unique_ptr<notices> notices_;
  retried_calls refreshes_{
      "operator", time_,
      own_,       faults_,
      log_,       [this](entity_request request, auto reported) {
                             balance(std::move(request), std::move(reported)); }};
  std::vector<std::unique_ptr<client>> clients_;
  std::vector<std::unique_ptr<node>> nodes_;
  std::vector<double> clock_rates_;  ///< of nodes' monotonic clocks
  std::map<std::string, unsigned> suspensions_;  ///< by platform: how often it was suspended or resumed
  std::uint64_t processes_ = 0;
};

}  // namespace gateway::simulation
