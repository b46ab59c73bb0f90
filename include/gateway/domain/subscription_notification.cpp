#include "gateway/domain/subscription_notification.hpp"

namespace gateway {

history_position position_of(const subscription_notification& n) { return {n.at, n.sequence, n.kind, n.event_id}; }

std::optional<invoice_action> action_of(const subscription_notification& n) {
  if (!n.invoice) return n.action;
  return invoice_action{n.invoice->id,
                        n.kind == notification_kind::invoice_failed ? n.invoice->hosted_url : std::string{}};
}

std::optional<std::string_view> fault_of(const subscription_notification& n) {
  if (!is_provider_id(n.event_id)) return "event_id: must be 1 to 150 letters, digits, dashes and underscores";
  if (!is_provider_id(n.provider_subscription_id))
    return "provider_subscription_id: must be 1 to 150 letters, digits, dashes and underscores";
  if (n.state.status == subscription_status::pending || n.state.status == subscription_status::failed)
    return "state: the status is none of a provider's";
  const bool about_invoice = n.kind == notification_kind::invoice_paid || n.kind == notification_kind::invoice_failed;
  if (about_invoice != n.invoice.has_value()) return "invoice: stands where the notification is about one";
  if (n.invoice && !is_payment_id(std::string{"pay_"}.append(n.invoice->id)))
    return "invoice.id: must be 1 to 60 letters, digits, dashes and underscores";
  if (const auto action = action_of(n); action && action->hosted_url.size() > most_action_url)
    return "hosted_url: must have at most 2048 bytes";
  if (n.action && (n.kind != notification_kind::updated || !is_provider_id(n.action->invoice_id)))
    return "action: stands in an update, with the invoice's id";
  return std::nullopt;
}

}  // namespace gateway
