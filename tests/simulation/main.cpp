// Simulates many seeds, or one seed with its journal.
#include <CLI/CLI.hpp>

#include <chrono>
#include <iostream>
#include <map>
#include <string>

#include "exploration.hpp"
#include "gateway/base/log.hpp"

using namespace gateway::simulation;

namespace {

int notify(std::uint64_t seed, guard missing) {
  const auto result = simulate(seed, missing, &std::cout);
  std::cout << "seed " << seed << ": " << result.broken.value_or("every promise held") << " (" << result.steps
            << " steps, " << result.crashes << " crashes, "
            << std::chrono::floor<std::chrono::seconds>(result.time).count() << " s of virtual time)\n";
  return result.broken ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Runs the gateway's actors through simulated worlds and holds its promises against them.", "simulate"};
  std::uint64_t seeds = 2'000, from = 1, seed = 0;
  guard missing = guard::none;
  const std::map<std::string, guard> guards{{"begin-commit", guard::begin_commit},
                                            {"version-claim", guard::version_claim},
                                            {"provider-key", guard::provider_key},
                                            {"delivery-commit", guard::delivery_commit},
                                            {"delivery-claim", guard::delivery_claim},
                                            {"clock-guard", guard::clock_guard},
                                            {"grant-version", guard::grant_version},
                                            {"publish-before-answer", guard::publish_before_answer},
                                            {"code-spend", guard::code_spend},
                                            {"customer-key", guard::customer_key},
                                            {"customer-first", guard::customer_first},
                                            {"judge-at-begin", guard::judge_at_begin},
                                            {"count-once", guard::count_once},
                                            {"cycle-outbox", guard::cycle_outbox},
                                            {"lease", guard::lease},
                                            {"close-first", guard::close_first},
                                            {"await-others", guard::await_others},
                                            {"comparison", guard::comparison},
                                            {"log-bound", guard::log_bound},
                                            {"lane-check", guard::lane_check},
                                            {"meet-others", guard::meet_others}};
  auto* many =
      app.add_option("--seeds", seeds, "how many seeds to explore")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--from", from, "the first of them")->capture_default_str();
  auto* one = app.add_option("--seed", seed, "replay this one, and tell its story")->excludes(many);
  app.add_option("--without", missing, "take a guard out, and see it missed")
      ->transform(CLI::CheckedTransformer(guards));
  CLI11_PARSE(app, argc, argv);
  gateway::log::start(gateway::log::level::error);
  const int status = one->count() > 0 ? notify(seed, missing) : explore({from, seeds, missing}, std::cout) > 0;
  gateway::log::stop();
  return status;
}
