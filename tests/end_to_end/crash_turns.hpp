// The kills of a crash test whose provider is a stand-in: of the gateway, of the provider, and of both at once.
#pragma once

#include <chrono>
#include <random>
#include <thread>

#include "gateway_process.hpp"

namespace gateway::e2e {

/// Kills in turns, `rounds` times, and restarts the killed processes. `progress` is called before each kill and once
/// after the last start, and returns whether the clients get answers. If not, returns false at once.
template <class Provider, class Progress>
bool kill_in_turns(gateway_process& gateway, Provider& provider, int rounds, std::mt19937& random, Progress progress) {
  const auto wait = [&](unsigned longest_ms) {
    std::this_thread::sleep_for(std::chrono::milliseconds{random() % longest_ms});
  };
  for (int round = 0; round < rounds; ++round) {
    for (const unsigned who : {1U, 2U, 3U}) {
      if (!progress()) return false;
      wait(250);
      if (who & 1U) gateway.kill();
      if (who & 2U) provider.kill();
      wait(300);
      if (who & 2U) provider.start();
      if (who & 1U) gateway.start();
    }
  }
  return progress();
}

/// Kills both once more, and starts them, so that only durable data is left.
template <class Provider>
void restart_both(gateway_process& gateway, Provider& provider) {
  gateway.kill();
  provider.kill();
  provider.start();
  gateway.start();
}

}  // namespace gateway::e2e
