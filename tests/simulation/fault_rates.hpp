// The faults of one simulated world, as probabilities. Each seed draws its own. Most faults are absent from most
// worlds, so that each occurs alone as well as together with others.
#pragma once

#include "gateway/domain/time.hpp"
#include "gateway/settings.hpp"
#include "random_source.hpp"

namespace gateway::simulation {

/// Events and deliveries stay: the promises compare them with what was written.
inline settings settings_of_worlds() {
  settings of_all;
  of_all.events_kept = of_all.deliveries_kept = std::chrono::hours{24} * 36'500;
  return of_all;
}

inline constexpr duration_ms longest_node_pause{15'000};

struct fault_rates {
  // Faults of a node, at each step of an actor.
  double crash = 0;
  duration_ms clock_skew{0};  ///< the largest difference between the nodes' wall clocks
  double clock_set = 0;  ///< a node's wall clock is set forward or back, at each chance of an operator to act

  double clock_jumps = 0;  ///< likewise by hours or months, and is corrected within nine minutes

  // Faults of one node among others.
  double pauses = 0;  ///< at each step: the node does nothing for a while, while time goes on
  double keeper_away = 0;  ///< for each read and renewal: its keeper's database alone is away for up to 8 s
  double look_stale = 0;  ///< for each read: its keeper keeps reading the nodes as they are now, for up to 10 s
  double news_late = 0;  ///< for each read of the directory's log: it takes up to 6 s

  // Faults of the connections between nodes, for each message.
  double message_lost = 0;  ///< this message and all after it, until the connection breaks
  double message_late = 0;  ///< by up to 5 s
  double message_twice = 0;
  double connection_breaks = 0;
  double cuts = 0;  ///< every few seconds: two nodes cannot reach each other for up to 10 s

  // Faults of the database, for each transaction or read.
  double commit_refused = 0;  ///< the writer's queue is full
  double commit_failed = 0;  ///< the outcome is `unavailable`, and nothing happened
  double commit_unheard = 0;  ///< the outcome is `unavailable`, but the unit is committed at once
  double commit_late = 0;  ///< the outcome is `unavailable`, but the unit is committed some seconds later
  double read_failed = 0;
  duration_ms store_latency{2};

  // Faults of the provider, for each call.
  double call_lost = 0;  ///< the call never arrives
  double reply_lost = 0;  ///< the call is executed, and its answer is lost
  double call_fails = 0;  ///< 5xx, executed or not
  double call_twice = 0;  ///< the network delivers the call again, later
  double reply_twice = 0;
  double declined = 0.1;
  double challenged = 0;  ///< a create needs the customer to act
  duration_ms provider_latency{300};  ///< at most
  double stalls = 0;  ///< takes up to 30 s instead

  // Faults of a provider other than the gateway's own.
  double provider_away = 0;  ///< for each call: from now on nearly nothing reaches it, for up to two minutes
  double refused = 0;  ///< for each call: it is declined before anything is executed
  double not_understood = 0;  ///< for each notification that the provider is asked to interpret
  double notice_lost = 0;  ///< for each of its notifications: it is never posted
  double notice_late = 0;  ///< by up to two minutes
  double notice_twice = 0;
  double provider_acts = 0;  ///< every second or so: something happens at it that the gateway has not requested
  double slow_refunds = 0;  ///< for each refund: it is accepted, and executed later or never

  // Faults of the merchants' endpoints, for each attempt.
  double post_unreachable = 0;
  double post_rejected = 0;  ///< 500, 503, 404 or 429, sometimes with Retry-After
  double post_gone = 0;  ///< 410
  double post_unheard = 0;  ///< accepted, but the answer is lost
  double post_stalls = 0;  ///< takes up to 20 s, which is too long
  double receiver_away = 0;  ///< the endpoint is away from now on, for up to two minutes
  duration_ms receiver_latency{50};
  double client_breaks = 0;  ///< the node's client throws during a post, and the worker that made it dies

  // Operators.
  double operator_acts =
      0;  ///< every few seconds: a destination is disabled, enabled or gets a new secret, something is redelivered
  double directory_fails = 0;
  double keys_end = 0;  ///< every few seconds: a platform's key is revoked, or the platform is suspended or resumed

  // The clients.
  double gives_up = 0;  ///< instead of retrying
  double sends_twice = 0;  ///< the same request twice at once, to any nodes
  double reuses_key = 0;  ///< a new request under an old key
  duration_ms answer_timeout{5'000};
  duration_ms pause{2'000};  ///< the longest pause between two requests of one client

  /// No faults. Effects of earlier faults remain.
  static fault_rates none() { return {}; }
};

constexpr double most_drift_within_lease = 0.1;

/// The provider that charges the merchant's cards in EUR.
enum class card_routes {
  sandbox,  ///< the gateway's own
  stripe,
  stripe_first,  ///< then the sandbox while Stripe is away
};

struct world_plan {
  unsigned nodes = 1;
  bool mixed_versions = false;  ///< half of the nodes speak another message version
  /// How much a node's monotonic clock may run too fast or too slow. A lease tolerates a tenth, not a half.
  double drift = 0;
  bool stale_looks = false;  ///< as with a lagging replica: a node that serves considers the others gone
  /// Whether a node's own count of its lease ends before the others' count. If not, only row versions keep two owners
  /// apart, and a node may answer with a state older than another node's answer.
  bool leases_hold() const { return drift <= most_drift_within_lease && !stale_looks; }
  unsigned clients = 2;
  unsigned requests = 8;  ///< of each client
  unsigned payments = 2;  ///< payments that all clients share
  unsigned destinations = 2;
  unsigned customers = 0;  ///< of each platform, shared by its programs
  std::uint32_t number_salts =
      1;  ///< salts of the nodes' delivery numbers: with one salt, two nodes can draw the same number
  card_routes cards = card_routes::sandbox;
  bool keys_expire = false;  ///< idempotency keys are purged soon after their requests
  fault_rates faults;
  settings config = settings_of_worlds();
};

world_plan draw_plan(random_source& random);
/// Draws what concerns only worlds of several nodes, from another source, so that worlds of one node stay the same.
void draw_company(world_plan& plan, random_source& random);
/// Draws what concerns only worlds with a provider other than the gateway's own, also from another source.
void draw_provider(world_plan& plan, random_source& random);

}  // namespace gateway::simulation
