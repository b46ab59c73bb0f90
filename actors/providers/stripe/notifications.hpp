// Stripe's webhooks: docs.stripe.com/webhooks, and docs.stripe.com/connect/webhooks for connected accounts. Pure; the
// input is untrusted.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "gateway/domain/subscription_notification.hpp"
#include "gateway/ports/provider_adapter.hpp"

namespace gateway::actors::stripe {

/// The greatest difference between the time of a signature and now. Stripe signs an event each time that it sends it.
inline constexpr std::chrono::seconds signature_tolerance{300};

/// The value of the header Stripe-Signature.
struct signature_header {
  std::string_view stamp;  ///< digits: seconds
  std::int64_t at = 0;     ///< the same, parsed
  std::vector<std::string_view> signatures;  ///< of scheme v1, each 64 bytes
};

/// nullopt unless it has exactly one time and at least one signature.
std::optional<signature_header> read_signature(std::string_view header);

/// The kind of an event's object, which decides how its subject is found.
enum class event_object : unsigned char {
  payment,     ///< a payment or its checkout, which have the gateway's marks
  of_payment,  ///< belongs to a payment: a charge, a refund, a dispute
  subscription,
  invoice,  ///< its subscription is read
  account,
  capability,  ///< of an account
  application,  ///< the platform itself: the account has disconnected it
  customer,  ///< deleted
  method,    ///< a payment method, detached from its customer
};

struct event_type_row {
  std::string_view type;
  event_object object = event_object::payment;
  notification_kind kind = notification_kind::updated;  ///< subscriptions and invoices
};

/// Nothing: the gateway need not act on events of this type.
const event_type_row* find_event_type(std::string_view type) noexcept;
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
  std::string intent_id;  ///< of the payment that its object belongs to
};

std::optional<event> read_event(std::string_view body);

std::variant<receive_notification, notification_fault> verify_notification(const incoming_notification& in,
                                                                           const provider_settings& with,
                                                                           environment env, time_point now);

bool is_merchant_id(std::string_view text) noexcept;

/// The payment that an object's marks name; nullopt if they are not the gateway's.
std::optional<entity_key> marked_payment(std::string_view merchant, std::string_view payment, environment env);
/// The account whose state is to be read.
notification_subject subject_of_account(const event& event_read, event_object object);

}  // namespace gateway::actors::stripe
