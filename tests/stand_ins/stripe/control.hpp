// The control interface for tests: plain HTTP with JSON on a loopback port of its own.
#pragma once

#include "api.hpp"
#include "notifier.hpp"

namespace gateway::stripe_stand_in {

class control {
 public:
  control(api& of, notifier& posts, const store& all, surroundings& at) : api_{of}, posts_{posts}, all_{all}, at_{at} {}

  answer serve(const request& asked);

 private:
  /// POST /control. Throws std::exception if the settings are invalid.
  void set(const boost::json::object& wanted);
  void set_notifications(const boost::json::object& wanted);
  void set_account(const std::string& id, std::string_view state);
  /// POST /control/subscription: `id`, and `move` as for move_subscription(). Answers with the subscription's status.
  answer move(const boost::json::object& wanted);
  /// POST /control/payment: what `act()` takes, and `notify` (false: its events are never posted). Answers with the id
  /// and the status of the object.
  answer act_outside(const boost::json::object& wanted);

  api& api_;
  notifier& posts_;
  const store& all_;
  surroundings& at_;
};

/// `active`, `restricted` or `gone`. Throws std::invalid_argument.
account_state parse_account_state(std::string_view word);

}  // namespace gateway::stripe_stand_in
