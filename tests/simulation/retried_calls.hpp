// Requests of everyone except the clients. Each is retried until it is decided or given up.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "fault_rates.hpp"
#include "gateway/messages/actors.hpp"
#include "journal.hpp"
#include "random_source.hpp"
#include "virtual_time.hpp"

namespace gateway::simulation {

class retried_calls {
 public:
  /// As for a client: the callback is not called if the node crashes.
  using send_function = std::function<void(entity_request, std::function<void(entity_reply&)>)>;

  /// `whose`: the name of these requests in the journal.
  retried_calls(std::string whose, virtual_time& time, random_source& random, const fault_rates& faults, journal& log,
                send_function send)
      : whose_{std::move(whose)}, time_{time}, random_{random}, faults_{faults}, log_{log}, send_{std::move(send)} {}

  /// `make` is called again for each try.
  void begin(
      std::string name, std::function<entity_request()> make,
      std::function<void(const entity_reply&)> decided = [](const entity_reply&) {});
  /// From now on no request is given up.
  void calm_down() { calm_ = true; }
  bool calm() const { return calm_; }
  bool done() const { return *under_way_ == 0; }

 private:
  struct retried_call {
    std::string name;
    std::function<entity_request()> make;
    std::function<void(const entity_reply&)> decided;
    unsigned tries = 0;
    bool over = false;
  };

  void send(const std::shared_ptr<retried_call>& what);
  void finish(retried_call& what);

  std::string whose_;
  virtual_time& time_;
  random_source& random_;
  const fault_rates& faults_;
  journal& log_;
  send_function send_;
  bool calm_ = false;
  std::shared_ptr<unsigned> under_way_ = std::make_shared<unsigned>(0);
};

}  // namespace gateway::simulation
