#include "plan.hpp"

#include "workload/names.hpp"

namespace gateway::load {

namespace {

/// The random numbers of one subscription: independent of other subscriptions', and the same in each run.
class dice {
 public:
  dice(std::uint64_t seed, std::uint64_t number) : seed_{seed}, next_{number * 64} {}

  std::uint64_t below(std::uint64_t end) { return splitmix64(seed_, next_++) % end; }
  std::uint32_t between(std::uint32_t least, std::uint32_t most) {
    return least + static_cast<std::uint32_t>(below(most - least + 1));
  }
  bool percent(std::uint64_t share) { return below(100) < share; }

 private:
  std::uint64_t seed_, next_;
};

ending ending_of(std::uint64_t of_hundred) {
  if (of_hundred < 2) return ending::abandoned;
  if (of_hundred < 8) return ending::merchant;
  if (of_hundred < 12) return ending::provider;
  if (of_hundred < 14) return ending::expired;
  if (of_hundred < 17) return ending::exhausted;
  return ending::none;
}

}  // namespace

subscription_plan plan_of(std::uint64_t seed, std::uint64_t number, std::uint32_t months) {
  dice chance{seed, number};
  subscription_plan plan;
  plan.amount = 1'000 + static_cast<std::int64_t>(chance.below(9'000));
  plan.ends = ending_of(chance.below(100));
  if (plan.ends == ending::abandoned) return plan;
  if (chance.percent(5)) plan.trial_days = chance.between(1, 30);
  plan.cycles = plan.ends == ending::none ? months : chance.between(1, months - 1);
  const std::uint32_t first = plan.trial_days > 0 ? 1 : 2;  // the first cycle that an operator can let fail
  if (chance.percent(10) && plan.cycles >= first) {
    plan.failing = chance.between(first, plan.cycles);
    plan.failures = chance.between(1, sandbox_attempts - 1);
  }
  if (chance.percent(5)) {
    plan.refunded = chance.between(1, plan.cycles);
    plan.refund = 1 + static_cast<std::int64_t>(chance.below(static_cast<std::uint64_t>(plan.amount) - 1));
  }
  if (chance.percent(20)) plan.repeat = chance.between(2, 4);
  plan.reorder = chance.percent(20);
  return plan;
}

expected_events events_of(const subscription_plan& plan) {
  expected_events events;
  if (plan.ends == ending::abandoned) return events;
  const auto exhausted = plan.ends == ending::exhausted ? sandbox_attempts : 0;
  events.activated = 1;
  events.invoice_paid = events.payment_succeeded = plan.cycles;
  events.invoice_failed = events.payment_failed = plan.failures + exhausted;
  events.payment_partially_refunded = plan.refunded > 0 ? 1 : 0;
  // One event for each change of status: out of the trial, to past_due and back, to past_due before the end.
  events.updated = (plan.trial_days > 0 ? 1u : 0u) + (plan.failures > 0 ? 2u : 0u) + (exhausted > 0 ? 1u : 0u);
  // The trial ends directly in past_due, so one change is missing.
  if (plan.trial_days > 0 && plan.failing == 1) events.updated -= 1;
  events.canceled = plan.ends != ending::none ? 1 : 0;
  return events;
}

std::string_view status_of(const subscription_plan& plan) {
  switch (plan.ends) {
    case ending::none: return "active";
    case ending::abandoned:
    case ending::expired: return "incomplete_expired";
    default: return "canceled";
  }
}

std::vector<std::string_view> moves_of(const subscription_plan& plan) {
  std::vector<std::string_view> moves;
  if (plan.ends == ending::abandoned) return {"expire"};
  for (std::uint32_t cycle = plan.trial_days > 0 ? 1 : 2; cycle <= plan.cycles; ++cycle) {
    if (cycle == plan.failing) moves.insert(moves.end(), plan.failures, "failed");
    moves.push_back("paid");
  }
  if (plan.ends == ending::provider) moves.push_back("delete");
  if (plan.ends == ending::expired) moves.push_back("expire");
  if (plan.ends == ending::exhausted) moves.push_back("exhausted");
  return moves;
}

}  // namespace gateway::load
