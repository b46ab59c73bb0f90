// The payment of a subscription's cycle: one for each invoice, moved by what the provider tells of the attempts to
// collect it. From then on it is a payment like any other, and can be refunded.
//
// Pure: time is an argument.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "gateway/domain/payment_machine.hpp"
#include "gateway/domain/subscription_notification.hpp"

namespace gateway {

enum class cycle_result : unsigned char { paid, failed };

constexpr std::string_view to_string(cycle_result r) noexcept { return r == cycle_result::paid ? "paid" : "failed"; }

inline payment_id cycle_payment_id(std::string_view invoice_id) {
  return payment_id{std::string{"pay_"}.append(invoice_id)};
}

/// Beside the subscription's event the same notification tells the payment's, under an id of its own.
inline std::string cycle_event_id(provider_kind provider, cycle_result result, std::string_view provider_event_id) {
  return std::string{"evt_"}
      .append(to_string(provider))
      .append(result == cycle_result::paid ? "_payment_captured_" : "_payment_failed_")
      .append(provider_event_id);
}

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

/// Why the attempt failed.
inline provider_error attempt_error(const subscription_invoice& invoice) {
  return {error_category::provider, invoice.failure_code, invoice.failure_message, !invoice.final_attempt, false};
}

/// What the attempt makes of its payment, which may not exist yet. Each attempt must be applied once. Nothing if a
/// payment of this id exists that is no cycle's: a caller has chosen an id that looks like one.
///
/// For these payments alone `failed` may become `captured`. A failure that is told after its invoice was paid, or
/// refunded, is told in turn and changes nothing: the money is there.
inline std::optional<transition> settle_cycle(const std::optional<payment>& p, const cycle_charge& c, time_point now) {
  if (p && p->provider_ref != c.invoice.id) return std::nullopt;
  transition t;
  if (p) {
    t.next = *p;
  } else {
    t.next.key = c.payment;
    t.next.amount = c.invoice.amount;
    t.next.provider = c.provider;
    t.next.account = c.account;
    t.next.provider_ref = c.invoice.id;
    t.next.details.description = c.description;
    t.next.details.metadata = c.metadata;
    t.next.created_at = now;
  }
  // By its handle only: the provider charges it by itself, under the name and the method that it keeps.
  if (!t.next.customer && !c.customer_ref.empty())
    t.next.customer = payment_customer{c.platform, c.customer_ref, {}, false, false, {}};
  const bool collected = t.next.captured > 0;
  t.next.version += 1;
  t.next.updated_at = now;
  if (c.result == cycle_result::paid) {
    machine::append(t, timeline_kind::attempt, "charge", "approved", std::nullopt, now);
    if (!collected) machine::mark_captured(t.next, now);
    machine::append_event(t, event_type::payment_captured, now);
  } else {
    auto error = attempt_error(c.invoice);
    machine::append(t, timeline_kind::attempt, "charge", "declined", error, now);
    if (collected)
      machine::append_event(t, event_type::payment_failed, now);
    else
      machine::mark_failed(t, std::move(error), now);
  }
  t.entries.back().event_id = c.event_id;
  t.result.after = t.next;
  return t;
}

/// The payment as the attempt's event tells it. A failure that is told after its invoice was paid is not the payment's
/// own, and says nonetheless what failed.
inline payment as_told(const payment& settled, const cycle_charge& c) {
  auto told = settled;
  if (c.result == cycle_result::failed) told.error = attempt_error(c.invoice);
  return told;
}

}  // namespace gateway
