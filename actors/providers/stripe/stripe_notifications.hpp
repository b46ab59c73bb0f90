// What Stripe posts of its own accord: docs.stripe.com/webhooks, and docs.stripe.com/connect/webhooks of connected
// accounts. Pure, over bytes that anybody may have sent.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "gateway/provider_adapter.hpp"

namespace gateway::actors::stripe {

/// An event is signed when it is sent, each time that it is.
inline constexpr std::chrono::seconds signature_tolerance{300};

/// The value of the header Stripe-Signature.
struct signature_header {
  std::string_view stamp;  ///< digits: seconds
  std::int64_t at = 0;     ///< the same
  std::vector<std::string_view> signatures;  ///< of scheme v1, each 64 bytes
};

/// Nothing unless it carries one time and at least one signature.
std::optional<signature_header> read_signature(std::string_view header);

struct event {
  std::string id;
  std::string type;
  std::string account;  ///< the connected account; empty: the platform's own
  bool live = false;
  std::int64_t created = 0;  ///< when it happened, in unix seconds
  std::string merchant;  ///< what the gateway has marked its object with; empty where it has not
  std::string payment;
  std::string object_id;
};

std::optional<event> read_event(std::string_view body);

std::variant<receive_notification, notification_fault> verify_notification(const incoming_notification& in,
                                                                           const provider_settings& with,
                                                                           environment env, time_point now);

bool is_merchant_id(std::string_view text) noexcept;

/// Of events about payments and accounts: which to look at, and nothing that is believed.
notification_subject subject_of(const notification& what);

}  // namespace gateway::actors::stripe
