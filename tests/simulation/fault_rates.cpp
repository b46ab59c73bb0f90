#include "fault_rates.hpp"

#include <algorithm>

namespace gateway::simulation {

world_plan draw_plan(random_source& random) {
  world_plan plan;
  // A fault is absent from two worlds in three. Otherwise its probability is up to `most`.
  const auto maybe = [&](double most) {
    return random.chance(1.0 / 3) ? most * static_cast<double>(random.between(1, 100)) / 100 : 0.0;
  };

  plan.nodes = random.chance(0.5) ? 1 : static_cast<unsigned>(random.between(2, 3));
  plan.clients = static_cast<unsigned>(random.between(1, 5));
  plan.requests = static_cast<unsigned>(random.between(3, 12));
  plan.payments = static_cast<unsigned>(random.between(1, 4));

  auto& faults = plan.faults;
  faults.crash = maybe(0.02);
  faults.clock_skew = duration_ms{random.chance(0.3) ? random.between(1, 5'000) : 0};
  faults.commit_refused = maybe(0.2);
  faults.commit_failed = maybe(0.3);
  faults.commit_unheard = maybe(0.3);
  faults.commit_late = maybe(0.3);
  faults.read_failed = maybe(0.3);
  faults.store_latency = duration_ms{random.chance(0.2) ? random.between(100, 8'000) : random.between(1, 20)};
  faults.call_lost = maybe(0.5);
  faults.reply_lost = maybe(0.5);
  faults.call_fails = maybe(0.5);
  faults.call_twice = maybe(0.5);
  faults.reply_twice = maybe(0.5);
  faults.declined = random.chance(0.5) ? maybe(0.5) : 0.1;
  faults.challenged = maybe(0.6);
  faults.provider_latency = duration_ms{random.between(1, 2'000)};
  faults.stalls = maybe(0.4);
  faults.gives_up = maybe(0.5);
  faults.sends_twice = maybe(0.6);
  faults.reuses_key = maybe(0.4);
  faults.answer_timeout = duration_ms{random.between(500, 40'000)};

  faults.clock_set = faults.clock_skew > duration_ms{0} ? maybe(0.5) : 0;
  faults.post_unreachable = maybe(0.6);
  faults.post_rejected = maybe(0.8);
  faults.post_gone = maybe(0.1);
  faults.post_unheard = maybe(0.5);
  faults.post_stalls = maybe(0.4);
  faults.receiver_away = maybe(0.2);
  faults.receiver_latency = duration_ms{random.between(1, 1'000)};
  faults.client_breaks = maybe(0.2);
  faults.operator_acts = maybe(1.0);
  faults.directory_fails = maybe(0.5);
  plan.destinations = static_cast<unsigned>(random.between(2, 3));
  plan.number_salts = random.chance(0.5) ? 1 : 3;

  faults.clock_jumps = maybe(0.3);

  plan.keys_expire = random.chance(0.15);
  // Makes pauses long enough for keys to expire.
  if (plan.keys_expire) faults.pause = duration_ms{random.between(60'000, 600'000)};

  auto& config = plan.config;
  if (random.chance(0.4)) config.live_payments = static_cast<std::size_t>(random.between(1, 3));
  if (random.chance(0.3)) config.payment_idle = std::chrono::milliseconds{random.between(100, 10'000)};
  if (random.chance(0.3)) config.payment_queue = static_cast<std::size_t>(random.between(1, 3));
  if (random.chance(0.2)) config.provider_in_flight = static_cast<std::size_t>(random.between(1, 3));
  // Either soon enough to compete with the customer, or never within this world.
  if (random.chance(0.4)) config.hosted_expiry = std::chrono::milliseconds{random.between(1'000, 60'000)};
  config.reconcile_interval = std::chrono::milliseconds{random.between(1'000, 10'000)};
  config.reconcile_longest = std::chrono::milliseconds{random.between(10'000, 300'000)};
  // So few that destinations wait for each other.
  if (random.chance(0.5)) config.webhook_workers = static_cast<std::size_t>(random.between(1, 4));
  if (random.chance(0.5)) config.webhook_window = static_cast<std::size_t>(random.between(1, 3));
  // The whole schedule would last an hour.
  config.webhook_attempts = static_cast<unsigned>(random.between(1, 4));
  plan.customers = random.chance(0.5) ? static_cast<unsigned>(random.between(1, 2)) : 0;
  faults.keys_end = maybe(0.5);
  return plan;
}

void draw_company(world_plan& plan, random_source& random) {
  if (plan.nodes == 1) return;
  const auto maybe = [&](double most) {
    return random.chance(1.0 / 3) ? most * static_cast<double>(random.between(1, 100)) / 100 : 0.0;
  };
  if (plan.nodes > 2) plan.nodes = static_cast<unsigned>(random.between(3, 5));
  plan.mixed_versions = random.chance(0.2);
  plan.drift = random.chance(0.5) ? 0 : random.chance(0.7) ? most_drift_within_lease : 0.5;
  auto& faults = plan.faults;
  faults.pauses = maybe(0.01);
  faults.keeper_away = maybe(0.05);
  faults.news_late = maybe(0.3);
  // Nodes exchange few messages, so that each of them must be likely to fail.
  faults.message_lost = maybe(0.6);
  faults.message_late = maybe(0.6);
  faults.message_twice = maybe(0.6);
  faults.connection_breaks = maybe(0.3);
  faults.cuts = maybe(0.5);
  // Drawn last, so that worlds without it stay the same.
  plan.stale_looks = plan.leases_hold() && random.chance(0.1);
  faults.look_stale = plan.stale_looks ? 0.02 : 0;
}

void draw_provider(world_plan& plan, random_source& random) {
  if (random.chance(0.5)) return;
  plan.cards = random.chance(0.5) ? card_routes::stripe : card_routes::stripe_first;
  const auto maybe = [&](double most) {
    return random.chance(0.5) ? most * static_cast<double>(random.between(1, 100)) / 100 : 0.0;
  };
  auto& faults = plan.faults;
  faults.provider_away = maybe(0.2);
  faults.refused = maybe(0.3);
  faults.not_understood = maybe(0.5);
  faults.notice_lost = maybe(1.0);
  faults.notice_late = maybe(0.6);
  faults.notice_twice = maybe(0.6);
  faults.provider_acts = random.chance(0.8) ? static_cast<double>(random.between(2, 40)) / 100 : 0.0;
  faults.slow_refunds = maybe(0.6);
  if (faults.provider_away == 0) return;
  // A breaker opens only after many failures, and some payments must be left to begin after that.
  plan.payments = static_cast<unsigned>(random.between(4, 20));
  plan.clients = std::max(plan.clients, 3U);
  plan.requests = std::max(plan.requests, static_cast<unsigned>(random.between(8, 24)));
}

}  // namespace gateway::simulation
