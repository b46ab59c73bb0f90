// The payment of a subscription's cycle: one for each invoice, updated by the provider's notifications of attempts to
// collect it. Otherwise it is a payment like any other, and can be refunded.
//
// Pure: time is an argument.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gateway/domain/enum_names.hpp"
#include "gateway/domain/payment_machine.hpp"
#include "gateway/domain/subscription_notification.hpp"

namespace gateway {

enum class cycle_result : unsigned char { paid, failed };

template <>
inline constexpr auto enum_table<cycle_result> =
    enum_names<cycle_result>({{cycle_result::paid, "paid"}, {cycle_result::failed, "failed"}});
inline constexpr auto parse_cycle_result = parse_name<cycle_result>;

payment_id cycle_payment_id(std::string_view invoice_id);

/// The id of the payment's event, which the same notification causes beside the subscription's event.
std::string cycle_event_id(provider_kind provider, cycle_result result, std::string_view provider_event_id);

/// From a subscription to a payment: an attempt to collect its invoice has succeeded or failed.
struct cycle_charge {
  entity_key payment;
  provider_kind provider = provider_kind::sandbox;
  std::string account;
  platform_id platform;  ///< owner of customer_ref
  std::string customer_ref;
  std::string description;
  metadata_map metadata;
  cycle_result result = cycle_result::paid;
  subscription_invoice invoice;
  time_point at{};       ///< of the attempt, by the provider's clock
  std::string event_id;  ///< of the payment's event

  bool operator==(const cycle_charge&) const = default;
};

/// Applies the attempt to its payment, which may not exist yet. Each attempt must be applied once. nullopt if this id
/// belongs to a payment that is not a cycle's: a caller has chosen an id that looks like one.
///
/// Only for these payments may `failed` become `captured`. A failure that arrives after its invoice was paid or
/// refunded still gets its event, but does not change the payment: the money is there.
std::optional<transition> settle_cycle(const std::optional<payment>& p, const cycle_charge& c, time_point now);

/// The payment as the attempt's event shows it. A failure that arrives after its invoice was paid is not stored with
/// the payment, but its event has the error.
payment as_reported(const payment& settled, const cycle_charge& c);

}  // namespace gateway
