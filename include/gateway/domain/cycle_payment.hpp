// The payment of a subscription's cycle: one for each invoice, moved by what the provider tells of the attempts to
// collect it. From then on it is a payment like any other, and can be refunded.
//
// Pure: time is an argument.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gateway/domain/payment_machine.hpp"
#include "gateway/domain/subscription_notification.hpp"

namespace gateway {

enum class cycle_result : unsigned char { paid, failed };

constexpr std::string_view to_string(cycle_result r) noexcept { return r == cycle_result::paid ? "paid" : "failed"; }

payment_id cycle_payment_id(std::string_view invoice_id);

/// Beside the subscription's event the same notification tells the payment's, under an id of its own.
std::string cycle_event_id(provider_kind provider, cycle_result result, std::string_view provider_event_id);

/// The instruction to a payment: one attempt at its invoice was paid, or failed.
struct cycle_charge {
  entity_key payment;
  provider_kind provider = provider_kind::sandbox;
  std::string account;
  platform_id platform;  ///< whose customer_ref it is
  std::string customer_ref;
  std::string description;
  metadata_map metadata;
  cycle_result result = cycle_result::paid;
  subscription_invoice invoice;
  time_point at{};       ///< of the attempt, by the provider's clock
  std::string event_id;  ///< of the payment's event

  bool operator==(const cycle_charge&) const = default;
};

/// What the attempt makes of its payment, which may not exist yet. Each attempt must be applied once. Nothing if a
/// payment of this id exists that is no cycle's: a caller has chosen an id that looks like one.
///
/// For these payments alone `failed` may become `captured`. A failure that is told after its invoice was paid, or
/// refunded, is told in turn and changes nothing: the money is there.
std::optional<transition> settle_cycle(const std::optional<payment>& p, const cycle_charge& c, time_point now);

/// The payment as the attempt's event tells it. A failure that is told after its invoice was paid is not the payment's
/// own, and says nonetheless what failed.
payment as_told(const payment& settled, const cycle_charge& c);

}  // namespace gateway
