// Stripe's webhooks: docs.stripe.com/webhooks, and docs.stripe.com/connect/webhooks for connected accounts. Pure; the
// input is untrusted.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "gateway/ports/provider_adapter.hpp"

namespace gateway::actors::stripe {

/// An event is signed each time it is sent.
inline constexpr std::chrono::seconds signature_tolerance{300};

/// The value of the header Stripe-Signature.
struct signature_header {
  std::string_view stamp;  ///< digits: seconds
  std::int64_t at = 0;     ///< the same, parsed
  std::vector<std::string_view> signatures;  ///< of scheme v1, each 64 bytes
};

/// Nothing unless it has exactly one time and at least one signature.
std::optional<signature_header> read_signature(std::string_view header);

/// The types of events that the endpoint at Stripe has to be registered for, sorted.
std::span<const std::string_view> notification_types() noexcept;

struct event {
  std::string id;
  std::string type;
  std::string account;  ///< the connected account; empty: the platform's own
  bool live = false;
  std::int64_t created = 0;  ///< when it happened, in unix seconds
  std::string merchant;  ///< the gateway's mark on its object; empty: none
  std::string payment;
  std::string object_id;
};

std::optional<event> read_event(std::string_view body);

std::variant<receive_notification, notification_fault> verify_notification(const incoming_notification& in,
                                                                           const provider_settings& with,
                                                                           environment env, time_point now);

bool is_merchant_id(std::string_view text) noexcept;

/// The subject of an event about a payment or an account. The subject's state is read from Stripe, never from the
/// event.
notification_subject subject_of(const notification& what);

}  // namespace gateway::actors::stripe
