// A provider's notification about a subscription: its state at one moment, the event of that moment, and its position
// in the provider's history.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/domain/billing_calendar.hpp"
#include "gateway/domain/enum_names.hpp"
#include "gateway/domain/ids.hpp"
#include "gateway/domain/money.hpp"
#include "gateway/domain/payment.hpp"
#include "gateway/domain/text.hpp"
#include "gateway/domain/time.hpp"

namespace gateway {

/// `pending` and `failed` are the gateway's own: the checkout is open, and the checkout could not be opened. All others
/// are the provider's. If a checkout is closed before the provider has created a subscription for it, the gateway sets
/// `canceled` or `incomplete_expired` itself.
enum class subscription_status : unsigned char {
  pending,
  failed,
  incomplete,  ///< created, and its first invoice is not paid yet
  trialing,
  active,
  past_due,  ///< an invoice failed, and the provider tries again
  unpaid,  ///< an invoice failed finally, and the subscription continues
  paused,
  incomplete_expired,
  canceled
};

template <>
inline constexpr auto enum_table<subscription_status> =
    enum_names<subscription_status>({{subscription_status::pending, "pending"},
                                     {subscription_status::failed, "failed"},
                                     {subscription_status::incomplete, "incomplete"},
                                     {subscription_status::trialing, "trialing"},
                                     {subscription_status::active, "active"},
                                     {subscription_status::past_due, "past_due"},
                                     {subscription_status::unpaid, "unpaid"},
                                     {subscription_status::paused, "paused"},
                                     {subscription_status::incomplete_expired, "incomplete_expired"},
                                     {subscription_status::canceled, "canceled"}});
inline constexpr auto parse_subscription_status = parse_name<subscription_status>;

/// Final states are never left: the subscription bills no more.
constexpr bool is_final(subscription_status s) noexcept {
  return s == subscription_status::canceled || s == subscription_status::incomplete_expired;
}

/// The changing part of a subscription, as the provider states it at one moment.
struct subscription_projection {
  subscription_status status = subscription_status::pending;
  std::string provider_customer_id;
  money amount;  ///< of a cycle
  billing_period every;
  std::optional<time_point> period_start;
  std::optional<time_point> period_end;
  std::optional<time_point> cancel_at;
  std::optional<time_point> canceled_at;
  metadata_map metadata;  ///< the subscription's own, verbatim

  bool operator==(const subscription_projection&) const = default;
};

/// The kind of a notification's event, in the order of events at the same moment.
enum class notification_kind : unsigned char { created, invoice_failed, invoice_paid, updated, deleted };

template <>
inline constexpr auto enum_table<notification_kind> =
    enum_names<notification_kind>({{notification_kind::created, "created"},
                                   {notification_kind::invoice_failed, "invoice_failed"},
                                   {notification_kind::invoice_paid, "invoice_paid"},
                                   {notification_kind::updated, "updated"},
                                   {notification_kind::deleted, "deleted"}});
inline constexpr auto parse_notification_kind = parse_name<notification_kind>;

/// The position of a provider's statement in its history. The order is total, so that one of two statements is always
/// the older, whatever their order of arrival. A provider's times have whole seconds, so several events may have the
/// same time. Then the provider's sequence number decides, if there is one, otherwise the kind of the event, and last
/// the event's id.
struct history_position {
  time_point at{};  ///< the provider's clock
  std::uint64_t sequence = 0;  ///< 0: the provider sends no numbers
  notification_kind kind = notification_kind::created;
  std::string event_id;

  bool operator==(const history_position&) const = default;
  auto operator<=>(const history_position&) const = default;
};

/// An invoice of one cycle, as it is after one attempt to collect it.
struct subscription_invoice {
  std::string id;  ///< the provider's
  money amount;
  std::optional<time_point> period_start;
  std::optional<time_point> period_end;
  unsigned attempt = 1;
  bool final_attempt = false;  ///< the provider makes no more attempts
  std::string failure_code;  ///< of a failed attempt
  std::string failure_message;
  std::string hosted_url{};  ///< of a failed attempt: where the customer can approve the payment; empty: not needed

  bool operator==(const subscription_invoice&) const = default;
};

/// Whether an unpaid invoice needs its customer.
struct invoice_action {
  std::string invoice_id;
  std::string hosted_url;  ///< where the customer can approve the payment; empty: no approval is needed any more

  bool operator==(const invoice_action&) const = default;
};

/// A provider's notification about a subscription, as its adapter has read it.
struct subscription_notification {
  std::string event_id;  ///< the provider's: each counts once
  notification_kind kind = notification_kind::created;
  time_point at{};  ///< when it happened, by the provider's clock
  std::uint64_t sequence = 0;
  std::string provider_subscription_id;
  subscription_projection state;  ///< the subscription after the event
  bool status_changed = false;  ///< updated: this update gave it its present status
  std::optional<subscription_invoice> invoice;  ///< invoice_paid, invoice_failed
  /// The account at the provider that the notification is for; empty: the provider does not name it. Not stored.
  std::string account{};
  std::optional<invoice_action> action{};  ///< updated: a change of one of its invoices

  bool operator==(const subscription_notification&) const = default;
};

/// Whether an invoice needs its customer, according to the notification; nullopt if it reports no invoice.
std::optional<invoice_action> action_of(const subscription_notification& n);

history_position position_of(const subscription_notification& n);

/// Whether this notification ends the subscription. A provider may report later changes, such as new metadata, which
/// are ordinary updates. So a history has one end.
constexpr bool ends_subscription(const subscription_notification& n) noexcept {
  return n.kind == notification_kind::deleted ||
         (n.kind == notification_kind::updated && n.status_changed && is_final(n.state.status));
}

/// Longer addresses of a provider are left out.
inline constexpr std::size_t most_action_url = 2048;

/// Provider identifiers become part of the gateway's own, which have at most 255 bytes.
inline constexpr std::size_t most_provider_id = 150;

/// Whether the text may be a provider's id of a subscription, an invoice or an event.
constexpr bool is_provider_id(std::string_view text) noexcept {
  if (text.empty() || text.size() > most_provider_id) return false;
  for (const char c : text)
    if (!is_id_character(c)) return false;
  return true;
}

/// Why an adapter must not pass this notification on; nullopt if it may.
std::optional<std::string_view> fault_of(const subscription_notification& n);

}  // namespace gateway
