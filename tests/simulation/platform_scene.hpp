// Owners who consent, platforms that exchange their codes and revoke, and an operator who revokes, too. Each request is
// tried until it is decided, or given up.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fault_rates.hpp"
#include "gateway/actors.hpp"
#include "grants.hpp"
#include "journal.hpp"
#include "random_source.hpp"
#include "virtual_time.hpp"

namespace gateway::simulation {

class platform_scene {
 public:
  /// As for a client: not called back if the node crashes.
  using send_function = std::function<void(entity_request, std::function<void(entity_reply&)>)>;

  platform_scene(virtual_time& time, random_source& random, const fault_rates& faults,
                 const testing::memory_store& rows, grant_promises& held, journal& log, send_function send);

  /// Nothing new is begun, and nothing is given up any more.
  void calm_down() { calm_ = true; }
  bool done() const { return *under_way_ == 0; }

  static const std::vector<platform_id>& platforms();
  /// Those with which its programs sign.
  static std::vector<key_id> keys_of(const platform_id& who);

 private:
  /// A request, made anew for each try, and who is told what came of it.
  struct errand {
    std::string name;
    std::function<entity_request()> make;
    std::function<void(const entity_reply&)> decided;
    unsigned tries = 0;
    bool over = false;
  };
  struct known_code {
    entity_key binding;
    std::string hash;
    std::string redirect_uri;
  };

  void act();
  void consent();
  void exchange();
  void revoke(bool by_operator);
  void begin(std::string name, std::function<entity_request()> make, std::function<void(const entity_reply&)> decided);
  void send(const std::shared_ptr<errand>& what);
  void finish(errand& what);
  entity_key any_binding();

  virtual_time& time_;
  random_source& random_;
  const fault_rates& faults_;
  const testing::memory_store& rows_;
  grant_promises& promises_;
  journal& log_;
  send_function send_;
  bool calm_ = false;
  unsigned acts_left_ = 0;
  unsigned drawn_ = 0;  ///< ids and keys that were made
  std::shared_ptr<unsigned> under_way_ = std::make_shared<unsigned>(0);
  std::vector<known_code> codes_;
};

}  // namespace gateway::simulation
