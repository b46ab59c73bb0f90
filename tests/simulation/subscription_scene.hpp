// A platform whose customers subscribe, an operator who moves their subscriptions on, and a provider whose
// notifications arrive repeatedly, late and out of order.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "retried_calls.hpp"
#include "subscriptions.hpp"

namespace gateway::simulation {

class subscription_scene {
 public:
  subscription_scene(virtual_time& time, random_source& random, const fault_rates& faults,
                     const testing::memory_store& rows, subscription_promises& held, journal& log,
                     retried_calls::send_function send);

  /// From now on nothing new begins and nothing is given up.
  void calm_down() { retried_calls_.calm_down(); }
  bool done() const { return retried_calls_.done(); }
  /// Repeats all answered writes.
  void ask_all_again();

 private:
  void act();
  void open();
  void cancel();
  void pay();
  void move();
  void view();
  void tell_again();
  void write(std::string name, entity_request request);
  entity_key any_subscription();
  /// The provider's side of a subscription that was opened; empty if there is none.
  std::optional<entity_key> any_enrollment();

  virtual_time& time_;
  random_source& random_;
  const testing::memory_store& rows_;
  subscription_promises& promises_;
  retried_calls retried_calls_;
  duration_ms pause_;
  unsigned acts_left_;
  unsigned drawn_ = 0;
  std::vector<entity_request> answered_;
};

}  // namespace gateway::simulation
