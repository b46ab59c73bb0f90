// Owners who consent, platforms that exchange their codes and revoke, and an operator who revokes, too. Each request is
// retried until it is decided or given up.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fault_rates.hpp"
#include "gateway/messages/actors.hpp"
#include "grants.hpp"
#include "journal.hpp"
#include "random_source.hpp"
#include "retried_calls.hpp"
#include "virtual_time.hpp"

namespace gateway::simulation {

class platform_scene {
 public:
  platform_scene(virtual_time& time, random_source& random, const fault_rates& faults,
                 const testing::memory_store& rows, grant_promises& held, journal& log,
                 retried_calls::send_function send);

  /// From now on nothing new begins and nothing is given up.
  void calm_down() { retried_calls_.calm_down(); }
  bool done() const { return retried_calls_.done(); }

  static const std::vector<platform_id>& platforms();
  /// The keys with which its programs sign.
  static std::vector<key_id> keys_of(const platform_id& who);

 private:
  struct known_code {
    entity_key binding;
    std::string hash;
    std::string redirect_uri;
  };

  void act();
  void consent();
  void exchange();
  void revoke(bool by_operator);
  entity_key any_binding();

  virtual_time& time_;
  random_source& random_;
  const fault_rates& faults_;
  const testing::memory_store& rows_;
  grant_promises& promises_;
  retried_calls retried_calls_;
  unsigned acts_left_ = 0;
  unsigned drawn_ = 0;  ///< the number of ids and keys made
  std::vector<known_code> codes_;
};

}  // namespace gateway::simulation
