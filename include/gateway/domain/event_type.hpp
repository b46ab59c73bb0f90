// The types of events that are sent to destinations, by their names in rows.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace gateway {

enum class event_type : unsigned char {
  payment_captured,
  payment_failed,
  payment_partially_refunded,
  payment_refunded,
  payment_voided,
  subscription_activated,
  subscription_updated,
  subscription_canceled,
  subscription_invoice_paid,
  subscription_invoice_failed,
};

struct event_traits {
  event_type type;
  std::string_view name;  ///< in rows and in merchants' destinations
  bool on_request;  ///< sent only where a destination lists it
};

inline constexpr auto event_catalogue =
    std::to_array<event_traits>({{event_type::payment_captured, "payment.captured", false},
                                 {event_type::payment_failed, "payment.failed", false},
                                 {event_type::payment_partially_refunded, "payment.partially_refunded", false},
                                 {event_type::payment_refunded, "payment.refunded", false},
                                 {event_type::payment_voided, "payment.voided", true},
                                 {event_type::subscription_activated, "subscription.activated", true},
                                 {event_type::subscription_updated, "subscription.updated", true},
                                 {event_type::subscription_canceled, "subscription.canceled", true},
                                 {event_type::subscription_invoice_paid, "subscription.invoice_paid", true},
                                 {event_type::subscription_invoice_failed, "subscription.invoice_failed", true}});

static_assert(
    [] {
      for (std::size_t i = 0; i < event_catalogue.size(); ++i)
        if (event_catalogue[i].type != static_cast<event_type>(i)) return false;
      return event_catalogue.back().type == event_type::subscription_invoice_failed;
    }(),
    "each row stands at its type");

constexpr std::string_view to_string(event_type t) noexcept {
  return event_catalogue[static_cast<std::size_t>(t)].name;
}

/// Parses a name from a row; nothing if there is no such type.
constexpr std::optional<event_type> parse_event_type(std::string_view name) noexcept {
  for (const auto& each : event_catalogue)
    if (each.name == name) return each.type;
  return std::nullopt;
}

}  // namespace gateway
