#include "gateway/domain/cycle_payment.hpp"

#include <utility>

namespace gateway {

payment_id cycle_payment_id(std::string_view invoice_id) { return payment_id{std::string{"pay_"}.append(invoice_id)}; }

std::string cycle_event_id(provider_kind provider, cycle_result result, std::string_view provider_event_id) {
  return std::string{"evt_"}
      .append(to_string(provider))
      .append(result == cycle_result::paid ? "_payment_captured_" : "_payment_failed_")
      .append(provider_event_id);
}

/// Why the attempt failed.
static provider_error attempt_error(const subscription_invoice& invoice) {
  return {error_category::provider, invoice.failure_code, invoice.failure_message, !invoice.final_attempt, false};
}

std::optional<transition> settle_cycle(const std::optional<payment>& p, const cycle_charge& c, time_point now) {
  if (p && p->provider_ref != c.invoice.id) return std::nullopt;
  transition t;
  t.by = entry_origin::provider;
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
    t.next.details.made_by = c.platform;
    t.next.created_at = now;
  }
  // Only the customer_ref is set, because the provider charges its own customer and payment method.
  if (!t.next.customer && !c.customer_ref.empty())
    t.next.customer = payment_customer{c.platform, c.customer_ref, {}, false, false, {}};
  const bool collected = t.next.captured > 0;
  t.next.version += 1;
  t.next.updated_at = now;
  if (c.result == cycle_result::paid) {
    machine::append(t, timeline_kind::attempt, "charge", "approved", std::nullopt, now);
    if (!collected) {
      // A credit between two attempts changes what is due, so the amount of a failed attempt may not be what was paid.
      t.next.amount = c.invoice.amount;
      machine::mark_captured(t.next, now);
    }
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

payment as_reported(const payment& settled, const cycle_charge& c) {
  auto reported = settled;
  if (c.result == cycle_result::failed) reported.error = attempt_error(c.invoice);
  return reported;
}

}  // namespace gateway
