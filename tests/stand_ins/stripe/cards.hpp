// What each test payment method does: https://docs.stripe.com/testing
#pragma once

#include <string_view>

namespace gateway::stripe_stand_in {

enum class behaviour : unsigned char {
  approves,
  declines,
  blocked,                  ///< by Radar, before the bank is asked
  authenticates,            ///< the customer must act, each time
  authenticates_on_setup,   ///< the customer must act, except for charges after the setup
};

struct card {
  std::string_view token;  ///< behind `pm_card_`
  behaviour does = behaviour::approves;
  std::string_view code{};
  std::string_view decline_code{};
  std::string_view message{};
  bool refund_fails = false;
  bool refund_waits = false;  ///< its refunds are pending until control settles them
};

/// Null if there is no such card.
const card* find_card(std::string_view token);

}  // namespace gateway::stripe_stand_in
