#include "engine.hpp"

#include <algorithm>
#include <csignal>
#include <memory>
#include <stdexcept>
#include <thread>

#include "load_thread.hpp"

namespace gateway::load {

namespace {

/// The plan of thread `number`, where `of` threads share the whole plan.
load_plan share_of(const load_plan& plan, unsigned number, unsigned of) {
  auto part = plan;
  if (part.open) part.open = part.open->share(number, of);
  part.connections = plan.connections / of + (number < plan.connections % of ? 1 : 0);
  part.most_waiting = std::max<std::size_t>(1, plan.most_waiting / of);
  return part;
}

}  // namespace

load_outcome run_load(std::span<const target> to, const signer& sign, const load_plan& plan,
                      const std::vector<scenario*>& scenarios, const std::atomic<bool>& stop,
                      const moment_listener& listen) {
  std::signal(SIGPIPE, SIG_IGN);  // a write to a closed connection fails with an error code instead
  const auto threads = static_cast<unsigned>(scenarios.size());
  if (threads == 0 || plan.connections < threads)
    throw std::runtime_error("each thread needs a scenario and a connection");
  std::vector<std::unique_ptr<load_thread>> engines;
  engines.reserve(threads);
  std::size_t first = 0;
  for (unsigned i = 0; i < threads; ++i) {
    const auto part = share_of(plan, i, threads);
    engines.push_back(std::make_unique<load_thread>(to, first, sign, part, *scenarios[i], stop));
    first += part.connections;
  }
  for (auto& one : engines) one->connect();

  const auto begin = clock::now();
  {
    std::vector<std::jthread> others;
    for (unsigned i = 1; i < threads; ++i) others.emplace_back([&, i] { engines[i]->run(begin, i, listen); });
    engines[0]->run(begin, 0, listen);
  }

  load_outcome outcome;
  std::vector<const tally*> tallies;
  tallies.reserve(engines.size());
  auto ended = begin;
  for (const auto& one : engines) {
    tallies.push_back(&one->counted());
    ended = std::max(ended, one->ended());
    if (outcome.fault.empty()) outcome.fault = one->fault();
    if (one->ran() + one->queued() > outcome.ran + outcome.queued) {
      outcome.ran = one->ran();
      outcome.queued = one->queued();
    }
  }
  const auto counted = std::chrono::duration<double>(ended - begin - std::chrono::nanoseconds{plan.warm_up_ns}).count();
  outcome.measured = tally::sum(tallies, counted);
  outcome.measured.connections = plan.connections;
  if (!plan.open) {
    outcome.measured.intended_per_second = 0;
    // Every connection was busy when counting began and when it ended, so as many requests left in between as were
    // answered. The time until the last answer is not counted, because no request left in it.
    if (plan.warm_up_ns > 0 && counted > 0) outcome.measured.seconds = counted;
  }
  return outcome;
}

}  // namespace gateway::load
