// The types of events that are sent to destinations, by their names in rows.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "gateway/domain/enum_names.hpp"

namespace gateway {

enum class event_type : unsigned char {
  payment_captured,
  payment_failed,
  payment_partially_refunded,
  payment_refunded,
  payment_voided,
  payment_refund_failed,
  dispute_opened,
  dispute_updated,
  dispute_closed,
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
                                 {event_type::payment_refund_failed, "payment.refund_failed", true},
                                 {event_type::dispute_opened, "dispute.opened", true},
                                 {event_type::dispute_updated, "dispute.updated", true},
                                 {event_type::dispute_closed, "dispute.closed", true},
                                 {event_type::subscription_activated, "subscription.activated", true},
                                 {event_type::subscription_updated, "subscription.updated", true},
                                 {event_type::subscription_canceled, "subscription.canceled", true},
                                 {event_type::subscription_invoice_paid, "subscription.invoice_paid", true},
                                 {event_type::subscription_invoice_failed, "subscription.invoice_failed", true}});

template <>
inline constexpr auto enum_table<event_type> = enum_names(event_catalogue, &event_traits::type);
inline constexpr auto parse_event_type = parse_name<event_type>;

}  // namespace gateway
