// The faults of one simulated world, as probabilities. Each seed draws its own. Most faults are absent from most
// worlds, so that each occurs alone as well as together with others.
#pragma once

#include "gateway/domain/time.hpp"
#include "gateway/settings.hpp"
#include "random_source.hpp"

namespace gateway::simulation {

struct fault_rates {
  // Faults of a node, at each step of an actor.
  double crash = 0;
  duration_ms clock_skew{0};  ///< the largest difference between the nodes' wall clocks
  double clock_set = 0;  ///< a node's wall clock is set forward or back, each time that an operator may act

  double clock_jumps = 0;  ///< likewise by hours or months, and is corrected within nine minutes

  // Faults of one node among others.
  double pauses = 0;  ///< at each step: for up to 15 s it does nothing, while time goes on
  double keeper_away = 0;  ///< for each look and renewal: its keeper's database is away for up to 8 s, on its own
  double look_stale = 0;  ///< for each look: its keeper sees the nodes as they are now, for up to 10 s
  double news_late = 0;  ///< for each look at the directory's log: it takes up to 6 s

  // Faults of what lies between the nodes, for each message.
  double message_lost = 0;  ///< and all after it, until the connection breaks
  double message_late = 0;  ///< by up to 5 s
  double message_twice = 0;
  double connection_breaks = 0;
  double cuts = 0;  ///< every few seconds: two nodes cannot reach each other for up to 10 s

  // Faults of the database, for each transaction or read.
  double commit_refused = 0;  ///< the writer's queue is full
  double commit_failed = 0;  ///< the outcome is `unavailable`, and nothing happened
  double commit_unheard = 0;  ///< the outcome is `unavailable`, but the unit is committed
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
  double challenged = 0;  ///< a create needs the customer
  duration_ms provider_latency{300};  ///< at most
  double stalls = 0;  ///< takes up to 30 s instead

  // Faults of a provider that is not the gateway's own.
  double provider_away = 0;  ///< for each call: it can hardly be reached from now on, for up to two minutes
  double turned_away = 0;  ///< for each call: it is declined before anything is executed
  double not_understood = 0;  ///< for each notification that is to be understood
  double notice_lost = 0;  ///< for each of its notifications: it is never posted
  double notice_late = 0;  ///< by up to two minutes
  double notice_twice = 0;

  // Faults of the merchants' endpoints, for each attempt.
  double post_unreachable = 0;
  double post_rejected = 0;  ///< 500, 503, 404 or 429, sometimes with Retry-After
  double post_gone = 0;  ///< 410
  double post_unheard = 0;  ///< accepted, and the answer is lost
  double post_stalls = 0;  ///< takes up to 20 s, which is too long
  double receiver_away = 0;  ///< the endpoint is away from now on, for up to two minutes
  duration_ms receiver_latency{50};
  double client_breaks = 0;  ///< the node's client throws during a post, and the worker that made it dies

  // Operators.
  double operator_acts =
      0;  ///< every few seconds: a destination is disabled, enabled or gets a new secret, something is redelivered
  double directory_fails = 0;
  double keys_end = 0;  ///< every few seconds: a platform's key is revoked, or the platform suspended, or resumed

  // The clients.
  double gives_up = 0;  ///< instead of trying again
  double sends_twice = 0;  ///< the same request twice at once, to any nodes
  double reuses_key = 0;  ///< a new request under an old key
  duration_ms answer_timeout{5'000};
  duration_ms pause{2'000};  ///< the longest pause between two requests of one client

  /// No faults. Consequences of earlier faults stay.
  static fault_rates none() { return {}; }
};

constexpr double most_drift_within_lease = 0.1;

/// By whom the merchant's cards in EUR are charged.
enum class card_routes {
  sandbox,  ///< the gateway's own
  stripe,
  stripe_first,  ///< and by the sandbox while Stripe is away
};

struct world_plan {
  unsigned nodes = 1;
  bool mixed_versions = false;  ///< half of the nodes speak another message version
  /// By so much a node's monotonic clock may run too fast or too slow. A tenth a lease allows, a half it does not.
  double drift = 0;
  bool stale_looks = false;  ///< as at a replica that lags: a node that serves takes the others for gone
  /// Whether a node's own count of its lease is over before the others'. Else versions alone keep two owners apart: a
  /// node may answer with what was true before another one's answer.
  bool leases_hold() const { return drift <= most_drift_within_lease && !stale_looks; }
  unsigned clients = 2;
  unsigned requests = 8;  ///< requests of each client
  unsigned payments = 2;  ///< payments that all clients share
  unsigned destinations = 2;
  unsigned customers = 0;  ///< of each platform, shared by its programs
  std::uint32_t number_salts =
      1;  ///< salts of the nodes' delivery numbers: with one salt, two nodes can draw the same number
  card_routes cards = card_routes::sandbox;
  bool keys_expire = false;  ///< idempotency keys are purged soon after their requests
  fault_rates faults;
  settings config;
};

world_plan draw_plan(random_source& random);
/// What concerns only worlds of several nodes: from another source, so that those of one stay as they are.
void draw_company(world_plan& plan, random_source& random);
/// What concerns only worlds with a provider that is not the gateway's own: likewise.
void draw_provider(world_plan& plan, random_source& random);

}  // namespace gateway::simulation
