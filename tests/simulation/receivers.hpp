// The merchants' endpoints, outside every node: they take what is posted, or do not, and answer, or do not.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "agenda.hpp"
#include "deliveries.hpp"
#include "dice.hpp"
#include "gateway/webhook_client.hpp"
#include "journal.hpp"
#include "weather.hpp"

namespace gateway::simulation {

class receivers {
 public:
  receivers(agenda& time, dice& random, const weather& faults, const settings& config, delivery_promises& held,
            journal& log)
      : time_{time}, random_{random}, faults_{faults}, config_{config}, held_{held}, log_{log} {}

  /// One attempt's fate: `told` is run once, later, with what the node's client sees of it.
  void take(const outgoing_post& post, std::function<void(delivery_attempt)> told);
  /// Whether the node's own client fails on a post, before or after it has gone out.
  bool client_breaks() { return random_.chance(faults_.client_breaks); }

  delivery_promises& held() { return held_; }
  dice& random() { return random_; }
  journal& log() { return log_; }

 private:
  /// Some endpoints are away for a while.
  bool is_away(const std::string& url);
  delivery_attempt answer(std::int64_t number);

  agenda& time_;
  dice& random_;
  const weather& faults_;
  const settings& config_;
  delivery_promises& held_;
  journal& log_;
  std::map<std::string, time_point> away_until_;
};

/// A node's way to them. What is under way when the node crashes may still arrive.
class mail_line final : public webhook_client {
 public:
  mail_line(receivers& to, std::string node, const wall_clock& clock, std::shared_ptr<bool> alive,
            std::shared_ptr<node_memory> memory)
      : to_{to}, node_{std::move(node)}, clock_{clock}, alive_{std::move(alive)}, memory_{std::move(memory)} {}

  void post(outgoing_post request, std::function<void(delivery_attempt)> done) override;
  void check(std::string, std::function<void(std::optional<std::string>)> done) override { done(std::nullopt); }

  /// Before the node's actors go: they wait for answers.
  void hang_up() { open_.clear(); }

 private:
  receivers& to_;
  std::string node_;
  const wall_clock& clock_;
  std::shared_ptr<bool> alive_;
  std::shared_ptr<node_memory> memory_;
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, std::function<void(delivery_attempt)>> open_;
};

}  // namespace gateway::simulation
