// The merchants' endpoints, outside all nodes. They may fail to receive a post or to answer it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "deliveries.hpp"
#include "fault_rates.hpp"
#include "gateway/ports/membership.hpp"
#include "gateway/ports/webhook_client.hpp"
#include "journal.hpp"
#include "random_source.hpp"
#include "virtual_time.hpp"

namespace gateway::simulation {

class receivers {
 public:
  receivers(virtual_time& time, random_source& random, const fault_rates& faults, const settings& config,
            delivery_promises& held, journal& log)
      : time_{time}, random_{random}, faults_{faults}, config_{config}, promises_{held}, log_{log} {}

  /// Receives one post. `told` is called once, later, with the result that the node's client gets.
  void take(const outgoing_post& post, std::function<void(delivery_attempt)> reported);
  /// Whether the node's own client throws during a post, before or after sending it.
  bool client_breaks() { return random_.chance(faults_.client_breaks); }

  delivery_promises& held() { return promises_; }
  random_source& random() { return random_; }
  journal& log() { return log_; }

 private:
  /// Whether the endpoint is away; some are for a while.
  bool is_away(const std::string& url);
  delivery_attempt answer(std::int64_t number);

  virtual_time& time_;
  random_source& random_;
  const fault_rates& faults_;
  const settings& config_;
  delivery_promises& promises_;
  journal& log_;
  std::map<std::string, time_point> away_until_;
};

/// A node's connection to the endpoints. A post in flight when the node crashes may still arrive.
class webhook_link final : public webhook_client {
 public:
  webhook_link(receivers& to, std::string node, const wall_clock& clock, std::shared_ptr<bool> alive,
               std::shared_ptr<node_memory> memory, const membership& among)
      : to_{to},
        node_{std::move(node)},
        clock_{clock},
        alive_{std::move(alive)},
        memory_{std::move(memory)},
        among_{among} {}

  void post(outgoing_post request, std::function<void(delivery_attempt)> done) override;
  void check(std::string, std::string, std::function<void(std::optional<std::string>)> done) override {
    done(std::nullopt);
  }

  /// Drops the open posts, whose callbacks refer to the node's actors. Call it before these are destroyed.
  void close() { open_.clear(); }

 private:
  receivers& to_;
  std::string node_;
  const wall_clock& clock_;
  std::shared_ptr<bool> alive_;
  std::shared_ptr<node_memory> memory_;
  const membership& among_;
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, std::function<void(delivery_attempt)>> open_;
};

}  // namespace gateway::simulation
