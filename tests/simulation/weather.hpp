// What goes wrong in one simulated world, and how often. Each seed draws its own: most faults are absent from most
// worlds, so that each is seen alone as well as with others.
#pragma once

#include "dice.hpp"
#include "gateway/settings.hpp"

namespace gateway::simulation {

struct weather {
  // A node, at each step of an actor.
  double crash = 0;
  duration_ms clock_skew{0};  ///< between the nodes' wall clocks, at most
  double clock_set = 0;  ///< a node's wall clock is set, forwards or back; each time that an operator may do something

  // The database, for each transaction or read.
  double commit_refused = 0;  ///< the writer's queue is full
  double commit_failed = 0;  ///< said to be unavailable, and nothing happened
  double commit_unheard = 0;  ///< said to be unavailable, and all of it happened
  double commit_late = 0;  ///< said to be unavailable, and it happens some seconds later
  double read_failed = 0;
  duration_ms store_latency{2};

  // The provider, for each call.
  double call_lost = 0;  ///< it never gets there
  double reply_lost = 0;  ///< it is executed, and nobody hears of it
  double call_fails = 0;  ///< 5xx, executed or not
  double call_twice = 0;  ///< the network delivers it again, later
  double reply_twice = 0;
  double declined = 0.1;
  double challenged = 0;  ///< a create asks for the customer
  duration_ms provider_latency{300};  ///< at most
  double stalls = 0;  ///< takes up to 30 s instead

  // The merchants' endpoints, for each attempt.
  double post_unreachable = 0;
  double post_rejected = 0;  ///< 500, 503, 404, 429; now and then with Retry-After
  double post_gone = 0;  ///< 410
  double post_unheard = 0;  ///< taken and accepted, and nobody hears of it
  double post_stalls = 0;  ///< takes up to 20 s, which is too long
  double receiver_away = 0;  ///< nobody is there from now on, for up to two minutes
  duration_ms receiver_latency{50};
  double client_breaks = 0;  ///< the node's own client fails on a post, and the worker that made it dies

  // Operators.
  double meddling =
      0;  ///< every few seconds: a destination is disabled, enabled or gets a new secret, something is redelivered
  double directory_fails = 0;

  // The clients.
  double gives_up = 0;  ///< instead of trying again
  double sends_twice = 0;  ///< the same request at once, to whichever nodes
  double reuses_key = 0;  ///< a new request under an old key
  duration_ms patience{5'000};
  duration_ms pause{2'000};  ///< between two requests of one client, at most

  /// The faults end; what has gone wrong stays so.
  static weather calm() { return {}; }
};

struct world_plan {
  unsigned nodes = 1;
  unsigned clients = 2;
  unsigned requests = 8;  ///< of each client
  unsigned payments = 2;  ///< that they share
  unsigned destinations = 2;
  std::uint32_t number_salts = 1;  ///< of the nodes' delivery numbers: with one, two nodes can draw the same number
  bool keys_expire = false;  ///< idempotency keys are purged soon after their requests
  weather faults;
  settings config;
};

world_plan draw_plan(dice& random);

}  // namespace gateway::simulation
